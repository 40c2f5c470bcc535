/** Disks of hosts that take months from an object store: what they delete, and what they do on a full one. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { documentBytes, INDEX_NAME, type MonthIndex, sha256Of } from "../../formats/object-store/index.js";
import { contents } from "./months-rig.js";
import { MONTHS, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

const [OLDER, NEWER] = MONTHS;

describe("disks of hosts that take months from an object store", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	/** Replaces the index by one with only some of its months, and the next revision. */
	async function listOnly(
		url: string,
		{ revision, ...index }: MonthIndex,
		months: readonly string[],
	): Promise<void> {
		const listed = Object.fromEntries(
			Object.entries(index.months).filter(([month]) => months.includes(month)),
		);
		const bytes = documentBytes({ ...index, revision: revision + 1, months: listed });
		const store = rig.open(url);
		await store.remove(INDEX_NAME);
		await store.write(INDEX_NAME, new Blob([bytes]), sha256Of(bytes), null);
	}

	test("a month older than those kept is deleted, since the store has it, and comes again with its changes", async () => {
		const url = await rig.stockedUrl();
		const { data, puller, served } = rig.host(url, { keepMonths: 1 });
		const index = await rig.announceAt(url, 0);
		await listOnly(url, index, [OLDER]);
		await puller.poll();
		assert.deepEqual(served(), [OLDER]);
		await listOnly(url, { ...index, revision: index.revision + 1 }, MONTHS);
		await puller.poll();
		assert.deepEqual(served(), [NEWER]);
		assert.deepEqual(readdirSync(join(data, "retired")), []);
		await listOnly(url, { ...index, revision: index.revision + 2 }, [OLDER]);
		await puller.poll();
		assert.deepEqual(served(), [OLDER]);
		assert.deepEqual(
			readdirSync(join(data, "retired")),
			[NEWER],
			"a month that is not listed can be restored",
		);
		assert.deepEqual(contents(join(data, "changes")), contents(join(rig.origin, "changes")));
	});

	test("a month older than those kept is retired where it is not known that the store has it", async () => {
		const url = await rig.stockedUrl();
		const data = rig.pulledFolder();
		await rig.announceAt(url, 0);
		const { puller, served } = rig.host(url, { keepMonths: 1, data });
		await puller.poll();
		assert.deepEqual(served(), [NEWER]);
		// No process of this host has read its manifest.
		assert.deepEqual(readdirSync(join(data, "retired")), [OLDER]);
	});

	test("changes of revisions that are gone are deleted once all months of the index are published", async () => {
		const url = await rig.stockedUrl();
		const { data, clock, puller } = rig.host(url);
		const changes = join(data, "changes");
		const [current] = readdirSync(join(rig.origin, "changes"));
		const [months, from, to] = current.split(".");
		const outdated = [`${months}.${from}.00000000`, `${months}.00000000.${to}`];
		const others = [`2026-09_${OLDER}.00000000.${from}`, "notes"];
		for (const name of [...outdated, ...others]) mkdirSync(join(changes, name), { recursive: true });
		await rig.announceAt(url, clock.nowMs + 60_000);
		await puller.poll();
		for (const name of outdated) assert.ok(existsSync(join(changes, name)), "a month is still to come");
		clock.nowMs += 60_000;
		await puller.poll();
		assert.deepEqual(readdirSync(changes).sort(), [current, ...others].sort());
	});

	test("a download of a month that is published is removed, as a version left it that could not read the month", async () => {
		const url = await rig.stockedUrl();
		const index = await rig.announceAt(url, 0);
		const { data, puller, served } = rig.host(url, { data: rig.pulledFolder() });
		await puller.poll();
		const { manifest } = index.months[NEWER];
		const left = join(data, "pulls", `${NEWER}.${manifest.slice(0, 16)}`);
		mkdirSync(join(left, "snapshots"), { recursive: true });
		await puller.poll();
		assert.ok(!existsSync(left), "by a server");
		assert.deepEqual(served(), [NEWER, OLDER]);
		mkdirSync(join(left, "snapshots"), { recursive: true });
		const pulled = await rig.builder("pull", "--data", data, "--store", url);
		assert.equal(pulled.code, 0, pulled.stderr);
		assert.ok(!existsSync(left), "by the builder");
	});

	test("an index that cannot be kept is followed, and kept once it can be", async () => {
		const url = await rig.stockedUrl();
		const { data, lines, puller, served } = rig.host(url, { data: rig.pulledFolder() });
		const index = await rig.announceAt(url, 0);
		await puller.poll();
		const kept = join(data, "pulls", "index.json");
		const before = readFileSync(kept, "utf8");
		// In place of a full disk: the file that is to be renamed cannot be written.
		const aside = `${kept}.${process.pid}`;
		mkdirSync(aside);
		await listOnly(url, index, [NEWER]);
		await puller.poll();
		assert.deepEqual(served(), [NEWER], "a withdrawn month is out of service at the first poll");
		await puller.poll();
		assert.equal(lines.filter((line) => line.includes("EISDIR")).length, 1, lines.join(""));
		assert.equal(readFileSync(kept, "utf8"), before);
		rmdirSync(aside);
		await puller.poll();
		assert.deepEqual(Object.keys(JSON.parse(readFileSync(kept, "utf8")).months), [NEWER]);
	});
});
