/** The worker pool: every task is answered, errors keep their type, and a thread that dies ends the build. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { ChunkRequest } from "../../builder/csv/chunk-messages.js";
import { parseMonth } from "../../builder/csv/index.js";
import { BuildError } from "../../builder/errors.js";
import { INLINE_BYTES_MAX, openPool } from "../../builder/open-pool.js";
import type { BuilderTasks } from "../../builder/tasks.js";
import { InlinePool } from "../../builder/workers/inline-pool.js";
import { errorFromData, errorToData } from "../../builder/workers/messages.js";
import { WorkerPool } from "../../builder/workers/pool.js";
import type { TaskPool } from "../../builder/workers/task-pool.js";
import { FormatError, InvariantError } from "../../formats/index.js";

const CSV = "TX,1\n";

function request(overrides: Partial<ChunkRequest>): ChunkRequest {
	const buffer = new SharedArrayBuffer(CSV.length);
	new Uint8Array(buffer).set(Buffer.from(CSV));
	return {
		session: 1,
		plan: {
			source: 0,
			delimiter: 44,
			fields: 2,
			fieldsMin: 2,
			names: ["state", "member_state_license_number"],
			targets: [
				{ column: "state", field: 0 },
				{ column: "member_state_license_number", field: 1 },
			],
			constants: [],
			nulls: [],
			dateFormats: [],
			virtualFields: 0,
			steps: [],
			quotes: true,
			skipMatching: null,
			invalidDates: "reject",
		},
		sampleSeed: 0,
		buffer,
		bytes: CSV.length,
		held: CSV.length,
		final: true,
		start: 0,
		...overrides,
	};
}

test("every task is answered, on the worker requested if any", async () => {
	const pool = new WorkerPool<BuilderTasks>(3);
	const replies = await Promise.all(Array.from({ length: 50 }, () => pool.run("parse-chunk", request({}))));
	assert.ok(replies.every((reply) => reply.outcome === "parsed" && reply.part.rows === 1));
	for (const worker of [0, 1, 2, 1]) {
		const told = await pool.runWithWorker("parse-chunk", request({ session: 2 }), { worker });
		assert.equal(told.worker, worker);
	}
	await pool.close();
});

test("a task that throws fails alone, and its thread continues", async () => {
	const pool = new WorkerPool<BuilderTasks>(1);
	const failing = pool.run("parse-chunk", request({ held: 1000 }));
	const fine = pool.run("parse-chunk", request({}));
	await assert.rejects(failing, (error: unknown) => {
		assert.ok(error instanceof BuildError && error.code === "worker_failed", String(error));
		assert.match(error.message, /RangeError/);
		return true;
	});
	assert.equal((await fine).outcome, "parsed");
	await pool.close();
});

test("an urgent task precedes those that wait", async () => {
	const pool = new WorkerPool<BuilderTasks>(1);
	const order: string[] = [];
	const run = async (name: string, urgent: boolean) => {
		await pool.run("parse-chunk", request({}), { urgent });
		order.push(name);
	};
	await Promise.all([run("first", false), run("second", false), run("urgent", true)]);
	assert.deepEqual(order, ["first", "urgent", "second"]);
	await pool.close();
});

test("errors keep their type across threads", () => {
	const build = new BuildError("missing_column", "it is missing", {
		file: "a.csv",
		line: 3,
		column: "state",
	});
	const format = new FormatError("truncated", "/x/y", "expected 3 bytes, got 2");
	for (const error of [build, format]) {
		const back = errorFromData(structuredClone(errorToData(error)));
		assert.deepEqual(back, error);
		assert.equal(back.message, error.message);
		assert.equal(back.constructor, error.constructor);
	}
	const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
	const told = errorFromData(structuredClone(errorToData(Object.assign(full, { syscall: "write" }))));
	assert.ok(!(told instanceof BuildError));
	const { code, syscall } = told as NodeJS.ErrnoException;
	assert.deepEqual([code, syscall], ["ENOSPC", "write"], "what the disk says is told as elsewhere");
	const broken = errorFromData(errorToData(new InvariantError("one is two")));
	assert.ok(broken instanceof BuildError && broken.code === "worker_failed");
	assert.match(broken.message, /one is two/);
});

test("a thread that dies fails its task, waiting tasks and later ones", async () => {
	const pool = new WorkerPool<BuilderTasks>(1);
	// A task that takes far longer than the thread lives.
	const held = 64 << 20;
	const buffer = new SharedArrayBuffer(held);
	new Uint8Array(buffer).fill(10);
	const tasks = [
		pool.run("parse-chunk", request({ buffer, bytes: held, held })),
		pool.run("parse-chunk", request({})),
	];
	const [{ thread }] = Reflect.get(pool, "workers") as { thread: Worker }[];
	await thread.terminate();
	const outcomes = await Promise.allSettled([...tasks, pool.run("parse-chunk", request({}))]);
	for (const outcome of outcomes) {
		assert.equal(outcome.status, "rejected");
		if (outcome.status === "rejected") assert.equal((outcome.reason as BuildError).code, "worker_failed");
	}
	await pool.close();
});

test("a closed pool refuses tasks", async () => {
	const pool = new WorkerPool<BuilderTasks>(1);
	await pool.close();
	await assert.rejects(pool.run("parse-chunk", request({})), { code: "worker_failed" });
});

test("tasks of little work run in the calling thread, with the outcomes of a worker thread", async () => {
	assert.ok(openPool(null, INLINE_BYTES_MAX) instanceof InlinePool);
	assert.ok(openPool(null, INLINE_BYTES_MAX + 1) instanceof WorkerPool);
	assert.ok(openPool(null, Number.POSITIVE_INFINITY) instanceof WorkerPool);
	assert.ok(openPool(1, 0) instanceof WorkerPool, "threads that are asked for are started");
	const [here, thread] = [openPool(null, 0), new WorkerPool<BuilderTasks>(1)];
	const outcome = async (pool: TaskPool<BuilderTasks>, input: ChunkRequest) =>
		await pool
			.runWithWorker("parse-chunk", input)
			.catch((error: Error) => [error.constructor, error.message]);
	for (const input of [request({}), request({ held: 1000 })])
		assert.deepEqual(await outcome(here, input), await outcome(thread, input));
	await here.close();
	await assert.rejects(here.run("parse-chunk", request({})), { code: "worker_failed" });
	await thread.close();
});

test("a parse that fails leaves no dictionary in the thread that ran it", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-pool-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const [good, bad] = [join(folder, "good.csv"), join(folder, "bad.csv")];
	writeFileSync(good, `state,member_state_license_number\n${CSV}`);
	writeFileSync(bad, "state,member_state_license_number,state\n");
	const kinds: string[] = [];
	const pool = openPool(null, 0);
	const runWithWorker = pool.runWithWorker.bind(pool);
	pool.runWithWorker = (kind, input, options) => {
		kinds.push(kind);
		return runWithWorker(kind, input, options);
	};
	const rejectFile = join(folder, "rejects.csv");
	await assert.rejects(parseMonth({ files: [good, bad], rejectFile, pool }), { code: "duplicate_column" });
	await setImmediate();
	assert.deepEqual(kinds, ["parse-chunk", "take-dictionaries"]);
});
