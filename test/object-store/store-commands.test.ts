/** Commands on a store: what `pull` brings to a data folder, what `push` announces, and which arguments are refused. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { instant } from "../../builder/command-line.js";
import { retireStored, withdraw } from "../../builder/object-store/index-changes.js";
import type { PulledMonths } from "../../builder/object-store/pull-months.js";
import { INDEX_BYTES_MAX, INDEX_NAME, sha256Of } from "../../formats/object-store/index.js";
import { published, runBuilder } from "../builder/builder-process.js";
import { MONTHS, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

test("a time is one of RFC 3339, of the calendar and with its zone", () => {
	const second = Date.parse("2026-12-01T06:00:00Z");
	for (const text of [
		"2026-12-01T06:00:00Z",
		"2026-12-01t06:00:00.000z",
		"2026-12-01T00:00:00-06:00",
		"2026-12-02T05:59:00+23:59",
	])
		assert.equal(instant(text), second, text);
	assert.equal(instant("2028-02-29T00:00:00Z"), Date.parse("2028-02-29T00:00:00Z"));
	for (const text of [
		...["2027-02-30T00:00:00Z", "2027-02-29T00:00:00Z", "2027-04-31T00:00:00Z", "2027-13-01T00:00:00Z"],
		...["2027-00-01T00:00:00Z", "2027-01-00T00:00:00Z", "2027-01-01T24:00:00Z", "2027-01-01T00:60:00Z"],
		...["2026-12-01T06:00:00", "2026-12-01T06:00Z", "2026-12-01", "2026-12-01 06:00:00Z", "tomorrow", ""],
		...["2026-12-01T06:00:00+0600", "2026-12-01T06:00:00+24:00", " 2026-12-01T06:00:00Z"],
		...["2026-12-01T06:00:00Z ", "1969-12-31T23:59:59Z"],
	])
		assert.throws(() => instant(text), /with its zone, such as 2026-12-01T06:00:00Z/, text);
});

describe("commands on a store", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	async function pull(url: string, data: string, ...months: string[]): Promise<PulledMonths> {
		const ended = await rig.builder("pull", ...months, "--data", data, "--store", url, "--json");
		assert.equal(ended.code, 0, ended.stderr);
		return JSON.parse(ended.stdout) as PulledMonths;
	}

	function states({ months }: PulledMonths): string[] {
		return months.map(({ month, state }) => `${month} ${state}`);
	}

	test("a month is published once it is live, and retired once the index does not list it", async () => {
		const [october, november] = MONTHS;
		const url = await rig.stockedUrl();
		// A new host has no folder yet.
		const data = join(mkdtempSync(join(rig.folder, "pull-")), "data");
		const liveAtMs = Date.parse("2099-01-01T00:00:00Z");
		await rig.announceAt(url, 0, [october]);
		await rig.announceAt(url, liveAtMs, [november]);
		const first = await pull(url, data);
		assert.deepEqual(states(first), [`${october} published`, `${november} announced`]);
		assert.equal(first.months[1].live_at, "2099-01-01T00:00:00.000Z");
		assert.ok(first.months.every(({ pulled_bytes }) => pulled_bytes > 0));
		assert.deepEqual(published(data), [october]);
		assert.ok(readdirSync(join(data, "snapshots", october)).includes("rows"), "it is the newest until then");
		// It is downloaded by now.
		const named = await pull(url, data, november);
		assert.deepEqual([states(named), named.months[0].pulled_bytes], [[`${november} announced`], 0]);
		const store = rig.open(url);
		await withdraw(store, [november], Date.now);
		await rig.announceAt(url, 0, [november]);
		const live = await pull(url, data);
		assert.deepEqual(states(live), [`${october} present`, `${november} published`]);
		assert.deepEqual(published(data), MONTHS);
		await withdraw(store, [october], Date.now);
		assert.deepEqual((await pull(url, data, november)).retired, [], "others are left as they are");
		const last = await pull(url, data);
		assert.deepEqual([states(last), last.retired], [[`${november} present`], [october]]);
		assert.deepEqual([published(data), readdirSync(join(data, "retired"))], [[november], [october]]);
		await withdraw(store, [november], Date.now);
		assert.deepEqual(await pull(url, data), { months: [], retired: [] }, "an empty index retires none");
	});

	test("the time of an announced month can be changed until it is live, and the output has the one in force", async () => {
		const url = await rig.stockedUrl();
		const month = MONTHS[1];
		const push = async (...more: string[]) => {
			const ended = await rig.builder("push", month, "--data", rig.origin, "--store", url, ...more);
			assert.equal(ended.code, 0, ended.stderr);
			assert.match(ended.stdout, /^month +files +size +sent +live at\n/);
			const shown = ended.stdout.trim().split(/\s+/).at(-1) ?? "";
			assert.equal((await rig.indexOf(url)).months[month].live_at, Date.parse(shown));
			const isKept = more.length > 0 && Date.parse(more[1]) !== Date.parse(shown);
			assert.equal(/is live already with the same files/.test(ended.stderr), isKept);
			return shown;
		};
		const [late, later, past] = ["2098-01-01", "2099-01-01", "2026-01-01"].map((d) => `${d}T00:00:00.000Z`);
		assert.equal(await push("--live-at", late), late);
		assert.equal(await push("--live-at", later), later);
		assert.equal(await push(), later, "not published by a push that says nothing of the time");
		assert.equal(await push("--live-at", late), late);
		assert.equal(await push("--live-at", past), past);
		assert.equal(await push("--live-at", later), past, "what is live stays live");
		assert.equal((await rig.indexOf(url)).retired, undefined);
	});

	test("a month that the store has neither live nor retired is not withdrawn, nor others with it", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		await retireStored(rig.open(url), MONTHS[0], Date.now);
		const before = await rig.indexOf(url);
		const refused = await rig.builder("withdraw", MONTHS[1], "2025-12", "--store", url);
		assert.equal(refused.code, 1);
		const known = `${url} has no month 2025-12, live or retired; it has ${MONTHS.join(", ")}`;
		assert.equal(refused.stderr, `builder: ${known}\n`);
		assert.deepEqual(await rig.indexOf(url), before);
		const done = await rig.builder("withdraw", ...MONTHS, "--store", url);
		assert.deepEqual([done.code, done.stdout], [0, `withdrawn: ${MONTHS.join(", ")}\n`]);
		const again = await rig.builder("withdraw", MONTHS[1], "--store", url);
		assert.match(again.stderr, /no month 2026-11, live or retired; it has none/);
	});

	test("a push of a folder without months, and a pull into a file, are refused and change nothing", async () => {
		const url = rig.freshUrl();
		const data = mkdtempSync(join(rig.folder, "empty-"));
		const pushed = await rig.builder("push", "--data", data, "--store", url);
		assert.equal(pushed.stderr, `builder: no month is published in ${data}; nothing was pushed\n`);
		assert.equal(pushed.code, 1);
		assert.equal(await rig.open(url).read(INDEX_NAME, INDEX_BYTES_MAX), null);
		const file = join(data, "file");
		writeFileSync(file, "");
		const pulled = await rig.builder("pull", "--data", file, "--store", await rig.stockedUrl());
		assert.deepEqual([pulled.code, pulled.stderr], [1, `builder: ${file}: is a file, not a data folder\n`]);
	});

	test("a push that the store or its index does not allow is refused with the reason, and sends nothing", async () => {
		const url = rig.freshUrl();
		const push = ["push", "--data", rig.origin, "--store", url];
		const environment = { ...rig.environment(), AWS_SECRET_ACCESS_KEY: "another" };
		const denied = await runBuilder(push, environment);
		assert.match(denied.stderr, /index.json: HTTP 403 SignatureDoesNotMatch; check the credentials/);
		await rig.open(url).write(INDEX_NAME, new Blob(["{"]), sha256Of(Buffer.from("{")), null);
		const refused = await rig.builder(...push);
		assert.match(refused.stderr, /index.json: is not JSON; put back an intact copy/);
		assert.deepEqual([denied.code, refused.code], [1, 1]);
		for await (const object of rig.open(url).list("objects/")) assert.fail(object.name);
	});

	test("the table says when a downloaded month goes live", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, Date.parse("2099-01-01T00:00:00Z"), [MONTHS[1]]);
		const data = mkdtempSync(join(rig.folder, "pull-"));
		const { stdout } = await rig.builder("pull", "--data", data, "--store", url);
		assert.match(
			stdout,
			/^month +rows +pulled +state\n2026-11 +600 +\S+ kB +live at 2099-01-01T00:00:00\.000Z\n$/,
		);
	});
});
