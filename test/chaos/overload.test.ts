/**
 * Twice as many requests as the server can answer: some are shed at once with 503 and Retry-After,
 * the others are answered in bounded time, and when the flood ends the server is its old self within
 * a second.
 */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { COLUMNS } from "../../formats/index.js";
import { transportsHere } from "../http/transports.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { largeMonthFolder } from "../serve/large-month.js";
import { Client, limitlessKey, ServerProcess } from "../serve/server-process.js";
import { headRequest } from "./load/asking-connection.js";
import { closedLoopRate, openLoop } from "./load/open-loop.js";
import { tellTimes } from "./load/probe.js";

/** Seconds of overload. */
const SECONDS = Math.min(fuzzRuns(2), 60);
const ON_REQUEST = process.env.ROLLCALL_FUZZ_RUNS !== undefined;
/** The default on request; in the tests less, so that they need fewer connections. */
const SHED_AFTER_MS = ON_REQUEST ? 1_000 : 250;
const FACTOR = 2;
const CAPACITY_CLIENTS = 32;
/**
 * How long requests that come in this time wait over connections that are open, longer than those that are shed: the
 * server does not see those that wait for a connection in the system's queue.
 */
const WAITING_MS = 2 * SHED_AFTER_MS;
/** Connections that are there when the load begins, as those of a proxy are, at least. */
const CONNECTIONS = ON_REQUEST ? 1_500 : 600;
const USUAL_MS = 50;
const RECOVERY_MS_MAX = 1_000;
/** Sorts, renders a thousand rows from their columns, and sends none: dear to the server, cheap to who asks. */
const FIELDS = COLUMNS.map(({ name }) => name).slice(1);
const PATH = `/v1/licenses?limit=1000&sort=office_name,member_license_status,member_first_name&format=csv&fields=${FIELDS}`;

/** Milliseconds until a request on a new connection is answered as if nothing had been. */
async function recovery(port: number, key: string): Promise<number> {
	const begun = performance.now();
	for (;;) {
		const client = new Client(port, key);
		const asked = performance.now();
		const { status } = await client.get("/v1/me");
		client.close();
		if (status === 200 && performance.now() - asked < USUAL_MS) return performance.now() - begun;
		assert.ok(performance.now() - begun < 10 * RECOVERY_MS_MAX, "the server recovers");
	}
}

for (const transport of transportsHere("overload")) {
	test(`twice the load it can bear is shed in part and answered in time, over ${transport}`, async (t) => {
		const folder = await largeMonthFolder();
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		const key = (await limitlessKey(folder)).text;
		// Cached responses would cost the server as little as the client.
		const anew = ["--answer-cache-mib", "0"];
		const flags = [
			"--transport",
			transport,
			"--workers",
			"1",
			"--shed-after-ms",
			String(SHED_AFTER_MS),
			...anew,
		];
		const server = await ServerProcess.start(t, folder, ...flags);
		const request = headRequest(PATH, key);
		await closedLoopRate(server.port, request, CAPACITY_CLIENTS, 0.5);
		let capacity = await closedLoopRate(server.port, request, CAPACITY_CLIENTS, ON_REQUEST ? 3 : 1);
		const flood = () =>
			openLoop(server.port, {
				request,
				rate: FACTOR * capacity,
				seconds: SECONDS,
				connections: Math.max(CONNECTIONS, Math.ceil((FACTOR * capacity * WAITING_MS) / 1_000)),
			});
		let load = await flood();
		// Beside other work less is measured than is borne.
		if (load.shed.length === 0) {
			capacity *= FACTOR;
			load = await flood();
		}
		const rate = FACTOR * capacity;
		const { served, shed, failures, connections } = load;
		const recoveredMs = await recovery(server.port, key);
		t.diagnostic(
			`${transport}: ${capacity.toFixed(0)} requests/s bearable, ${rate.toFixed(0)} sent for ${SECONDS} s over ${connections} connections: ` +
				`${served.length} served (${tellTimes(served)}), ${shed.length} shed (${tellTimes(shed)}), ${failures.length} failed; ` +
				`as usual ${recoveredMs.toFixed(0)} ms after the last answer`,
		);
		assert.deepEqual(failures.slice(0, 5), []);
		assert.ok(shed.length > 0, "some are shed");
		assert.ok(served.length > 0.2 * capacity * SECONDS, "what can be served is");
		// What the clients of a server that is busy and no more than that wait.
		const usualWaitMs = (1_000 * CAPACITY_CLIENTS) / capacity;
		assert.ok((served.at(-1) ?? 0) < 4 * SHED_AFTER_MS + 20 * usualWaitMs, tellTimes(served));
		assert.ok(served[served.length >> 1] < 2 * SHED_AFTER_MS + 5 * usualWaitMs, tellTimes(served));
		assert.ok(recoveredMs < RECOVERY_MS_MAX, `${recoveredMs} ms`);
		assert.equal(await server.end("SIGTERM"), 0);
	});
}
