/** When a host that was started, or stopped and continued, is ready again: by a real store and its index. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { hex, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { INDEX_BYTES_MAX, INDEX_NAME, sha256Of } from "../../formats/object-store/index.js";
import { FaultyRelay } from "../faulty-relay.js";
import { until } from "../shared-state/host-process.js";
import { MONTHS, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

describe("a host that begins again", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	const digest = (data: string) => hex(SnapshotFiles.open(snapshotFolder(data, MONTHS[1])).crc);

	test("a host that was started or stopped is not ready until it has tried to read the index", async (t) => {
		const relay = await FaultyRelay.start(rig.swift.environment.AWS_ENDPOINT_URL);
		t.after(() => relay.close());
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const host = rig.host(url, { data: rig.pulledFolder(), endpoint: relay.endpoint });
		t.after(() => host.puller.close());
		const ready = () => until(() => host.puller.notReady() === null, 10_000, "readiness");
		await host.puller.poll();
		relay.set({ kind: "hang" });
		host.puller.start();
		assert.match(host.puller.notReady() ?? "", /has not been read since/, "it has months of an earlier run");
		relay.set({ kind: "pass" });
		await ready();
		host.tick();
		host.clock.nowMs += 1_500;
		assert.equal(host.puller.notReady(), null);
		await host.puller.poll();
		relay.set({ kind: "hang" });
		host.tick();
		await rig.announceAt(url, 0, [MONTHS[1]], rig.other);
		host.clock.nowMs += 60_000;
		assert.match(host.puller.notReady() ?? "", /has not been read since/, "before any timer has run");
		host.tick();
		assert.match(host.puller.notReady() ?? "", /has not been read since/);
		assert.match(host.lines.at(-1) ?? "", /was stopped/);
		relay.set({ kind: "pass" });
		await until(() => /is live and is not here/.test(host.puller.notReady() ?? ""), 10_000, "the index");
		await host.puller.poll();
		await host.puller.poll();
		assert.equal(host.puller.notReady(), null);
		assert.equal(digest(host.data), digest(rig.other));
		relay.set({ kind: "gone" });
		host.clock.nowMs += 60_000;
		host.tick();
		assert.match(host.puller.notReady() ?? "", /has not been read since/);
		await ready();
	});

	test("a page of a proxy in place of the index does not hide that the index is old", async (t) => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const { clock, puller } = rig.host(url, { data: rig.pulledFolder() });
		t.after(() => puller.close());
		await puller.poll();
		assert.equal(puller.state.heardAgoMs, 0);
		const page = Buffer.from("<html>Sign in</html>");
		await rig.open(url).write(INDEX_NAME, new Blob([page]), sha256Of(page), null);
		clock.nowMs += 60_000;
		await puller.poll();
		assert.equal(puller.state.heardAgoMs, 60_000);
	});

	test("a host that was started is not ready until its threads have opened what was replaced meanwhile", async (t) => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0, [MONTHS[1]], rig.other);
		const { data, puller, publications } = rig.host(url, { data: rig.pulledFolder() });
		t.after(() => puller.close());
		publications.opened(0, publications.newest);
		publications.opened(1, publications.newest);
		await puller.poll();
		assert.equal(digest(data), digest(rig.other));
		assert.match(puller.notReady() ?? "", /2026-11 is live and is not open in every thread yet/);
		publications.opened(0, publications.newest);
		assert.match(puller.notReady() ?? "", /not open in every thread/);
		publications.opened(1, publications.newest);
		assert.equal(puller.notReady(), null);
	});

	test("a host that was started or stopped is not ready by an older index than it had", async (t) => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const stored = await rig.open(url).read(INDEX_NAME, INDEX_BYTES_MAX);
		assert.ok(stored !== null && stored !== "unchanged");
		await rig.announceAt(url, 0, [MONTHS[1]], rig.origin);
		const folder = rig.pulledFolder();
		const before = rig.host(url, { data: folder });
		await before.puller.poll();
		await before.puller.close();
		// Replaced while no process of the host runs, and then the store forgets.
		await rig.announceAt(url, 0, [MONTHS[1]], rig.other);
		const current = await rig.open(url).read(INDEX_NAME, INDEX_BYTES_MAX);
		assert.ok(current !== null && current !== "unchanged");
		const write = (bytes: Uint8Array) =>
			rig.open(url).write(INDEX_NAME, new Blob([new Uint8Array(bytes)]), sha256Of(bytes), null);
		await write(stored.bytes);
		const host = rig.host(url, { data: folder });
		t.after(() => host.puller.close());
		host.puller.start();
		await until(() => host.puller.state.oldIndexes >= 4, 10_000, "readings of the older index");
		assert.match(host.puller.notReady() ?? "", /has not been read since/, "it cannot know of the month");
		await write(current.bytes);
		await until(() => /is live and is not here/.test(host.puller.notReady() ?? ""), 10_000, "the index");
		await host.puller.poll();
		await host.puller.poll();
		assert.equal(host.puller.notReady(), null);
		assert.equal(digest(host.data), digest(rig.other));
	});
});
