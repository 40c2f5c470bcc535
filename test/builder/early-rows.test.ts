/** When a month's judging goes on beside its stored rows: once a worker would have nothing else to do. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { EarlyRows } from "../../builder/build/early-rows.js";
import type { BuilderTasks } from "../../builder/tasks.js";
import type { TaskPool } from "../../builder/workers/task-pool.js";
import { ROWS_PER_SEGMENT } from "../../formats/index.js";

let folder = "";
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "rollcall-early-rows-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A pool whose tasks the test ends. */
class HandPool {
	readonly ends: { readonly done: () => void; readonly fail: (error: Error) => void }[] = [];

	constructor(readonly size: number) {}

	run(): Promise<unknown> {
		return new Promise((resolve, reject) => {
			this.ends.push({ done: () => resolve({ file: {}, sections: [] }), fail: reject });
		});
	}

	async close(): Promise<void> {
		for (const { fail } of this.ends) fail(new Error("closed"));
	}
}

/** Rows of `segments` files over a pool of `workers`, and whether waiting for the last of them has ended. */
function begin(segments: number, workers: number) {
	const pool = new HandPool(workers);
	const hand = pool as unknown as TaskPool<BuilderTasks>;
	const rows = new EarlyRows(folder, segments * ROWS_PER_SEGMENT - 1, hand);
	const waited = { isOver: false };
	rows.untilLast().then(() => {
		waited.isOver = true;
	});
	return { pool, rows, waited };
}

test("it waits until fewer files are left than there are workers", async () => {
	const { pool, rows, waited } = begin(5, 2);
	assert.equal(pool.ends.length, 5);
	for (const at of [0, 1, 3]) {
		pool.ends[at].done();
		await setImmediate();
		assert.equal(waited.isOver, false, `file ${at}`);
	}
	pool.ends[2].done();
	await setImmediate();
	assert.equal(waited.isOver, true);
	await rows.abandon();
});

test("it does not wait for fewer files than workers, and for none that failed", async () => {
	const few = begin(1, 2);
	await setImmediate();
	assert.equal(few.waited.isOver, true);
	await few.rows.abandon();
	rmSync(folder, { recursive: true });
	folder = mkdtempSync(join(tmpdir(), "rollcall-early-rows-"));
	const { pool, rows, waited } = begin(2, 2);
	pool.ends[1].fail(new Error("planted"));
	await setImmediate();
	assert.equal(waited.isOver, true);
	pool.ends[0].done();
	await assert.rejects(
		rows.finish((task) => task),
		/planted/,
	);
});
