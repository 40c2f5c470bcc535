/**
 * Damaged months are found beside the service and taken out of it, by every thread; the others are
 * served, the operator is notified, and a repaired month is served again.
 */

import assert from "node:assert/strict";
import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { restoreMonth, retireMonth } from "../../builder/months/retire.js";
import { snapshotFolder } from "../../formats/index.js";
import { MonthWatch } from "../../server/scrubbing/month-watch.js";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { Client, limitlessKey, ServerProcess } from "./server-process.js";

const WITHIN_MS = 8_000;
const NEWEST = "2026-11";

async function dataFolder(t: TestContext): Promise<string> {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Flips one bit in the middle of a file's last section. Gives back what mends it. */
function flipBit(path: string): () => void {
	const sound = readFileSync(path);
	const damaged = Buffer.from(sound);
	damaged[damaged.length - 8] ^= 1;
	writeFileSync(path, damaged);
	return () => writeFileSync(path, sound);
}

/** Looks and reads until there is nothing more to read. */
function settle(watch: MonthWatch): ReturnType<MonthWatch["report"]> {
	watch.look();
	for (let read = true; read; ) {
		read = false;
		for (const bytes of watch.readOne()) read = bytes > 0;
	}
	return watch.report();
}

function watchOf(folder: string): MonthWatch {
	return new MonthWatch(folder, Buffer.alloc(4096));
}

test("sound months are reported as sound, and only once every byte was read", async (t) => {
	const folder = await dataFolder(t);
	const watch = watchOf(folder);
	watch.look();
	assert.deepEqual(watch.report(), { quarantined: [], sound: [] });
	assert.deepEqual(settle(watch), { quarantined: [], sound: ["2026-09", "2026-10", NEWEST] });
});

test("a month retired while it is read is not reported as damaged, and is read again when it is restored", async (t) => {
	const folder = await dataFolder(t);
	const watch = watchOf(folder);
	watch.look();
	const reading = watch.readOne();
	assert.ok(Number(reading.next().value) > 0);
	retireMonth(folder, NEWEST);
	while (reading.next().done !== true);
	assert.deepEqual(watch.report().quarantined, []);
	restoreMonth(folder, NEWEST);
	assert.deepEqual(settle(watch), { quarantined: [], sound: ["2026-09", "2026-10", NEWEST] });
});

test("damage to columns, indexes, statistics, rows and catalogs is found, and its repair", async (t) => {
	const folder = await dataFolder(t);
	const watch = watchOf(folder);
	const month = snapshotFolder(folder, NEWEST);
	const files = [
		"member_city.col",
		"office_name.idx",
		"stats.msgpack",
		"rows/000.row",
		"catalog",
		"rows/catalog",
	];
	for (const name of files) {
		const mend = flipBit(join(month, name));
		const { quarantined, sound } = settle(watch);
		assert.deepEqual(
			quarantined.map((quarantine) => [quarantine.month, quarantine.path]),
			[[NEWEST, join(month, name)]],
		);
		assert.deepEqual(sound, ["2026-09", "2026-10"]);
		mend();
		// Quarantined until it is read and found sound.
		watch.look();
		if (!name.endsWith("catalog")) assert.equal(watch.report().quarantined.length, 1);
		assert.deepEqual(settle(watch).quarantined, []);
	}
});

test("a truncated file is found by its size alone, and a missing one", async (t) => {
	const folder = await dataFolder(t);
	const watch = watchOf(folder);
	const path = join(snapshotFolder(folder, NEWEST), "member_address.col");
	const sound = readFileSync(path);
	truncateSync(path, sound.length - 1);
	watch.look();
	assert.deepEqual(
		watch.report().quarantined.map(({ code }) => code),
		["truncated"],
	);
	rmSync(path);
	watch.look();
	assert.deepEqual(
		watch.report().quarantined.map(({ code }) => code),
		["unreadable"],
	);
	writeFileSync(path, sound);
	assert.deepEqual(settle(watch).quarantined, []);
});

test("a folder renamed to another month is quarantined, and sound under its own name", async (t) => {
	const folder = await dataFolder(t);
	const watch = watchOf(folder);
	const [own, other] = [snapshotFolder(folder, NEWEST), snapshotFolder(folder, "2026-12")];
	renameSync(own, other);
	assert.deepEqual(
		settle(watch).quarantined.map(({ month, code, path }) => [month, code, path]),
		[["2026-12", "wrong_file", join(other, "catalog")]],
	);
	renameSync(other, own);
	assert.deepEqual(settle(watch), { quarantined: [], sound: ["2026-09", "2026-10", NEWEST] });
});

test("a month published again is verified again, and a retired one is forgotten", async (t) => {
	const folder = await dataFolder(t);
	const watch = watchOf(folder);
	const month = snapshotFolder(folder, NEWEST);
	cpSync(month, join(folder, "kept"), { recursive: true });
	flipBit(join(month, "member_city.col"));
	assert.equal(settle(watch).quarantined.length, 1);
	renameSync(month, join(folder, "damaged"));
	assert.deepEqual(settle(watch), { quarantined: [], sound: ["2026-09", "2026-10"] });
	renameSync(join(folder, "kept"), month);
	watch.look();
	assert.deepEqual(watch.report().quarantined, []);
	assert.deepEqual(settle(watch).sound, ["2026-09", "2026-10", NEWEST]);
});

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
	const endMs = performance.now() + WITHIN_MS;
	while (!(await holds())) {
		assert.ok(performance.now() < endMs, `not within ${WITHIN_MS} ms: ${what}`);
		await delay(50);
	}
}

