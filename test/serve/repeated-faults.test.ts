/** A fault that lasts does not fill the log, however often the work is retried. */

import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "../../server/log.js";
import { RepeatedFaults } from "../../server/repeated-faults.js";
import { fixtureFolder } from "../http/served.js";
import { ServerProcess } from "./server-process.js";

interface Line {
	readonly msg: string;
	readonly err: { readonly message: string };
	readonly omitted?: number;
}

function faults() {
	const lines: Line[] = [];
	const time = { ms: 0 };
	const log = createLog("info", { write: (line) => lines.push(JSON.parse(line)) });
	return { lines, time, faults: new RepeatedFaults(log, "flushing failed", () => time.ms) };
}

test("a fault is logged when it first occurs and once a minute while it lasts, with the number omitted", () => {
	const { lines, time, faults: repeated } = faults();
	for (; time.ms < 120_000; time.ms += 150) repeated.report(new Error("no room"));
	assert.deepEqual(
		lines.map(({ msg, err, omitted }) => [msg, err.message, omitted]),
		[
			["flushing failed", "no room", undefined],
			["flushing failed", "no room", 399],
		],
	);
});

test("another fault is logged at once, but no more than 64 in a minute", () => {
	const { lines, time, faults: repeated } = faults();
	for (let i = 0; i < 1000; i++) repeated.report(new Error(`key ${i}`));
	assert.equal(lines.length, 64);
	time.ms = 60_000;
	repeated.report(new Error("no room"));
	assert.equal(lines[64].err.message, "no room");
	assert.equal(lines[64].omitted, 936);
});

test("a folder of months that cannot be read is logged once", { timeout: 60_000 }, async (t) => {
	const data = await fixtureFolder();
	const server = await ServerProcess.start(t, data, "--no-supervise", "--workers", "1");
	renameSync(join(data, "snapshots"), join(data, "elsewhere"));
	writeFileSync(join(data, "snapshots"), "");
	await sleep(2_000);
	assert.equal(await server.end("SIGTERM"), 0);
	const found = server.lines.filter(({ err }) => (err as { code?: string } | undefined)?.code === "ENOTDIR");
	assert.deepEqual(
		found.map(({ msg }) => msg).filter((msg) => msg.startsWith("looking for")),
		["looking for published snapshots, or preparing them, failed"],
	);
});
