/** A sample of rows is read back from a compiled month before it is published: planted faults are found. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { compileMonth } from "../../builder/compile/compile-month.js";
import { mergeColumn } from "../../builder/compile/merge-column.js";
import { COMPILE_TASK_HANDLERS, type RunCompileTask } from "../../builder/compile/tasks.js";
import type { ParsedMonth } from "../../builder/csv/parsed-month.js";
import { BuildError } from "../../builder/errors.js";
import { readBack } from "../../builder/verify/read-back.js";
import { THREADS_MAX, WorkerPool } from "../../builder/workers/pool.js";
import { SnapshotFiles } from "../../formats/index.js";
import { MEMORY_FOLDER, runHere } from "../engine/compiled-month.js";
import { Draw } from "../oracle/draw.js";
import { parsedMonth } from "../oracle/parsed-month.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

const ROWS = 400;

function parsed(): ParsedMonth {
	const rows = [...stateRows("CA", ROWS / 2), ...stateRows("TX", ROWS / 2)];
	return parsedMonth(rows as never, new Draw(5));
}

async function readBackOf(t: TestContext, source: ParsedMonth, run: RunCompileTask): Promise<number> {
	const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-test-"));
	t.after(() => rmSync(data, { recursive: true }));
	const folder = join(data, "month");
	mkdirSync(folder);
	const { order } = await compileMonth(source, { month: "2026-11", folder, run });
	return readBack(source, order, SnapshotFiles.open(folder), 7);
}

test("a sound month reads back as its source", async (t) => {
	assert.equal(await readBackOf(t, parsed(), runHere), ROWS);
});

test("values recoded against another worker's dictionary are found", async (t) => {
	const source = parsed();
	assert.ok(source.dictionaries.length > 1, "the rows came by several workers");
	const wrongWorker: RunCompileTask = async (kind, input) => {
		if (kind !== "merge-column") return COMPILE_TASK_HANDLERS[kind](input);
		const column = input as Parameters<typeof mergeColumn>[0];
		if (column.column !== "member_full_name") return COMPILE_TASK_HANDLERS[kind](input);
		const parts = column.parts.map((part) => ({ ...part, worker: 0 }));
		return mergeColumn({ ...column, parts }) as never;
	};
	await assert.rejects(readBackOf(t, source, wrongWorker), (error) => {
		assert.ok(error instanceof BuildError);
		assert.equal(error.code, "corrupt_snapshot");
		assert.match(
			error.message,
			/column member_full_name: row \d+ reads back as .*sample seed 7\); nothing is published/,
		);
		return true;
	});
});

test("a cell swapped between two rows of a text column is found", async (t) => {
	const swapped: RunCompileTask = async (kind, input) => {
		if (kind !== "write-text") return COMPILE_TASK_HANDLERS[kind](input);
		const task = input as { order: Uint32Array };
		const order = task.order.slice();
		[order[0], order[order.length - 1]] = [order[order.length - 1], order[0]];
		return COMPILE_TASK_HANDLERS[kind]({ ...task, order } as never);
	};
	await assert.rejects(readBackOf(t, parsed(), swapped), /reads back as/);
});

test("a build reads its month back before it publishes", async (t) => {
	const builder = builderFolder(t);
	const built = await builder.json<{ seconds: Record<string, number> }>(
		"build",
		builder.write("a-2026-09.csv", csv(stateRows("CA", 40))),
	);
	const stages = Object.keys(built.seconds);
	assert.ok(stages.indexOf("check") > stages.indexOf("write"));
	assert.ok(stages.indexOf("check") < stages.indexOf("publish"));
});

test("worker threads are bounded", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("a-2026-09.csv", csv(stateRows("CA", 2)));
	const { code, stderr } = await builder.run("build", file, "--threads", String(THREADS_MAX + 1));
	assert.equal(code, 2);
	assert.match(stderr, /expected a whole number from 1 to 256/);
	assert.throws(() => new WorkerPool(THREADS_MAX + 1), /a pool has 1 to 256 threads/);
});