test("a month damaged under the server is quarantined by every thread without a crash, reported, and served again once repaired", async (t) => {
	const folder = await dataFolder(t);
	const key = await limitlessKey(folder);
	const admin = await freePort();
	const server = await ServerProcess.start(t, folder, "--workers", "2", "--admin-port", String(admin));
	const text = async (path: string) => (await fetch(`http://127.0.0.1:${admin}${path}`)).text();
	/** Whether several new connections, which meet both threads, all have `month` as the latest. */
	const latestIs = async (month: string) => {
		for (let i = 0; i < 8; i++) {
			const client = new Client(server.port, key.text);
			const { body } = await client.get("/v1/licenses?limit=1&fields=snapshot");
			client.close();
			if (!body.includes(`"snapshot":"${month}"`)) return false;
		}
		return true;
	};
	await until("all months are verified", async () =>
		(await text("/metrics")).includes(`rollcall_snapshot_sound{snapshot="${NEWEST}"} 1`),
	);
	const mend = flipBit(join(snapshotFolder(folder, NEWEST), "member_city.col"));
	await until("the month before is the latest", () => latestIs("2026-10"));
	const ready = await fetch(`http://127.0.0.1:${admin}/readyz`);
	assert.equal(ready.status, 200);
	assert.match(
		await ready.text(),
		/^ok\nquarantined: 2026-11, member_city\.col, checksum_mismatch: section /,
	);
	assert.match(await text("/metrics"), /^rollcall_snapshots_fenced 1$/m);
	const headers = { Accept: "application/json" };
	const state = (await (await fetch(`http://127.0.0.1:${admin}/console/state`, { headers })).json()) as {
		quarantined: { month: string; code: string }[];
	};
	assert.deepEqual(
		state.quarantined.map(({ month, code }) => [month, code]),
		[[NEWEST, "checksum_mismatch"]],
		"the console shows it",
	);
	const client = new Client(server.port, key.text);
	assert.equal((await client.get(`/v1/licenses?snapshot=${NEWEST}`)).status, 404);
	assert.doesNotMatch((await client.get("/v1/snapshots")).body, /2026-11/);
	mend();
	await until("the month is served again", () => latestIs(NEWEST));
	// Cut short and not touched since: found before a question meets it.
	truncateSync(join(snapshotFolder(folder, "2026-09"), "member_address.col"), 64);
	await until("the oldest month is quarantined", async () =>
		(await text("/readyz")).includes("quarantined: 2026-09, member_address.col, truncated"),
	);
	assert.doesNotMatch((await client.get("/v1/snapshots")).body, /2026-09/);
	client.close();
	assert.ok(server.lines.every((line) => !line.msg.includes("died")));
	assert.ok(server.lines.some((line) => line.msg === "month is damaged and quarantined"));
	assert.equal(await server.end("SIGTERM"), 0);
});
