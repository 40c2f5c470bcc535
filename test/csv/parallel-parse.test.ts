/**
 * Parsing in parallel gives the result of parsing sequentially: the same rows and the same rejects, for
 * any number of threads and chunk size.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { parseMonth } from "../../builder/csv/index.js";
import type { BuilderTasks } from "../../builder/tasks.js";
import { WorkerPool } from "../../builder/workers/pool.js";
import { findJurisdiction } from "../../formats/index.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { type PlainReject, type PlainRow, readRejects, rowsOf } from "./parsed-rows.js";
import { readReference } from "./reference-csv.js";

const COLUMNS = ["state", "member_state_license_number", "office_name", "member_address"];

const scratch = mkdtempSync(join(tmpdir(), "rollcall-parallel-"));
/** By number of threads, minus one. */
const pools = [1, 2, 3].map((threads) => new WorkerPool<BuilderTasks>(threads));
after(async () => {
	for (const pool of pools) await pool.close();
	rmSync(scratch, { recursive: true });
});

const file = join(scratch, "drop.csv");
const rejectFile = join(scratch, "rejects.csv");

interface Outcome {
	readonly rows: readonly PlainRow[];
	readonly rejects: readonly PlainReject[];
	readonly blankLines: number;
}

/** The result of the reference parser: records after the header whose state is known become rows. */
function expectedOutcome(text: string): Outcome {
	const { records, rejects, blankLines } = readReference(text, COLUMNS.length);
	const rows: PlainRow[] = [];
	const rejected: PlainReject[] = rejects.map((reject) => ({ file, column: "", ...reject }));
	for (const { line, fields, raw } of records.slice(1)) {
		// The test's only spelling of a state that is not its code.
		const state = fields[0].trim().replace(/^tx$/, "TX");
		const country = findJurisdiction(state)?.country;
		if (country === undefined) {
			rejected.push({
				file,
				line,
				column: "state",
				reason: "unknown_jurisdiction",
				raw: raw.replace(/[\r\n]+$/, ""),
			});
			continue;
		}
		const cells = COLUMNS.map((column, field) => [column, field === 0 ? state : fields[field].trim()]);
		rows.push(Object.fromEntries([["country", country], ...cells.filter(([, value]) => value !== "")]));
	}
	return { rows, rejects: rejected.sort((a, b) => a.line - b.line), blankLines };
}

const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const plainCell = fc.constantFrom("", "TX", "ON", " CA ", "XX", "a", 'say "hi"', "é", "\u00a0x\u00a0", "b c");
const quotedCell = fc
	.array(fc.constantFrom("TX", ",", '""', "\n", "\r\n", "\r", "x", " ", "é", "TX,a,b,c"), { maxLength: 6 })
	.map((pieces) => `"${pieces.join("")}"`);
const stateCell = fc.constantFrom("TX", "ON", '"CA"', " NY", '"M""E"', "", "tx");
const cell = fc.oneof({ weight: 3, arbitrary: plainCell }, { weight: 1, arbitrary: quotedCell });
const record = fc
	.tuple(stateCell, fc.array(cell, { minLength: 3, maxLength: 3 }))
	.map(([state, others]) => [state, ...others].join(","));
const noise = fc
	.array(fc.constantFrom(",", '"', '""', '","', "\n", "\r", "TX", " ", "x"), { maxLength: 12 })
	.map((pieces) => pieces.join(""));
const line = fc.oneof(
	{ weight: 6, arbitrary: record },
	{ weight: 1, arbitrary: noise },
	{ weight: 1, arbitrary: fc.constantFrom("", "  ", 'TX,"lone,b,c', "TX,1,2", 'TX,1,"2"x,3', '"TX,1,2,3') },
);
const drop = fc.array(fc.tuple(line, lineEnd), { maxLength: 40 }).chain((lines) =>
	fc.boolean().map((ended) => {
		const text = lines.map(([content, end]) => content + end).join("");
		return ended ? text : text.replace(/[\r\n]+$/, "");
	}),
);

test("rows and rejects are those of a sequential parse, for any threads and chunks", async (t) => {
	await checkAsyncProperty(
		t,
		300,
		fc.asyncProperty(
			drop,
			fc.integer({ min: 1, max: 120 }),
			fc.integer({ min: 1, max: pools.length }),
			async (body, chunkBytes, threads) => {
				const pool = pools[threads - 1];
				const text = `${COLUMNS.join(",")}\n${body}`;
				writeFileSync(file, text);
				const month = await parseMonth({ files: [file], rejectFile, chunkBytes, pool });
				const blank = month.oddities.find((oddity) => oddity.kind === "blank_line");
				const actual = {
					rows: rowsOf(month),
					rejects: readRejects(rejectFile),
					blankLines: blank?.count ?? 0,
				};
				assert.deepEqual(actual, expectedOutcome(text));
				assert.equal(month.rows, actual.rows.length);
				assert.equal(month.rejects.rows, actual.rejects.length);
			},
		),
	);
});

test("a part holds little more memory than its rows take, however few they are", async () => {
	const sources = ["TX,1,Acme,1 Main St\n", "TX,2,Acme,2 Main St\n".repeat(20_000), "ON,3,,\n"];
	const files = sources.map((body, index) => {
		const path = join(scratch, `part-${index}.csv`);
		writeFileSync(path, `${COLUMNS.join(",")}\n${body}`);
		return path;
	});
	const month = await parseMonth({ files, rejectFile, chunkBytes: 150_000, pool: pools[0] });
	assert.equal(month.rows, 20_002);
	for (const { rows, codes, text } of month.parts) {
		const texts = [...text.values()].flatMap(({ offsets, heap }) => [offsets, heap]);
		for (const { buffer, byteLength } of [...codes.values(), ...texts])
			assert.ok(
				buffer.byteLength <= 2 * byteLength,
				`${buffer.byteLength} bytes hold ${byteLength} of ${rows} rows`,
			);
	}
});
