/** What is served, kept and restored of a month while a replacement of it is announced. */

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { collectGarbage } from "../../builder/object-store/collect-garbage.js";
import { pruneStored, restoreStored, retireStored } from "../../builder/object-store/index-changes.js";
import type { PulledMonths } from "../../builder/object-store/pull-months.js";
import { hex, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { build } from "./months-rig.js";
import { MONTHS, type PullingHost, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

const [OLDER, NEWEST] = MONTHS;

describe("an announced replacement", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	const digest = (data: string) => hex(SnapshotFiles.open(snapshotFolder(data, NEWEST)).crc);
	const open = ({ publications }: PullingHost) => {
		for (const thread of [0, 1]) publications.opened(thread, publications.newest);
	};

	/** The newest month is live, and its replacement is announced for a minute later. */
	async function announced(url: string): Promise<number> {
		const liveAtMs = Date.now() + 60_000;
		await rig.announceAt(url, 0);
		await rig.announceAt(url, liveAtMs, [NEWEST], rig.other);
		return liveAtMs;
	}

	test("a fresh host serves the revision in force until the replacement is live, and is not ready before", async () => {
		const url = await rig.stockedUrl();
		const liveAtMs = await announced(url);
		for (const keepMonths of [0, 1]) {
			const host = rig.host(url, { keepMonths });
			host.clock.nowMs = liveAtMs - 60_000;
			const { puller } = host;
			open(host);
			let isOver = false;
			const polled = puller.poll().finally(() => {
				isOver = true;
			});
			while (!isOver && !host.served().includes(NEWEST)) {
				assert.notEqual(puller.notReady(), null, "it would serve the month before");
				await new Promise(setImmediate);
			}
			await polled;
			open(host);
			assert.equal(puller.notReady(), null);
			assert.equal(digest(host.data), digest(rig.origin));
			assert.deepEqual(puller.state.late, []);
			host.clock.nowMs = liveAtMs;
			await puller.poll();
			open(host);
			assert.equal(digest(host.data), digest(rig.other));
			assert.equal(puller.notReady(), null);
			// The clock is set back.
			host.clock.nowMs = liveAtMs - 5_000;
			await puller.poll();
			assert.equal(digest(host.data), digest(rig.other));
			assert.equal(puller.notReady(), null);
			await puller.close();
		}
	});

	test("pull publishes the revision in force, and downloads the announced one", async () => {
		const url = await rig.stockedUrl();
		await announced(url);
		const data = join(mkdtempSync(join(rig.folder, "pull-")), "data");
		const ended = await rig.builder("pull", NEWEST, "--data", data, "--store", url, "--json");
		assert.equal(ended.code, 0, ended.stderr);
		const { months } = JSON.parse(ended.stdout) as PulledMonths;
		assert.deepEqual(
			months.map(({ state, live_at }) => [state, live_at === null]),
			[
				["published", true],
				["announced", false],
			],
		);
		assert.equal(digest(data), digest(rig.origin));
	});

	test("a second push before the first is live keeps the revision in service, for garbage collection and restore", async () => {
		const url = rig.freshUrl();
		const third = join(mkdtempSync(join(rig.folder, "third-")), "data");
		await build(third, rig.folder, NEWEST, 3);
		const liveAtMs = await announced(url);
		const inService = (await rig.indexOf(url)).retired?.[NEWEST];
		await rig.announceAt(url, liveAtMs, [NEWEST], third);
		assert.equal((await rig.indexOf(url)).retired?.[NEWEST], inService);
		const store = rig.open(url);
		await assert.rejects(
			pruneStored(store, [NEWEST], Date.now),
			/in service until its announced replacement/,
		);
		assert.deepEqual(await pruneStored(store, [], Date.now), []);
		const collected = await collectGarbage(store, 0, Date.now() + 60_000);
		assert.ok(collected.objects > 0, "the announced one that was never live");
		const host = rig.host(url);
		host.clock.nowMs = Date.now();
		await host.puller.poll();
		assert.equal(digest(host.data), digest(rig.origin));
		await host.puller.close();
		// Once it is live, the one that it replaced is what restore brings back.
		assert.equal((await restoreStored(store, NEWEST, () => liveAtMs + 1)).manifest, inService);
		assert.notEqual((await rig.indexOf(url)).retired?.[NEWEST], inService);
	});

	test("restore cancels what is announced, and what is in service stays", async () => {
		const url = await rig.stockedUrl();
		const liveAtMs = await announced(url);
		const inService = (await rig.indexOf(url)).retired?.[NEWEST];
		const { code, stdout, stderr } = await rig.builder("restore", NEWEST, "--store", url);
		assert.equal(code, 0, stderr);
		const at = new Date(liveAtMs).toISOString();
		const expected = `^2026-11 is restored: snapshot ${digest(rig.origin)}, 600 rows, live at \\S+Z; what was announced for ${at} is cancelled\n$`;
		assert.match(stdout, new RegExp(expected));
		const { months, retired } = await rig.indexOf(url);
		assert.equal(months[NEWEST].manifest, inService);
		assert.ok(months[NEWEST].live_at <= Date.now());
		assert.equal(retired, undefined);
		// What is in service stays so, whatever time is given.
		await announced(url);
		await restoreStored(rig.open(url), NEWEST, Date.now, liveAtMs + 60_000);
		assert.ok((await rig.indexOf(url)).months[NEWEST].live_at <= Date.now());
	});

	test("retire keeps the revision in service, cancels what is announced, and restore brings that one back", async () => {
		const url = await rig.stockedUrl();
		await announced(url);
		const inService = (await rig.indexOf(url)).retired?.[NEWEST];
		const { code, stdout, stderr } = await rig.builder("retire", NEWEST, "--store", url);
		assert.equal(code, 0, stderr);
		assert.match(
			stdout,
			new RegExp(`is retired: snapshot ${digest(rig.origin)}, 600 rows; what was announced for`),
		);
		const restored = await rig.builder("restore", NEWEST, "--store", url, "--json");
		const { digest: brought, cancelled_live_at } = JSON.parse(restored.stdout);
		assert.deepEqual([brought, cancelled_live_at], [digest(rig.origin), null]);
		assert.equal((await rig.indexOf(url)).months[NEWEST].manifest, inService);
	});

	test("a retired month whose next revision is announced stays out of service until then", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const store = rig.open(url);
		const { manifest: retired } = await retireStored(store, NEWEST, Date.now);
		const liveAtMs = Date.now() + 60_000;
		await rig.announceAt(url, liveAtMs, [NEWEST], rig.other);
		const index = await rig.indexOf(url);
		assert.deepEqual([index.retired?.[NEWEST], index.unserved], [retired, [NEWEST]]);
		const host = rig.host(url, { keepMonths: 1 });
		host.clock.nowMs = liveAtMs - 50_000;
		await host.puller.poll();
		assert.deepEqual(host.served(), [OLDER]);
		await host.puller.close();
		// Retired again, the revision that was in service is kept.
		assert.equal((await retireStored(store, NEWEST, Date.now)).manifest, retired);
		assert.equal((await rig.indexOf(url)).unserved, undefined);
	});
});
