/** The admin port: metrics summed over threads, liveness and readiness. */

import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { AccessLog } from "../../server/admin/access-log.js";
import type { Answered } from "../../server/api/observer.js";
import type { Log } from "../../server/log.js";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { Client, limitlessKey, ServerProcess } from "./server-process.js";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";

async function read(port: number, path: string) {
	const response = await fetch(`http://127.0.0.1:${port}${path}`);
	return { status: response.status, text: await response.text() };
}

function sample(metrics: string, name: string): number {
	const line = metrics.split("\n").find((text) => text.startsWith(`${name} `));
	assert.ok(line !== undefined, `${name} is told`);
	return Number(line.slice(name.length + 1));
}

test("metrics are summed over the workers, every answer is a line of the log, and readiness follows what can be served", async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const key = await limitlessKey(folder);
	const admin = await freePort();
	const flags = ["--workers", "2", "--admin-port", String(admin), "--access-log-share", "1"];
	const server = await ServerProcess.start(t, folder, ...flags);
	for (let i = 0; i < 20; i++) {
		// A new connection each time, so that both threads get some.
		const client = new Client(server.port, key.text);
		assert.equal((await client.get("/v1/licenses?limit=7")).status, 200);
		client.close();
	}
	const client = new Client(server.port, key.text);
	const headers = { authorization: `Bearer ${key.text}`, traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
	const traced = await fetch(`http://127.0.0.1:${server.port}/v1/licenses?limit=0`, { headers });
	assert.equal(traced.status, 400);
	assert.equal((await client.get("/nowhere")).status, 404);
	assert.equal((await client.get("/v1/health")).status, 200);
	client.close();
	const stranger = new Client(server.port, "nonsense");
	assert.equal((await stranger.get("/v1/me")).status, 401);
	stranger.close();
	// Threads publish these counts once a second.
	await delay(1_200);
	const { status, text } = await read(admin, "/metrics");
	assert.equal(status, 200);
	assert.equal(sample(text, 'rollcall_requests_total{endpoint="/v1/licenses",status="200"}'), 20);
	assert.equal(sample(text, 'rollcall_requests_total{endpoint="/v1/licenses",status="400"}'), 1);
	assert.equal(sample(text, 'rollcall_requests_total{endpoint="other",status="404"}'), 1);
	assert.equal(sample(text, 'rollcall_requests_total{endpoint="/v1/health",status="200"}'), 1);
	assert.equal(sample(text, "rollcall_rows_total"), 140);
	assert.equal(sample(text, "rollcall_engine_answers_total"), 20);
	assert.equal(sample(text, "rollcall_failed_keys_total"), 1);
	assert.equal(sample(text, "rollcall_throttled_keys_total"), 0);
	assert.ok(sample(text, "rollcall_engine_seconds_total") > 0);
	const duration = "rollcall_request_duration_seconds";
	assert.equal(sample(text, `${duration}_count{endpoint="/v1/licenses"}`), 21);
	assert.equal(sample(text, `${duration}_bucket{endpoint="/v1/licenses",le="+Inf"}`), 21);
	assert.equal(sample(text, 'rollcall_worker_snapshots{worker="1"}'), 3);
	assert.ok(sample(text, 'rollcall_worker_heap_bytes{worker="0"}') > 1_000_000);
	assert.ok(sample(text, "process_resident_memory_bytes") > 1_000_000);
	assert.match(text, /rollcall_snapshot_age_seconds\{snapshot="2026-11"\} -?\d/);
	assert.doesNotMatch(text, new RegExp(key.text));

	const answers = server.lines.filter(({ msg }) => msg === "answered");
	assert.equal(answers.length, 24, "one line for each of the requests above");
	const named = answers.filter(({ trace_id }) => trace_id !== undefined);
	assert.deepEqual(
		named.map(({ endpoint, status, requestId }) => [endpoint, status, requestId]),
		[["/v1/licenses", 400, traced.headers.get("x-request-id")]],
	);
	assert.deepEqual([named[0].trace_id, named[0].parent_id], [TRACE_ID, SPAN_ID]);

	assert.deepEqual(await read(admin, "/livez"), { status: 200, text: "ok\n" });
	assert.deepEqual(await read(admin, "/readyz"), { status: 200, text: "ok\n" });
	assert.equal((await read(admin, "/v1/licenses")).status, 404);
	renameSync(join(folder, "snapshots"), join(folder, "elsewhere"));
	let ready = await read(admin, "/readyz");
	for (let i = 0; i < 100 && ready.status === 200; i++) {
		await delay(50);
		ready = await read(admin, "/readyz");
	}
	assert.deepEqual(ready, { status: 503, text: "no snapshot is open\n" });
	assert.equal((await read(admin, "/livez")).status, 200);
	assert.equal(await server.end("SIGTERM"), 0);
});

