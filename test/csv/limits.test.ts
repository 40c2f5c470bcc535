/** Fields and lines at their size limits, records longer than a chunk, and reject files of every size. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { type ParsedMonth, parseMonth, SAMPLES_PER_REASON } from "../../builder/csv/index.js";
import { FIELD_BYTES_MAX, RECORD_BYTES_MAX } from "../../builder/csv/record-scanner.js";
import { CELL_BYTES_MAX } from "../../builder/input/cell-bytes.js";
import type { BuilderTasks } from "../../builder/tasks.js";
import { WorkerPool } from "../../builder/workers/pool.js";
import { readRejects, rowsOf } from "./parsed-rows.js";
import { makeScratch } from "./scratch.js";

const scratch = makeScratch();
const { rejectFile } = scratch;
const pool = new WorkerPool<BuilderTasks>(2);
after(() => pool.close());

const HEADER = "state,member_state_license_number,member_address\n";

/** Parses `body` under the header with chunks of `chunkBytes`. */
function parse(body: string, chunkBytes: number): Promise<ParsedMonth> {
	const file = scratch.write("drop.csv", HEADER + body);
	return parseMonth({ files: [file], rejectFile, chunkBytes, pool });
}

test("a quoted field may reach the limit over any number of chunks", async () => {
	const long = "x".repeat(FIELD_BYTES_MAX - 1);
	for (const chunkBytes of [100_000, 8 << 20]) {
		const month = await parse(
			`TX,1,"${long}"\nTX,2,"${long}x"\nTX,3,y\nTX,4,"${long}xx\nTX,5,z\n`,
			chunkBytes,
		);
		const rows = rowsOf(month);
		assert.deepEqual(
			rows.map((row) => [row.member_state_license_number, row.member_address?.length]),
			[
				["3", 1],
				["5", 1],
			],
		);
		assert.deepEqual(
			readRejects(rejectFile).map(({ line, reason, raw }) => [line, reason, raw.length]),
			[
				[2, "cell_too_long", 1 << 16],
				[3, "field_too_long", 1 << 16],
				[5, "field_too_long", 1 << 16],
			],
		);
	}
});

test("an unquoted field is read up to the record's limit, and rejected for its length", async () => {
	const long = "x".repeat(2 * FIELD_BYTES_MAX);
	const month = await parse(`TX,1,${long}\nTX,2,y\n`, 64_000);
	assert.deepEqual(
		rowsOf(month).map((row) => row.member_address?.length),
		[1],
	);
	assert.deepEqual(
		month.rejects.reasons.map(({ reason, rows }) => [reason, rows]),
		[["cell_too_long", 1]],
	);
});

test("a cell of the longest length is kept, a longer one rejected", async () => {
	const long = "x".repeat(CELL_BYTES_MAX);
	const month = await parse(`TX,1,${long}\nTX,2,${long}x\n`, 64_000);
	assert.deepEqual(
		rowsOf(month).map((row) => row.member_address?.length),
		[CELL_BYTES_MAX],
	);
});

test("a line longer than the record limit ends the parse, naming the line", async () => {
	const body = `TX,1,a\nTX,2,${"x".repeat(RECORD_BYTES_MAX + 1)}\nTX,3,c\n`;
	for (const chunkBytes of [1 << 20, 64 << 20]) {
		await assert.rejects(parse(body, chunkBytes), {
			code: "limit_exceeded",
			line: 3,
			message: /drop\.csv, line 3: a line is longer than 16 MiB/,
		});
	}
});

test("an unclosed quote rejects its line only, however far the end of the file is", async () => {
	const lines = Array.from({ length: 50_000 }, (_, i) => `TX,${i}\n`);
	const month = await parse(`TX,1,"lone\n${lines.join("")}`, 64_000);
	assert.equal(month.rows, 0);
	assert.equal(month.rejects.rows, 50_001);
	assert.deepEqual(
		month.rejects.reasons.map(({ reason, rows }) => [reason, rows]),
		[
			["wrong_column_count", 50_000],
			["unterminated_quote", 1],
		],
	);
});

test("rejects are written in row order, with the first of each reason as samples", async () => {
	const body = Array.from({ length: 30_000 }, (_, i) =>
		i % 3 === 0 ? `XX,${i},"a\nb"\n` : `TX,${i}\n`,
	).join("");
	const month = await parse(body, 10_000);
	const rejects = readRejects(rejectFile);
	assert.equal(rejects.length, 30_000);
	assert.equal(month.sources[0].rejects, 30_000);
	assert.ok(rejects.every((reject, i) => i === 0 || reject.line > rejects[i - 1].line));
	assert.deepEqual(rejects[3], {
		file: month.sources[0].file,
		line: 6,
		column: "state",
		reason: "unknown_jurisdiction",
		raw: 'XX,3,"a\nb"',
	});
	for (const { reason, samples } of month.rejects.reasons) {
		const first = rejects.filter((reject) => reject.reason === reason).slice(0, SAMPLES_PER_REASON);
		assert.deepEqual(
			samples.map(({ found: _, ...sample }) => ({ ...sample, column: sample.column ?? "" })),
			first,
		);
		const found = reason === "wrong_column_count" ? "2 columns instead of 3" : '"XX"';
		assert.ok(samples.every((sample) => sample.found === found));
	}
});

test("a reject file exists only where something was rejected", async () => {
	await parse("XX,1,a\n", 1000);
	assert.equal(readFileSync(rejectFile, "utf8").split("\r\n")[0], "file,line,column,reason,raw");
	await parse("TX,1,a\n", 1000);
	assert.equal(existsSync(rejectFile), false);
});

test("a sample is truncated to 500 characters, the reject file is not", async () => {
	const month = await parse(`XX,1,${"é".repeat(2000)}\n`, 1000);
	assert.equal(month.rejects.reasons[0].samples[0].raw.length, 500);
	assert.equal(readRejects(rejectFile)[0].raw.length, 2005);
});
