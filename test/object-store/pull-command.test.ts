/** `builder pull`: brings a data folder to what the index of a store says, once. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { withdraw } from "../../builder/object-store/index-changes.js";
import type { PulledMonths } from "../../builder/object-store/pull-months.js";
import { published } from "../builder/builder-process.js";
import { MONTHS, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

describe("a pull by command", { skip: SWIFT_MISSING }, () => {
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
		const data = mkdtempSync(join(rig.folder, "pull-"));
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