test("a host that may lack a live month is not ready, but serves where no other host could", async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const admin = await freePort();
	// Nothing answers at port 1, so this host never learns which months are live.
	const flags = [
		"--workers",
		"1",
		"--admin-port",
		String(admin),
		"--months-from",
		"https://127.0.0.1:1/months",
	];
	await ServerProcess.start(t, folder, "--no-supervise", "--verify-mib-s", "0", ...flags);
	const ready = await read(admin, "/readyz");
	assert.equal(ready.status, 503);
	assert.match(ready.text, /^the object store's index has not been read yet\n/);
	assert.equal((await read(admin, "/readyz?behind")).status, 200);
	const keysFault = async () => sample((await read(admin, "/metrics")).text, "rollcall_keys_fault");
	assert.equal(await keysFault(), 0);
	renameSync(join(folder, "keys"), join(folder, "keys-elsewhere"));
	assert.match((await read(admin, "/readyz")).text, /^the database of keys was moved or replaced/);
	assert.equal((await read(admin, "/readyz?behind")).status, 200, "known keys are served");
	assert.equal(await keysFault(), 1);
	renameSync(join(folder, "snapshots"), join(folder, "elsewhere"));
	let behind = await read(admin, "/readyz?behind");
	for (let i = 0; i < 200 && behind.status === 200; i++) {
		await delay(50);
		behind = await read(admin, "/readyz?behind");
	}
	assert.equal(behind.status, 503);
});

test("the access log takes a sample and contains neither query nor key", () => {
	const lines: unknown[] = [];
	const log = { info: (...line: unknown[]) => lines.push(line) } as unknown as Log;
	const draws = [0.9, 0.1, 0.5];
	const access = new AccessLog(log, 0.5, () => draws.shift() ?? 1);
	const answered: Answered = {
		endpoint: "/v1/licenses",
		method: "GET",
		status: 200,
		ms: 0.123456,
		bytes: 72,
		requestId: "a-1",
		trace: null,
	};
	for (let i = 0; i < 3; i++) access.answered(answered);
	assert.deepEqual(lines, [
		[
			{ requestId: "a-1", method: "GET", endpoint: "/v1/licenses", status: 200, ms: 0.123, bytes: 72 },
			"answered",
		],
	]);
});

test("the access log names the trace of a request that has one", () => {
	const lines: Record<string, unknown>[] = [];
	const log = { info: (fields: Record<string, unknown>) => lines.push(fields) } as unknown as Log;
	const trace = { traceId: TRACE_ID, spanId: SPAN_ID, flags: 1 };
	const answered = {
		endpoint: "/v1/me",
		method: "GET",
		status: 200,
		ms: 1,
		bytes: 2,
		requestId: "a-2",
	} as const;
	new AccessLog(log, 1).answered({ ...answered, trace });
	assert.equal(lines[0].trace_id, trace.traceId);
	assert.equal(lines[0].parent_id, trace.spanId);
});
