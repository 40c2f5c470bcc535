/**
 * Many connections that have asked once and then keep quiet: each costs little memory, those who ask
 * are served as if alone, and the server closes them when they have been silent for long.
 */

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { transportsHere } from "../http/transports.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { largeMonthFolder } from "../serve/large-month.js";
import { limitlessKey, ServerProcess } from "../serve/server-process.js";
import { AskingConnection, headRequest } from "./load/asking-connection.js";
import { askEvery, percentile, tellTimes } from "./load/probe.js";

const CONNECTIONS = Math.min(fuzzRuns(1_000), 20_000);
/** At once while they are opened: the queue of unaccepted connections is this long by default. */
const OPENING = 200;
const PROBE_MS = 3_000;
/** Ten seconds of silence, and some for how often it is looked at. */
const CLOSED_MS_MAX = 16_000;
/** Files of a process besides connections. */
const OTHER_FILES = 200;

/** How many files a process may have open; node raises its own limit to the hard one. */
function filesMax(): number {
	return Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
}

/** Opens connections that send one request. Rejects if one is not served. */
async function openIdle(port: number, key: string): Promise<AskingConnection[]> {
	const open: AskingConnection[] = [];
	const request = headRequest("/v1/licenses?limit=10", key);
	const work = async () => {
		while (open.length < CONNECTIONS) {
			const connection = new AskingConnection(port);
			open.push(connection);
			const status = await new Promise((resolve) => connection.ask(request, (a) => resolve(a.status)));
			assert.equal(status, 200);
		}
	};
	await Promise.all(Array.from({ length: OPENING }, work));
	return open;
}

for (const transport of transportsHere("idle connections")) {
	const skip =
		process.platform === "linux" && filesMax() < CONNECTIONS + OTHER_FILES
			? `a process may open ${filesMax()} files here (ulimit -Hn)`
			: process.platform !== "linux" && "memory and limits are read from /proc";
	test(`idle connections cost little and hold nobody up, over ${transport}`, { skip }, async (t) => {
		const folder = await largeMonthFolder();
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		const key = (await limitlessKey(folder)).text;
		const server = await ServerProcess.start(t, folder, "--transport", transport, "--workers", "1");
		const failures: string[] = [];
		const ask = () => askEvery(server.port, key, "/v1/licenses?limit=10", 5, (what) => failures.push(what));
		const alone = ask();
		await delay(PROBE_MS);
		const aloneTimes = await alone.stop();
		const before = server.residentBytes();
		const connections = await openIdle(server.port, key);
		assert.equal(connections.filter((c) => c.closed).length, 0, "all are open at once");
		const bytes = (server.residentBytes() - before) / CONNECTIONS;
		const among = ask();
		await delay(PROBE_MS);
		const amongTimes = await among.stop();
		t.diagnostic(
			`${transport}: ${connections.length} idle connections, ${(bytes / 1024).toFixed(1)} KiB each; ` +
				`alone ${tellTimes(aloneTimes)}; among them ${tellTimes(amongTimes)}`,
		);
		assert.deepEqual(failures, []);
		assert.ok(bytes < 64 * 1024, `${bytes} bytes a connection`);
		assert.ok(percentile(amongTimes, 0.99) < 100, tellTimes(amongTimes));
		const end = performance.now() + CLOSED_MS_MAX;
		while (connections.some((c) => !c.closed) && performance.now() < end) await delay(100);
		assert.equal(connections.filter((c) => !c.closed).length, 0, "all are closed in the end");
		assert.equal(await server.end("SIGTERM"), 0);
	});
}
