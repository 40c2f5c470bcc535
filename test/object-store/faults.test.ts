/** What hosts and pushes do while a real store fails: nothing wrong is served, no month goes back, and it is reported. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import { retireCommand } from "../../builder/commands/retire.js";
import { collectGarbage } from "../../builder/object-store/collect-garbage.js";
import { pruneStored, restoreStored, retireStored } from "../../builder/object-store/index-changes.js";
import { hex, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import {
	INDEX_BYTES_MAX,
	INDEX_NAME,
	type MonthIndex,
	manifestName,
	STORED_MANIFEST_BYTES_MAX,
	sha256Of,
} from "../../formats/object-store/index.js";
import { addPuller, hostNotes } from "../../server/admin/host-metrics.js";
import { BUILDER } from "../builder/builder-process.js";
import { FaultyRelay } from "../faulty-relay.js";
import { until } from "../shared-state/host-process.js";
import { contents } from "./months-rig.js";
import { MONTHS, type PullingHost, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

/** How long a store hangs: many times what the rest of a month takes without faults. */
const HANG_MS = 500;

describe("an object store that fails", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	async function relayed(t: TestContext): Promise<FaultyRelay> {
		const relay = await FaultyRelay.start(rig.swift.environment.AWS_ENDPOINT_URL);
		t.after(() => relay.close());
		return relay;
	}

	const digest = (data: string) => hex(SnapshotFiles.open(snapshotFolder(data, MONTHS[1])).crc);

	/** What Prometheus sees of a host's months. */
	async function metric({ puller }: PullingHost, name: string): Promise<number> {
		const registry = new Registry();
		addPuller(registry, () => puller.state);
		const { values } = await (
			registry.getSingleMetric(name) as { get(): Promise<{ values: { value: number }[] }> }
		).get();
		return values[0].value;
	}

	test("gone in the middle of a pull: what is published is served on, it is reported, and the pull resumes", async (t) => {
		const relay = await relayed(t);
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0, [MONTHS[0]]);
		const host = rig.host(url, { endpoint: relay.endpoint });
		await host.puller.poll();
		assert.deepEqual(host.served(), [MONTHS[0]]);
		const before = await metric(host, "rollcall_store_pulled_bytes_total");
		await rig.announceAt(url, 0);
		relay.set({ kind: "cut", afterBytes: 200_000 });
		await host.puller.poll();
		assert.deepEqual(host.served(), [MONTHS[0]]);
		assert.match(host.puller.notReady() ?? "", /2026-11 is live and is not here yet/);
		assert.equal(await metric(host, "rollcall_store_months_missing"), 1);
		assert.equal(await metric(host, "rollcall_store_months_late"), 1);
		assert.match(host.lines.at(-1) ?? "", /"code":"store_unreachable".*after 4 attempts|ended after/);
		const got = await metric(host, "rollcall_store_pulled_bytes_total");
		assert.ok(got > before, "some of it is here");
		relay.set({ kind: "gone" });
		host.clock.nowMs += 60_000;
		await host.puller.poll();
		assert.equal(await metric(host, "rollcall_store_index_age_seconds"), 60);
		assert.match(hostNotes(host.puller.state, null, 15_000)[0], /not heard for 60 s/);
		relay.set({ kind: "pass" });
		await host.puller.poll();
		assert.deepEqual(host.served(), [...MONTHS].reverse());
		assert.equal(host.puller.notReady(), null);
		assert.equal(await metric(host, "rollcall_store_months_missing"), 0);
		assert.equal(await metric(host, "rollcall_store_index_age_seconds"), 0);
		assert.deepEqual(hostNotes(host.puller.state, null, 15_000), []);
	});

	test("slow or hanging: months that are served stay, and the next one is complete when it is published", async (t) => {
		const relay = await relayed(t);
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0, [MONTHS[0]]);
		const host = rig.host(url, { endpoint: relay.endpoint });
		await host.puller.poll();
		await rig.announceAt(url, 0);
		relay.set({ kind: "slow", bytesPerSecond: 400_000 });
		const pulling = host.puller.poll();
		await until(() => relay.bytes > 50_000, 5_000, "some bytes");
		assert.deepEqual(host.served(), [MONTHS[0]]);
		relay.set({ kind: "hang" });
		await delay(HANG_MS);
		assert.deepEqual(host.served(), [MONTHS[0]]);
		assert.match(host.puller.notReady() ?? "", /2026-11 is live and is not here yet/);
		relay.set({ kind: "pass" });
		await pulling;
		assert.deepEqual(host.served(), [...MONTHS].reverse());
		assert.equal(digest(host.data), digest(rig.origin));
	});

	test("half a push is invisible, and the next push completes it", async (t) => {
		const relay = await relayed(t);
		const url = rig.freshUrl();
		const child = spawn(process.execPath, [BUILDER, "push", "--data", rig.origin, "--store", url], {
			env: { ...process.env, ...rig.environment(relay.endpoint) },
			stdio: "ignore",
		});
		const ended = once(child, "exit");
		// Answers to a few requests: some objects are there, and the index is not.
		await until(() => relay.bytes > 5_000, 10_000, "objects");
		child.kill("SIGKILL");
		assert.deepEqual(await ended, [null, "SIGKILL"]);
		assert.equal(await rig.open(url).read(INDEX_NAME, INDEX_BYTES_MAX), null);
		const host = rig.host(url);
		await host.puller.poll();
		assert.match(host.puller.notReady() ?? "", /index has not been read/);
		assert.match(host.lines.at(-1) ?? "", /index.json is not there/);
		const pushed = await rig.builder("push", "--data", rig.origin, "--store", url, "--json");
		assert.equal(pushed.code, 0, pushed.stderr);
		const sizes = (JSON.parse(pushed.stdout) as { months: { bytes: number; sent: number }[] }).months;
		const sum = (of: "bytes" | "sent") => sizes.reduce((total, month) => total + month[of], 0);
		assert.ok(sum("sent") < sum("bytes"), "objects of the half are used");
		host.clock.nowMs = Date.now() + 1;
		await host.puller.poll();
		assert.deepEqual(host.served(), [...MONTHS].reverse());
	});

	test("of two pushes at once both are announced", async () => {
		const url = await rig.stockedUrl();
		const push = (data: string, month: string) => rig.builder("push", month, "--data", data, "--store", url);
		const ended = await Promise.all([push(rig.origin, MONTHS[0]), push(rig.other, MONTHS[1])]);
		assert.deepEqual(
			ended.map(({ code }) => code),
			[0, 0],
			ended.map(({ stderr }) => stderr).join(""),
		);
		assert.deepEqual(Object.keys((await rig.indexOf(url)).months).sort(), MONTHS);
		const host = rig.host(url);
		host.clock.nowMs = Date.now() + 1;
		await host.puller.poll();
		assert.deepEqual(host.served(), [...MONTHS].reverse());
		assert.equal(digest(host.data), digest(rig.other));
	});

	test("a month that is replaced, and its old objects removed, while hosts pull it", async (t) => {
		const relay = await relayed(t);
		const url = rig.freshUrl();
		await rig.announceAt(url, 0);
		const host = rig.host(url, { endpoint: relay.endpoint });
		relay.set({ kind: "slow", bytesPerSecond: 400_000 });
		const pulling = host.puller.poll();
		await until(() => relay.bytes > 50_000, 5_000, "some bytes");
		relay.set({ kind: "hang" });
		await rig.announceAt(url, 0, [MONTHS[1]], rig.other);
		const store = rig.open(url);
		await pruneStored(store, [], Date.now);
		assert.ok((await collectGarbage(store, 0, Date.now() + 60_000)).objects > 5);
		relay.set({ kind: "pass" });
		await pulling;
		const first = host.served();
		if (first.includes(MONTHS[1])) assert.equal(digest(host.data), digest(rig.origin), "all of the old one");
		await host.puller.poll();
		assert.deepEqual(host.served(), [...MONTHS].reverse());
		assert.equal(digest(host.data), digest(rig.other));
		assert.deepEqual(
			contents(snapshotFolder(host.data, MONTHS[1])),
			contents(snapshotFolder(rig.other, MONTHS[1])),
		);
		assert.deepEqual(
			readdirSync(join(host.data, "pulls")).sort(),
			["digests.json", "index.json"],
			"nothing of the old one is left",
		);
	});

	test("a host that knows of a replacement but cannot read its manifest is not ready, nor after a restart", async (t) => {
		const relay = await relayed(t);
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const host = rig.host(url, { data: rig.pulledFolder() });
		await host.puller.poll();
		const index = await rig.announceAt(url, 0, [MONTHS[1]], rig.other);
		const restock = await withheld(url, index);
		await host.puller.poll();
		assert.match(host.puller.notReady() ?? "", /2026-11 is live and is not here yet/);
		relay.set({ kind: "gone" });
		const restarted = rig.host(url, { data: host.data, endpoint: relay.endpoint });
		await restarted.puller.poll();
		assert.match(restarted.puller.notReady() ?? "", /2026-11 is live and is not here yet/);
		await restock();
		relay.set({ kind: "pass" });
		await restarted.puller.poll();
		assert.equal(restarted.puller.notReady(), null);
		assert.equal(digest(host.data), digest(rig.other));
		relay.set({ kind: "gone" });
		const again = rig.host(url, { data: host.data, endpoint: relay.endpoint });
		assert.equal(again.puller.notReady(), null, "what is published is served without the store");
	});

	test("a host that lacks a month is not ready two seconds before it is live, unless it was announced later than that", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const host = rig.host(url, { data: rig.pulledFolder() });
		const { clock, puller } = host;
		await puller.poll();
		const startMs = clock.nowMs;
		const reason = (of: PullingHost, atMs: number) => {
			of.clock.nowMs = atMs;
			return of.puller.notReady();
		};
		let liveAtMs = startMs + 10_000;
		const restock = await withheld(url, await rig.announceAt(url, liveAtMs, [MONTHS[1]], rig.other));
		await puller.poll();
		assert.equal(reason(host, startMs), null);
		assert.equal(reason(host, liveAtMs - 2_000), null);
		assert.match(reason(host, liveAtMs - 1_999) ?? "", /2026-11 goes live at 2026-12-05T.* is not here yet/);
		clock.nowMs = startMs + 9_000;
		await restock();
		await puller.poll();
		assert.equal(reason(host, liveAtMs - 1), null, "it is downloaded");
		assert.equal(digest(host.data), digest(rig.origin), "and not live before its time");
		clock.nowMs = liveAtMs;
		await puller.poll();
		assert.equal(puller.notReady(), null);
		assert.equal(digest(host.data), digest(rig.other));
		liveAtMs += 11_999;
		clock.nowMs = liveAtMs - 1_999;
		const stock = await withheld(url, await rig.announceAt(url, liveAtMs, MONTHS, rig.origin, clock.now));
		await puller.poll();
		assert.equal(reason(host, liveAtMs), null, "no host could have it: not all are taken out of service");
		assert.equal(reason(host, liveAtMs + 1_000), null);
		assert.match(reason(host, liveAtMs + 1_001) ?? "", /2026-11 is live and is not here yet/);
		const restarted = rig.host(url, { data: host.data });
		assert.match(reason(restarted, liveAtMs - 1) ?? "", /goes live/, "other hosts may have it");
		await stock();
		await restarted.puller.poll();
		assert.equal(restarted.puller.notReady(), null);
	});

	/** Removes the manifest of the newest month, which an index refers to. Gives what puts it back. */
	async function withheld(url: string, { months }: MonthIndex): Promise<() => Promise<unknown>> {
		const store = rig.open(url);
		const name = manifestName(months[MONTHS[1]].manifest);
		const manifest = await store.read(name, STORED_MANIFEST_BYTES_MAX);
		assert.ok(manifest !== null && manifest !== "unchanged");
		await store.remove(name);
		return () => store.write(name, new Blob([manifest.bytes]), sha256Of(manifest.bytes), null);
	}

	test("a month that is retired in the store can be restored, also the one that a push replaced", async () => {
		const url = rig.freshUrl();
		await rig.announceAt(url, 0);
		const { data, clock, puller, served } = rig.host(url, { data: rig.pulledFolder() });
		clock.nowMs = Date.now() + 60_000;
		await puller.poll();
		const pulled = puller.state.pulledBytes;
		for (const [command, left] of [
			["retire", [MONTHS[0]]],
			["restore", [...MONTHS].reverse()],
		] as const) {
			const { code, stdout, stderr } = await rig.builder(command, MONTHS[1], "--store", url, "--json");
			assert.equal(code, 0, stderr);
			const printed = JSON.parse(stdout);
			assert.deepEqual([printed.month, printed[`${command}d`]], [MONTHS[1], true]);
			assert.equal(printed.digest, digest(rig.origin));
			await collectGarbage(rig.open(url), 0, Date.now() + 60_000);
			await puller.poll();
			assert.deepEqual(served(), left, command);
		}
		assert.ok(puller.state.pulledBytes < pulled + 100_000, "the retired month's files are used again");
		assert.equal((await rig.indexOf(url)).retired, undefined);
		const store = rig.open(url);
		await rig.announceAt(url, 0, [MONTHS[1]], rig.other);
		for (const expected of [rig.other, rig.origin, rig.other]) {
			await collectGarbage(store, 0, Date.now() + 60_000);
			await puller.poll();
			assert.equal(digest(data), digest(expected), "the two change places");
			await restoreStored(store, MONTHS[1], Date.now);
		}
		const at = "2099-01-01T00:00:00.000Z";
		const later = await rig.builder("restore", MONTHS[1], "--store", url, "--live-at", at);
		assert.equal(later.code, 0, later.stderr);
		assert.equal((await rig.indexOf(url)).months[MONTHS[1]].live_at, Date.parse(at));
		assert.deepEqual(await pruneStored(store, [], Date.now), [], "it is in service until then");
		await restoreStored(store, MONTHS[1], Date.now);
		await assert.rejects(restoreStored(store, MONTHS[1], Date.now), { code: "not_retired" });
		await assert.rejects(retireStored(store, "2020-01", Date.now), { code: "not_published" });
	});

	test("a month is retired in a data folder or in a store, not in both or neither", async () => {
		for (const place of [[], ["--store", "s3://bucket/x", "--data", "data"]]) {
			const command = retireCommand()
				.exitOverride()
				.configureOutput({ writeErr: () => undefined });
			const ran = command.parseAsync([MONTHS[1], ...place], { from: "user" });
			await assert.rejects(ran, { name: "CommanderError", exitCode: 1 });
		}
	});
});
