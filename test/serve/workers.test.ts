/** Threads on one port: one that dies is replaced, and the others are not affected. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_CLOCK } from "../../server/clock.js";
import { createLog } from "../../server/log.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";
import { openAccess } from "../../server/open-access.js";
import { serve } from "../../server/serve.js";
import { resolveConfig } from "../../server/settings/config.js";
import { WorkerPool } from "../../server/workers/pool.js";
import { endThreads, startThread } from "../../server/workers/start-thread.js";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { TRANSPORTS, type TransportName, whyNotShared } from "../http/transports.js";
import { keepAsking, limitlessKey } from "./server-process.js";

const FAILING = new URL("./failing-thread.js", import.meta.url);
const CLIENTS = 12;

async function startPool(t: TestContext, transport: TransportName) {
	const folder = await fixtureFolder();
	const key = await limitlessKey(folder);
	const port = await freePort();
	const flags = { data: folder, port, workers: 2, transport, log_level: "silent" };
	const { config } = resolveConfig({ flags, environment: {}, file: undefined });
	const access = openAccess({
		dataFolder: folder,
		clock: SYSTEM_CLOCK,
		onError: (error) => Promise.reject(error),
	});
	const log = createLog("silent");
	const publications = OpenedPublications.allocate(2);
	const pool = new WorkerPool({
		config,
		counters: access.counters,
		metrics: null,
		publications,
		startThread: () => startThread(FAILING),
		log,
		leases: null,
		uwsBinary: null,
	});
	await pool.listen();
	t.after(async () => {
		await pool.close(1_000);
		await access.close();
		rmSync(folder, { recursive: true, force: true });
	});
	return { pool, access, publications, port, key };
}

test("threads whose port is taken refuse it once, with the reason", {
	skip: whyNotShared("uws"),
}, async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const port = await freePort();
	// The admin server takes the port before the threads do.
	const flags = { data: folder, port, admin_port: port, workers: 2, transport: "uws" };
	const { config } = resolveConfig({ flags, environment: {}, file: undefined });
	await assert.rejects(serve(config, createLog("silent")), {
		name: "ListenError",
		message: `cannot listen on 127.0.0.1:${port}: the address is taken or not this machine's`,
	});
});

test("threads that are not needed end by themselves once they have loaded, not while they load", async () => {
	const threads = [startThread(), startThread()];
	const codes = threads.map((thread) => new Promise((resolve) => thread.once("exit", resolve)));
	await endThreads(threads);
	// A thread that is terminated ends with code 1.
	assert.deepEqual(await Promise.all(codes), [0, 0]);
	await endThreads(threads);
});

for (const transport of TRANSPORTS)
	for (const how of ["throw", "reject", "exit"] as const) {
		test(`a thread that ends by ${how} is replaced while the others serve on, over ${transport}`, {
			skip: whyNotShared(transport),
		}, async (t) => {
			const { pool, access, port, key } = await startPool(t, transport);
			let answered = 0;
			const load = keepAsking(
				t,
				{ port },
				key.text,
				CLIENTS,
				() => "/v1/licenses?limit=1",
				({ status }) => {
					assert.equal(status, 200);
					answered++;
				},
			);
			await delay(300);
			const [victim] = pool.threads;
			const died = new Promise((resolve) => victim.once("exit", resolve));
			victim.postMessage({ kind: "fail", how });
			await died;
			assert.equal(pool.ready, 1);
			const before = answered;
			await delay(100);
			assert.ok(answered > before, "the other thread serves on");
			while (pool.ready < 2) await delay(20);
			await delay(200);
			await load.stop();
			// Each client had one request under way at most, and only the dead thread's broke.
			assert.ok(load.broken.length <= CLIENTS, `${load.broken.length} requests broke`);
			await access.settle();
			const { total } = access.usage.usage(key.id, 2, Date.now());
			assert.ok(total >= answered && total <= answered + load.broken.length, `${total} of ${answered}`);
		});
	}

for (const transport of TRANSPORTS)
	test(`a publication is served when every thread has opened it, over ${transport}`, {
		skip: whyNotShared(transport),
	}, async (t) => {
		const { pool, publications } = await startPool(t, transport);
		const isServed = async (number: number) => {
			for (let i = 0; i < 250 && !publications.isServed(number); i++) await delay(20);
			return publications.isServed(number);
		};
		assert.ok(!publications.isServed(1), "each thread has stored what it has opened");
		const number = publications.publish();
		assert.ok(!publications.isServed(number), "no thread can have looked");
		assert.ok(await isServed(number));
		const [victim] = pool.threads;
		const died = new Promise((resolve) => victim.once("exit", resolve));
		victim.postMessage({ kind: "fail", how: "exit" });
		await died;
		const notServing = 0x7fff_ffff;
		assert.ok(
			new Int32Array(publications.buffer, 4).includes(notServing),
			"one that ended is not waited for",
		);
		assert.ok(await isServed(publications.publish()));
		while (pool.ready < 2) await delay(20);
		assert.ok(!publications.isServed(publications.newest + 1), "its replacement is");
	});
