/** Durability of counts: all of them when a process exits, nearly all when it is killed. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { SYSTEM_CLOCK } from "../../server/clock.js";
import { openAccess } from "../../server/open-access.js";
import { Store } from "../../server/store/store.js";
import { addKey, scratchFolder } from "../keys/scratch.js";

const COUNTING = fileURLToPath(new URL("./counting-process.js", import.meta.url));
const FILLING = fileURLToPath(new URL("./filling-process.js", import.meta.url));
const JOINING = fileURLToPath(new URL("./joining-worker.js", import.meta.url));

/** Most counting time that a killed process may lose, in milliseconds. */
const LOSS_MS_MAX = 250;

interface Counted {
	readonly count: number;
	readonly atMs: number;
}

interface Counting {
	readonly dataFolder: string;
	readonly keyId: string;
	readonly child: ChildProcess;
	/** Requests that the process has acknowledged so far. */
	readonly acknowledged: Counted[];
}

/** Starts a process that counts on a key without limits, and waits until it has begun. */
async function startCounting(t: TestContext): Promise<Counting> {
	const dataFolder = scratchFolder(t);
	const store = Store.open({ dataFolder, create: true });
	const none = { per_minute: 1_000_000_000, per_day: null, monthly_quota: 1_000_000_000 };
	const { record, text } = await addKey(store, { rate_limits: none }, Date.now());
	await store.close();
	const child = spawn(process.execPath, [COUNTING, dataFolder, text], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => child.kill("SIGKILL"));
	const acknowledged: Counted[] = [];
	let rest = "";
	child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			const [count, atMs] = line.split(" ").map(Number);
			acknowledged.push({ count, atMs });
		}
	});
	while (acknowledged.length < 300) await delay(10);
	return { dataFolder, keyId: record.id, child, acknowledged };
}

async function end({ child }: Counting, signal: NodeJS.Signals): Promise<void> {
	child.kill(signal);
	await once(child, "close");
}

function stored({ dataFolder, keyId }: Counting) {
	const store = Store.open({ dataFolder, create: false });
	const counter = store.counter(keyId);
	assert.ok(counter !== null);
	const usage = store.usage(keyId, counter.day.window).reduce((sum, count) => sum + count, 0);
	return { store, day: counter.day.count, month: counter.month.count, usage };
}

test("after kill -9 at most 250 ms of counts are lost, and none is added", async (t) => {
	const counting = await startCounting(t);
	await end(counting, "SIGKILL");
	const last = counting.acknowledged.at(-1);
	assert.ok(last !== undefined);
	const durable = counting.acknowledged.filter((a) => a.atMs <= last.atMs - LOSS_MS_MAX).at(-1);
	assert.ok(durable !== undefined && durable.count > 1_000);
	const { store, day, month, usage } = stored(counting);
	t.diagnostic(`acknowledged ${last.count}, stored ${month}, ${LOSS_MS_MAX} ms before ${durable.count}`);
	assert.ok(month >= durable.count, `${month} of ${durable.count} are stored`);
	// One turn may be counted and not yet acknowledged.
	assert.ok(month <= last.count + 20);
	assert.equal(usage, month);
	assert.ok(day <= month);
	await store.close();
});

test("after SIGTERM nothing is lost", async (t) => {
	const counting = await startCounting(t);
	await end(counting, "SIGTERM");
	const { store, month, usage } = stored(counting);
	assert.equal(counting.child.exitCode, 0);
	assert.equal(month, counting.acknowledged.at(-1)?.count);
	assert.equal(usage, month);
	await store.close();
});

test("on a full disk changes are refused, counting continues, and the process lives", async (t) => {
	const dataFolder = scratchFolder(t);
	// A limit on file size stands in for a full disk: 800 blocks of 512 or 1,024 bytes.
	const command = `trap '' XFSZ; ulimit -f 800; exec "${process.execPath}" "${FILLING}" "${dataFolder}"`;
	const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], {
		encoding: "utf8",
		timeout: 30_000,
	});
	assert.equal(status, 0, stderr);
	const { created, listed, allowed, failures } = JSON.parse(stdout);
	assert.ok(created > 10);
	assert.equal(listed, created);
	assert.equal(allowed, true);
	assert.deepEqual([...new Set(failures)], ["write_failed"]);
	const store = Store.open({ dataFolder, create: false });
	assert.equal(store.keys().length, created);
	assert.equal(store.generation(), created);
	await store.close();
});

test("no count of a terminated worker thread is lost, and another replaces it", async (t) => {
	const dataFolder = scratchFolder(t);
	const errors: unknown[] = [];
	const access = openAccess({ dataFolder, clock: SYSTEM_CLOCK, onError: (error) => errors.push(error) });
	const store = Store.open({ dataFolder, create: false });
	const { record, text } = await addKey(store, { tier: "enterprise" }, Date.now());
	let counted = 0;
	for (const ending of ["terminate", "throw", "exit"]) {
		const worker = new Worker(JOINING, {
			workerData: { dataFolder, counters: access.counters, text, ending },
		});
		worker.on("error", (error) => assert.match(error.message, /as told/));
		const exited = new Promise((resolve) => worker.once("exit", resolve));
		const [requests] = await once(worker, "message");
		counted += requests;
		if (ending === "terminate") await worker.terminate();
		await exited;
	}
	assert.equal(counted, 300);
	await access.settle();
	// Two days, since the test may run across midnight.
	assert.equal(access.usage.usage(record.id, 2, Date.now()).total, counted);
	assert.deepEqual(errors, []);
	await store.close();
	await access.close();
});
