/**
 * Drops by example: every folder of test/fixtures/csv is a test. It has one drop, optionally `map.json`
 * and `options.json`, and `expected.json` with the resulting rows, rejects and oddities, or the error.
 * ROLLCALL_WRITE_EXPECTED=1 writes that file where it is missing.
 */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type ParsedMonth, parseMonth } from "../../builder/csv/index.js";
import { BuildError } from "../../builder/errors.js";
import type { BuilderTasks } from "../../builder/tasks.js";
import { parseSamples } from "../../builder/verify/parse-samples.js";
import { WorkerPool } from "../../builder/workers/pool.js";
import { type PlainRow, readRejects, rowsOf } from "./parsed-rows.js";

const fixtures = fileURLToPath(new URL("../../../test/fixtures/csv", import.meta.url));
const OWN_FILES = ["map.json", "options.json", "expected.json"];

const scratch = mkdtempSync(join(tmpdir(), "rollcall-fixtures-"));
const pool = new WorkerPool<BuilderTasks>(2);
after(async () => {
	await pool.close();
	rmSync(scratch, { recursive: true });
});

/** The result for the drop of `folder`, with paths relative to it. */
async function outcomeOf(folder: string, chunkBytes: number | undefined): Promise<unknown> {
	const files = readdirSync(folder).filter((name) => !OWN_FILES.includes(name));
	const map = join(folder, "map.json");
	const options = join(folder, "options.json");
	const rejectFile = join(scratch, "rejects.csv");
	try {
		const month = await parseMonth({
			files: files.map((name) => join(folder, name)),
			maps: existsSync(map) ? [map] : [],
			...(existsSync(options) ? JSON.parse(readFileSync(options, "utf8")) : {}),
			rejectFile,
			pool,
			chunkBytes,
		});
		const rows = rowsOf(month);
		checkSamples(month, rows);
		return {
			columns: month.columns,
			rows,
			rejects: readRejects(rejectFile).map(({ file: _, ...reject }) => reject),
			oddities: month.oddities.map(({ file: _, ...oddity }) => oddity),
		};
	} catch (error) {
		if (!(error instanceof BuildError)) throw error;
		return { error: { code: error.code, message: error.message.replaceAll(`${folder}/`, "") } };
	}
}

/** Records that are parsed a second time, alone, give the same rows. */
function checkSamples(month: ParsedMonth, rows: readonly PlainRow[]): void {
	for (const { part, dictionaries, samples, firstRow } of parseSamples(month)) {
		const alone = { ...part, worker: 0, source: 0, rows: samples.length, samples: [] };
		const again = rowsOf({ ...month, dictionaries: [new Map(dictionaries)], parts: [alone] });
		assert.deepEqual(
			again,
			samples.map(({ row }) => rows[firstRow + row]),
		);
	}
}

interface Expected {
	readonly error?: { readonly code: string };
	readonly rows?: readonly unknown[];
	readonly rejects?: readonly unknown[];
	readonly oddities?: readonly { readonly kind: string }[];
}

/** The expected result in a few words, so that the list of tests is the table of kinds of drop. */
function verdictOf(expectedFile: string): string {
	if (!existsSync(expectedFile)) return "not judged yet";
	const {
		error,
		rows = [],
		rejects = [],
		oddities = [],
	} = JSON.parse(readFileSync(expectedFile, "utf8")) as Expected;
	if (error !== undefined) return `refused, ${error.code}`;
	const kinds = [...new Set(oddities.map(({ kind }) => kind))];
	return `${rows.length} rows, ${rejects.length} rejected${kinds.length === 0 ? "" : `, reports ${kinds.join(", ")}`}`;
}

for (const name of readdirSync(fixtures).sort()) {
	const folder = join(fixtures, name);
	const expectedFile = join(folder, "expected.json");
	test(`the drop "${name}": ${verdictOf(expectedFile)}`, async () => {
		if (!existsSync(expectedFile) && process.env.ROLLCALL_WRITE_EXPECTED === "1") {
			const written = await outcomeOf(folder, undefined);
			writeFileSync(expectedFile, `${JSON.stringify(written, null, "\t")}\n`);
		}
		const expected: unknown = JSON.parse(readFileSync(expectedFile, "utf8"));
		assert.deepEqual(await outcomeOf(folder, undefined), expected);
		assert.deepEqual(await outcomeOf(folder, 16), expected, "chunks of 16 bytes");
	});
}
