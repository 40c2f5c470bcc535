/** Months through a real object store: pushed by the builder, taken by hosts, never wrong and never back. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pino } from "pino";
import { hex, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import {
	documentBytes,
	EMPTY_INDEX,
	INDEX_NAME,
	type ObjectStoreError,
	objectName,
	openStore,
	readStoredManifest,
	sha256Of,
} from "../../formats/object-store/index.js";
import { pullMonth } from "../../formats/object-store/pull-month.js";
import { MonthPuller } from "../../server/months/month-puller.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";
import { contend, contents, withoutRows } from "./months-rig.js";
import { MONTHS, StoreRig } from "./store-rig.js";
import { SWIFT_MISSING } from "./swift-store.js";

describe("months in an object store", { skip: SWIFT_MISSING }, () => {
	let rig: StoreRig;

	before(async () => {
		rig = await StoreRig.start();
	});
	// Undefined where it could not start.
	after(() => (rig as StoreRig | undefined)?.close());

	test("what is pushed is pulled byte for byte, but stored rows of older months, and pushing again sends nothing", async () => {
		const url = await rig.stockedUrl();
		const first = await rig.builder("push", "--data", rig.origin, "--store", url, "--json");
		assert.equal(first.code, 0, first.stderr);
		const again = await rig.builder("push", "--data", rig.origin, "--store", url, "--json");
		const sent = ({ stdout }: { stdout: string }) =>
			(JSON.parse(stdout) as { months: { sent: number }[] }).months.map((month) => month.sent);
		// The first test: nothing was pushed before.
		for (const bytes of sent(first)) assert.ok(bytes > 0);
		assert.deepEqual(sent(again), [0, 0]);
		const copy = join(rig.folder, "copy");
		mkdirSync(copy);
		const pulled = await rig.builder("pull", "--data", copy, "--store", url, "--json");
		assert.equal(pulled.code, 0, pulled.stderr);
		for (const name of ["snapshots", "manifests", "changes"]) {
			const origin = Object.entries(contents(join(rig.origin, name)));
			// Stored rows are of the newest month alone.
			const pulledHere = origin.filter(([path]) => !path.startsWith(`/${MONTHS[0]}/rows/`));
			assert.deepEqual(contents(join(copy, name)), Object.fromEntries(pulledHere), name);
		}
	});

	test("hosts go live at the instant of the index, and are not ready where they are late", async () => {
		const url = await rig.stockedUrl();
		const { data, clock, puller, served } = rig.host(url);
		assert.match(puller.notReady() ?? "", /index has not been read/);
		const liveAtMs = clock.nowMs + 60_000;
		await rig.announceAt(url, liveAtMs);
		await puller.poll();
		assert.deepEqual(served(), [], "not before its time");
		assert.deepEqual([puller.state.missing.length, puller.state.late.length], [2, 0]);
		assert.equal(puller.notReady(), null);
		clock.nowMs = liveAtMs;
		await puller.poll();
		assert.deepEqual(served(), [...MONTHS].reverse());
		const late = rig.host(url);
		await late.puller.poll();
		late.clock.nowMs = liveAtMs + 1;
		assert.equal(late.puller.notReady(), null, "a second's grace");
		late.clock.nowMs = liveAtMs + 5_000;
		assert.match(late.puller.notReady() ?? "", /is live and is not here yet/);
		await late.puller.poll();
		assert.equal(late.puller.notReady(), null);
		assert.deepEqual(
			contents(snapshotFolder(data, MONTHS[1])),
			contents(snapshotFolder(rig.origin, MONTHS[1])),
		);
	});

	test("stored rows are taken of the newest month alone, and older months than those kept are retired", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const all = rig.host(url);
		await all.puller.poll();
		const older = contents(snapshotFolder(all.data, MONTHS[0]));
		assert.deepEqual(older, withoutRows(contents(snapshotFolder(rig.origin, MONTHS[0]))));
		const one = rig.host(url, { keepMonths: 1 });
		await one.puller.poll();
		assert.deepEqual(one.served(), [MONTHS[1]]);
	});

	test("a host drops the stored rows of a month once a newer one is live", async () => {
		const url = await rig.stockedUrl();
		const index = await rig.announceAt(url, 0);
		const only = documentBytes({ ...index, months: { [MONTHS[0]]: index.months[MONTHS[0]] } });
		await rig.open(url).write(INDEX_NAME, new Blob([only]), sha256Of(only), null);
		const { data, puller, served } = rig.host(url);
		await puller.poll();
		const whole = contents(snapshotFolder(rig.origin, MONTHS[0]));
		assert.deepEqual(contents(snapshotFolder(data, MONTHS[0])), whole);
		await rig.announceAt(url, 0);
		await puller.poll();
		assert.deepEqual(served(), [...MONTHS].reverse());
		assert.deepEqual(contents(snapshotFolder(data, MONTHS[0])), withoutRows(whole));
	});

	test("a replaced month and a withdrawn one reach the hosts", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const { data, puller, served } = rig.host(url, { data: rig.pulledFolder() });
		await puller.poll();
		const pushed = await rig.builder(
			"push",
			"--data",
			rig.other,
			"--store",
			url,
			"--live-at",
			"2026-12-01T00:00:00Z",
		);
		assert.equal(pushed.code, 0, pushed.stderr);
		await puller.poll();
		const digest = (of: string) => hex(SnapshotFiles.open(snapshotFolder(of, MONTHS[1])).crc);
		assert.equal(digest(data), digest(rig.other));
		assert.notEqual(digest(data), digest(rig.origin));
		await rig.builder("withdraw", MONTHS[0], "--store", url);
		await puller.poll();
		assert.deepEqual(served(), [MONTHS[1]]);
		assert.ok(existsSync(join(data, "retired", MONTHS[0])));
	});

	test("a replacement that is withdrawn and announced again goes live, as does a month whose download is gone", async (t) => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const { clock, data, lines, puller, tick } = rig.host(url, { data: rig.pulledFolder() });
		t.after(() => puller.close());
		const crc = (of: string) => hex(SnapshotFiles.open(snapshotFolder(of, MONTHS[1])).crc);
		const downloads = () => readdirSync(join(data, "pulls")).filter((name) => name.startsWith(MONTHS[1]));
		puller.start();
		await puller.poll();
		const liveAtMs = clock.nowMs + 60_000;
		for (const withdrawn of [true, false]) {
			await rig.announceAt(url, liveAtMs, [MONTHS[1]], rig.other);
			await puller.poll();
			if (!withdrawn) continue;
			await rig.announceAt(url, 0);
			await puller.poll();
			assert.deepEqual(downloads(), []);
		}
		assert.equal(crc(data), crc(rig.origin));
		clock.nowMs = liveAtMs;
		tick();
		// At once, not after another download.
		assert.equal(crc(data), crc(rig.other));
		await puller.poll();
		await rig.announceAt(url, liveAtMs + 60_000, [MONTHS[1]], rig.origin, clock.now);
		await puller.poll();
		for (const download of downloads()) rmSync(join(data, "pulls", download), { recursive: true });
		clock.nowMs += 60_000;
		tick();
		assert.equal(crc(data), crc(rig.other));
		assert.ok(lines.some((line) => line.includes("getting months from the object store failed")));
		await puller.poll();
		await puller.poll();
		assert.equal(crc(data), crc(rig.origin));
	});

	test("an older index is ignored, also after a restart", async () => {
		const url = await rig.stockedUrl();
		const index = await rig.announceAt(url, 0);
		const { data, clock, lines, puller, served } = rig.host(url, { data: rig.pulledFolder() });
		await puller.poll();
		const store = rig.open(url);
		const old = documentBytes({
			...EMPTY_INDEX,
			revision: index.revision - 1,
			months: { [MONTHS[0]]: index.months[MONTHS[0]] },
		});
		await store.write(INDEX_NAME, new Blob([old]), sha256Of(old), null);
		await puller.poll();
		assert.deepEqual(served(), [...MONTHS].reverse());
		assert.ok(lines.some((line) => line.includes("older index")));
		assert.equal(puller.state.oldIndexes, 1);
		const restarted = new MonthPuller({
			store,
			dataFolder: data,
			publications: OpenedPublications.allocate(1),
			clock,
			scheduler: { every: () => () => {} },
			log: pino({ level: "silent" }),
			pollMs: 1_000,
			keepMonths: 0,
			bytesPerSecond: Number.POSITIVE_INFINITY,
		});
		await restarted.poll();
		assert.deepEqual(served(), [...MONTHS].reverse());
		assert.equal(restarted.state.revision, index.revision);
	});

	test("wrong, short and missing objects are never published, and what is served stays", async () => {
		const url = await rig.stockedUrl();
		const index = await rig.announceAt(url, 0, [MONTHS[0]]);
		const { data, lines, puller, served } = rig.host(url);
		await puller.poll();
		const before = contents(join(data, "snapshots"));
		await rig.announceAt(url, 0);
		const store = rig.open(url);
		const manifest = await readStoredManifest(store, (await rig.indexOf(url)).months[MONTHS[1]].manifest);
		const file = manifest.files.filter(({ path }) => path.endsWith(".col"))[0];
		const right = readFileSync(join(rig.origin, file.path));
		const name = objectName(file.sha256);
		for (const wrong of [
			Buffer.from(right).fill(1, 40, 41),
			right.subarray(0, -1),
			Buffer.concat([right, right]),
			null,
		]) {
			if (wrong === null) await store.remove(name);
			else await store.write(name, new Blob([new Uint8Array(wrong)]), sha256Of(wrong), null);
			await puller.poll();
			assert.deepEqual(served(), [MONTHS[0]]);
			assert.deepEqual(contents(join(data, "snapshots")), before);
			assert.match(puller.notReady() ?? "", /2026-11 is live and is not here yet/);
		}
		assert.ok(
			lines.some((line) => line.includes("its digest is")),
			lines.join(""),
		);
		assert.ok(lines.some((line) => line.includes("404")));
		await store.write(name, new Blob([new Uint8Array(right)]), file.sha256, null);
		await puller.poll();
		assert.deepEqual(served(), [...MONTHS].reverse());
		assert.equal(puller.notReady(), null);
		assert.ok(index.revision > 0);
	});

	test("an interrupted pull is resumed", async () => {
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0, [MONTHS[1]]);
		const { data, puller, served } = rig.host(url);
		const { manifest: digest } = (await rig.indexOf(url)).months[MONTHS[1]];
		const manifest = await readStoredManifest(rig.open(url), digest);
		const largest = [...manifest.files].sort((a, b) => b.bytes - a.bytes)[0];
		const part = join(data, "pulls", `${MONTHS[1]}.${digest.slice(0, 16)}`, `${largest.path}.part`);
		mkdirSync(join(part, ".."), { recursive: true });
		writeFileSync(part, readFileSync(join(rig.origin, largest.path)).subarray(0, -10));
		await puller.poll();
		const total = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
		assert.equal(puller.state.pulledBytes, total - largest.bytes + 10);
		assert.deepEqual(served(), [MONTHS[1]]);
	});

	test("changes of the index at once are all kept, by conditions", async () => {
		const url = rig.freshUrl();
		await contend(rig.open(url));
	});

	test("objects that no index names are removed, and others stay", async () => {
		const url = rig.freshUrl();
		await rig.announceAt(url, 0);
		await rig.builder("withdraw", MONTHS[0], "--store", url);
		const kept = await rig.builder("gc", "--store", url, "--json");
		assert.deepEqual(JSON.parse(kept.stdout), { objects: 0, bytes: 0 }, "too young to go");
		const removed = await rig.builder("gc", "--older-than", "0", "--store", url, "--json");
		assert.ok((JSON.parse(removed.stdout) as { objects: number }).objects > 5, removed.stderr);
		const { puller, served } = rig.host(url);
		await puller.poll();
		assert.deepEqual(served(), [MONTHS[1]]);
	});

	test("credentials are in no message", async () => {
		const denied = await rig.builder("push", "--data", rig.origin, "--store", "s3://another-bucket/x");
		assert.equal(denied.code, 1);
		assert.match(denied.stderr, /^builder: s3:\/\/another-bucket\/x\/index.json: HTTP 40[34]/);
		const secret = rig.swift.environment.AWS_SECRET_ACCESS_KEY;
		assert.ok(!denied.stderr.includes(secret));
		const inAddress = await rig.builder(
			"pull",
			"--data",
			rig.origin,
			"--store",
			`s3://key:${secret}@bucket/x`,
		);
		assert.equal(inAddress.code, 2);
		assert.ok(!inAddress.stderr.includes(secret), inAddress.stderr);
		const { puller, lines } = rig.host("s3://another-bucket/x");
		await puller.poll();
		assert.match(lines.join(""), /another-bucket/);
		assert.ok(!lines.join("").includes(secret));
		assert.throws(() => openStore("s3://bucket/x", { AWS_SHARED_CREDENTIALS_FILE: "/nowhere" }), {
			name: "ObjectStoreError",
			message: /AWS_ACCESS_KEY_ID/,
		});
	});

	test("credentials are read from a profile of a file", async () => {
		const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, ...place } = rig.swift.environment;
		const file = join(rig.folder, "credentials");
		const [wrong, right] = ["nobody", id].map(
			(name) => `aws_access_key_id = ${name}\naws_secret_access_key=${secret}\n`,
		);
		writeFileSync(file, `[default]\n${wrong}\n[ rollcall ]\n${right}region = nowhere\n`);
		const url = await rig.stockedUrl();
		await rig.announceAt(url, 0);
		const read = (profile: object) => {
			const store = openStore(url, { ...place, AWS_SHARED_CREDENTIALS_FILE: file, ...profile });
			return store.read(INDEX_NAME, 1 << 20);
		};
		assert.ok((await read({ AWS_PROFILE: "rollcall" })) !== null);
		await assert.rejects(read({}), (error: ObjectStoreError) => {
			assert.match(error.message, /HTTP 403/);
			return !error.message.includes(secret);
		});
		assert.throws(() => read({ AWS_PROFILE: "other" }), {
			code: "missing_credentials",
			message: /profile other/,
		});
	});

	test("a pull keeps to its rate", async () => {
		const url = await rig.stockedUrl();
		const index = await rig.announceAt(url, 0, [MONTHS[1]]);
		const folder = join(rig.folder, "paced");
		mkdirSync(folder);
		const bytesPerSecond = 1 << 19;
		const begunMs = performance.now();
		const { pulledBytes } = await pullMonth(rig.open(url), index.months[MONTHS[1]].manifest, folder, {
			parallel: 4,
			bytesPerSecond,
			rowStore: true,
		});
		const leastMs = (1_000 * pulledBytes) / bytesPerSecond - 150;
		assert.ok(leastMs > 500, `${pulledBytes} bytes are enough to tell`);
		assert.ok(performance.now() - begunMs >= leastMs);
	});
});
