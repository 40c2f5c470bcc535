/** What was counted over HTTP survives: all of it a SIGTERM, nearly all of it a kill. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Store } from "../../server/store/store.js";
import { fixtureFolder } from "../http/served.js";
import { keepAsking, limitlessKey, ServerProcess } from "./server-process.js";

/** What a killed server may lose, in milliseconds of its counting. */
const LOSS_MS_MAX = 250;
const CLIENTS = 8;
const LOAD_MS = 1_500;

/** Sends requests until the server is ended by `signal`. Returns when each answer arrived, and what is stored. */
async function countThenEnd(t: TestContext, signal: NodeJS.Signals) {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const key = await limitlessKey(folder);
	const server = await ServerProcess.start(t, folder, "--workers", "2", "--log-level", "error");
	const answeredAtMs: number[] = [];
	const load = keepAsking(
		t,
		server,
		key.text,
		CLIENTS,
		() => "/v1/licenses?limit=1",
		(reply) => {
			assert.equal(reply.status, 200);
			answeredAtMs.push(performance.now());
		},
	);
	await delay(LOAD_MS);
	const code = await server.end(signal);
	const endedAtMs = performance.now();
	await load.stop();
	const store = Store.open({ dataFolder: folder, create: false });
	const counter = store.counter(key.id);
	await store.close();
	assert.ok(counter !== null);
	return { code, answeredAtMs, endedAtMs, stored: counter.month.count };
}

test("after SIGTERM every answered request is counted", async (t) => {
	const { code, answeredAtMs, stored } = await countThenEnd(t, "SIGTERM");
	t.diagnostic(`answered ${answeredAtMs.length}, stored ${stored}`);
	assert.equal(code, 0);
	assert.ok(answeredAtMs.length > 100);
	// A client may lose the answer to a request that was counted as the server closed.
	assert.ok(stored >= answeredAtMs.length && stored <= answeredAtMs.length + CLIENTS);
});

test("after kill -9 at most 250 ms of answered requests are not counted", async (t) => {
	const { answeredAtMs, stored } = await countThenEnd(t, "SIGKILL");
	const last = answeredAtMs.at(-1) ?? 0;
	const durable = answeredAtMs.filter((atMs) => atMs <= last - LOSS_MS_MAX).length;
	t.diagnostic(
		`answered ${answeredAtMs.length}, stored ${stored}, ${LOSS_MS_MAX} ms before the end ${durable}`,
	);
	assert.ok(durable > 100);
	assert.ok(stored >= durable, `${stored} of ${durable} are stored`);
	assert.ok(stored <= answeredAtMs.length + CLIENTS);
});
