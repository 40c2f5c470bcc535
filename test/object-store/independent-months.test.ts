/** What happens to one month does not wait for another: the index is followed while months are downloaded, or cannot be. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { withdraw } from "../../builder/object-store/index-changes.js";
import { PULLS_FOLDER } from "../../formats/files/data-folder.js";
import { hex, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { objectName, readStoredManifest } from "../../formats/object-store/index.js";
import { until } from "../shared-state/host-process.js";
import { MONTHS, type PullingHost, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

/** A month takes seconds at this rate, of which a test waits for a few reads of the index. */
const SLOW_BYTES_PER_S = 40_000;
/** Later than any host's clock in these tests. */
const FAR_MS = Date.parse("2027-01-01T00:00:00Z");

describe("months of an object store", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	const digest = (data: string) => hex(SnapshotFiles.open(snapshotFolder(data, MONTHS[1])).crc);

	/** A poll that is downloading; the host closes it at the test's end. */
	async function untilDownloading({ puller }: PullingHost): Promise<void> {
		const before = puller.state.pulledBytes;
		void puller.poll();
		await until(() => puller.state.pulledBytes > before, 10_000, "some bytes");
	}

	/** Polls without waiting for the download until the host follows revision `revision` of the index. */
	async function follow({ puller }: PullingHost, revision: number): Promise<void> {
		void puller.poll();
		await until(() => puller.state.revision === revision, 10_000, "the index");
	}

	test("a month that cannot be downloaded keeps back neither older months nor the retiring of others", async () => {
		const url = rig.freshUrl();
		const { months } = await rig.announceAt(url, 0);
		const store = rig.open(url);
		const { files } = await readStoredManifest(store, months[MONTHS[1]].manifest);
		const snapshot = files.filter(({ path }) => path.startsWith(`snapshots/${MONTHS[1]}/`));
		await store.remove(objectName(snapshot[0].sha256));
		const host = rig.host(url);
		await host.puller.poll();
		assert.deepEqual(host.served(), [MONTHS[0]]);
		assert.match(host.puller.notReady() ?? "", /2026-11 is live and is not here yet/);
		await withdraw(store, [MONTHS[0]], Date.now);
		await host.puller.poll();
		assert.deepEqual(host.served(), []);
		const faults = host.lines.filter((line) => line.includes("missing_object"));
		assert.equal(faults.length, 1, "the same failure is logged once");
	});

	test("a month that is withdrawn while another is downloaded does not go live, and one that is live is retired", async (t) => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0, [MONTHS[1]]);
		const host = rig.host(url, { data: rig.pulledFolder(), bytesPerSecond: SLOW_BYTES_PER_S });
		t.after(() => host.puller.close());
		await host.puller.poll();
		assert.deepEqual(host.served(), [MONTHS[1]]);
		await rig.announceAt(url, FAR_MS, [MONTHS[1]], rig.other);
		await untilDownloading(host);
		const { revision } = await rig.announceAt(url, 0, [MONTHS[0]]);
		await follow(host, revision);
		await withdraw(rig.open(url), [MONTHS[1]], Date.now);
		await follow(host, revision + 1);
		await until(() => host.served().length === 0, 10_000, "the live month to be retired");
		assert.equal(host.puller.state.missing.join(), MONTHS[0]);
		const pulls = () =>
			readdirSync(join(host.data, PULLS_FOLDER)).filter((name) => name.startsWith(MONTHS[0]));
		await until(
			() => pulls().length > 0,
			10_000,
			"its download, since that of the withdrawn month has ended",
		);
	});

	test("a month that is announced leaves the months that are kept in service until it is live", async (t) => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0, [MONTHS[0]]);
		const { clock, puller, served, tick } = rig.host(url, { keepMonths: 1 });
		t.after(() => puller.close());
		await puller.poll();
		await rig.announceAt(url, FAR_MS, [MONTHS[1]]);
		await puller.poll();
		assert.deepEqual(puller.state.late, []);
		assert.deepEqual(served(), [MONTHS[0]]);
		const fresh = rig.host(url, { keepMonths: 1 });
		await fresh.puller.poll();
		assert.deepEqual(fresh.served(), [MONTHS[0]], "a host that starts meanwhile has it too");
		puller.start();
		await puller.poll();
		clock.nowMs = FAR_MS;
		tick();
		await puller.poll();
		assert.deepEqual(served(), [MONTHS[1]]);
	});

	test("a replacement of the newest month that is announced brings back no older month", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const host = rig.host(url, { data: rig.pulledFolder(), keepMonths: 1 });
		await host.puller.poll();
		assert.deepEqual(host.served(), [MONTHS[1]]);
		await rig.announceAt(url, FAR_MS, [MONTHS[1]], rig.other);
		await host.puller.poll();
		assert.deepEqual(host.served(), [MONTHS[1]]);
		assert.equal(digest(host.data), digest(rig.origin), "until the replacement is live");
		assert.equal(host.puller.notReady(), null);
	});
});
