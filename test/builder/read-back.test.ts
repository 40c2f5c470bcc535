/** A sample of rows is read back from a compiled month before it is published: planted faults are found. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { compileMonth } from "../../builder/compile/compile-month.js";
import { mergeColumn } from "../../builder/compile/merge-column.js";
import { COMPILE_TASK_HANDLERS, type RunCompileTask } from "../../builder/compile/tasks.js";
import { parseMonth } from "../../builder/csv/index.js";
import type { ParsedMonth } from "../../builder/csv/parsed-month.js";
import { BuildError } from "../../builder/errors.js";
import { compareSample, drawSample } from "../../builder/verify/read-back.js";
import { THREADS_MAX, WorkerPool } from "../../builder/workers/pool.js";
import { SnapshotFiles } from "../../formats/index.js";
import { runHere } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { parsedMonth } from "../oracle/parsed-month.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

const ROWS = 400;

function parsed(): ParsedMonth {
	const rows = [...stateRows("CA", ROWS / 2), ...stateRows("TX", ROWS / 2)];
	return parsedMonth(rows as never, new Draw(5));
}

async function readBackOf(
	t: TestContext,
	source: ParsedMonth,
	run: RunCompileTask = runHere,
): Promise<{ records: number; rows: number }> {
	const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-test-"));
	t.after(() => rmSync(data, { recursive: true }));
	const folder = join(data, "month");
	mkdirSync(folder);
	const sample = drawSample(source, 7);
	const { order } = await compileMonth(source, { month: "2026-11", folder, run });
	compareSample(sample, order, SnapshotFiles.open(folder));
	return { records: sample.records.size, rows: sample.rows.size };
}

test("a sound month reads back as its source", async (t) => {
	assert.deepEqual(await readBackOf(t, parsed()), { records: 0, rows: ROWS });
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

/** A month parsed from a file in chunks of 2 KiB by two workers. */
async function parsedFile(t: TestContext, lines: readonly string[]): Promise<ParsedMonth> {
	const builder = builderFolder(t);
	const file = builder.write("a-2026-09.csv", `${lines.join("\n")}\n`);
	return parseMonth({ files: [file], threads: 2, chunkBytes: 2_048, rejectFile: `${file}.rejects` });
}

const QUOTED_LINES = [
	"state,member_full_name,member_last_name,member_first_name,member_license_expires,office_name,member_state_license_number",
	...Array.from({ length: 500 }, (_, i) => {
		const date = i % 7 === 0 ? "" : `2027-0${1 + (i % 9)}-11`;
		const office = i % 5 === 0 ? `"Office ""${i}"",\nFloor 2"` : `Office ${i}`;
		return i % 50 === 49
			? `XX,bad ${i},,,,,${i}`
			: `CA,"Doe, ${i}",Doe ${i},Jo ${i}, ${date} ,${office},${i}`;
	}),
];

test("sampled records read back as the bytes of their source, rejected and quoted ones among them", async (t) => {
	const source = await parsedFile(t, QUOTED_LINES);
	assert.equal(source.rows, 490);
	assert.ok(new Set(source.parts.map(({ worker }) => worker)).size > 1, "the rows came by several workers");
	const { records } = await readBackOf(t, source);
	assert.equal(records, source.parts.length, "one record of every part");
	assert.ok(
		source.parts.some(({ samples }) => samples[0].row > 0),
		"not the first rows alone",
	);
});

test("records too long to keep are not sampled", async (t) => {
	const long = "x".repeat(70_000);
	const rows = [`CA,Al,Al,A,,,1,${long}`, "CA,Bo,Bo,B,,,2,y"];
	const source = await parsedFile(t, [`${QUOTED_LINES[0]},unknown`, ...rows]);
	const sampled = source.parts.flatMap(({ samples }) => samples.map(({ bytes }) => bytes.length));
	assert.deepEqual(sampled, [rows[1].length + 1]);
	assert.deepEqual(await readBackOf(t, source), { records: 1, rows: 2 });
});

test("a truncated worker number is detected by the bytes of the source", async (t) => {
	const source = await parsedFile(t, QUOTED_LINES);
	// The parsed columns are wrong alike for the compiler and for the comparison with them.
	const parts = source.parts.map((part) => ({ ...part, worker: 0 }));
	await assert.rejects(readBackOf(t, { ...source, parts }), (error) => {
		assert.ok(error instanceof BuildError);
		assert.equal(error.code, "corrupt_snapshot");
		assert.match(error.message, /reads back as .*, the record in the source has .*; nothing is published/);
		return true;
	});
});

test("a truncated sampled record is detected", async (t) => {
	const source = await parsedFile(t, QUOTED_LINES);
	const [first, ...others] = source.parts;
	const [{ row, bytes }] = first.samples;
	const samples = [{ row, bytes: bytes.subarray(0, 4) }];
	const parts = [{ ...first, samples }, ...others];
	await assert.rejects(readBackOf(t, { ...source, parts }), /1 sampled rows parse again as 0 rows/);
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
