/**
 * Drops as bytes: hostile quoting, line ends, encodings, compression, chunk sizes. Model: the rows and
 * rejects are those of the sequential reference parser, or the parse ends with a BuildError whose one
 * line names the file.
 *
 * The first characters of an input choose the chunk size and the form of the file.
 */

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parseMonth } from "../../../builder/csv/index.js";
import { CSV_TASK_HANDLERS, type CsvTasks } from "../../../builder/csv/tasks.js";
import { CELL_BYTES_MAX } from "../../../builder/input/cell-bytes.js";
import { InlinePool } from "../../../builder/workers/inline-pool.js";
import { WorkerPool } from "../../../builder/workers/pool.js";
import type { TaskPool } from "../../../builder/workers/task-pool.js";
import { STATE_NAMES } from "../../../formats/domain/state-names.js";
import { findJurisdiction } from "../../../formats/index.js";
import { type PlainReject, type PlainRow, readRejects, rowsOf } from "../../csv/parsed-rows.js";
import { type ReferenceRecord, readReference } from "../../csv/reference-csv.js";
import type { FuzzTarget } from "../fuzzer.js";
import { mutateText } from "../mutations.js";
import { checkBuildError } from "./operator-error.js";
import { scratchFolder } from "./scratch-folder.js";

const COLUMNS = ["state", "member_state_license_number", "office_name", "member_address"] as const;
const HEADER = `${COLUMNS.join(",")}\n`;
const BODY_LENGTH_MAX = 3_000;
/** One input in so many is also parsed by threads. */
const THREADS_ONE_IN = 16;
const FORM = { latin1: 1, gzip: 2, byteOrderMark: 4 } as const;

interface Outcome {
	readonly rows: readonly PlainRow[];
	readonly rejects: readonly PlainReject[];
}

const WORDS = [
	...'TX CA ON tx XX , " "" "," "," TX,1,a,b'.split(" "),
	"\r\n",
	"\n",
	"\r",
	"TX,1,a,b\n",
	'TX,2,"a ""b"" c","d\r\ne"\r\n',
	'TX,3,"lone,b\n',
	"\u00ef\u00bb\u00bf",
	"\u00c3\u00a9",
	"\u00c2\u00a0",
	"\u00f0\u009f\u0098\u0080",
	"\u00e2\u0080\u00a8",
	"\u00ff",
	"\0",
	" ",
];

const SEEDS = [
	'a0TX,1,Acme,"1 Main St"\nCA,2,"Say ""hi""",x\n',
	'z0TX,1,a,b\r\nON,2,"line\r\nbreak",c\r\nXX,3,d,e\r\n',
	"A1TX,1,caf\u00e9,b\rTX,2,a,b\r",
	'p2TX,1,"a,b",c\nTX,2\n\nTX,3,"open\n',
	"\u00b04TX,1,\u00c3\u00a9,b\nTX,2,\u00c3,b\n",
	"z0T&X,,,\nt.x.,1,a,b\nN.-\u00c9.,2,a,b\nNew-york,3,a,b\n&TX,4,a,b\n.TX,5,a,b\nT\u00c3\u0089X,6,a,b\n",
	"zX,,\u00ef\u00bb\u00bf,\u00c2\u00a0\n,,\u00c2,\nTX,1,a,b\n",
	'k0"TX","1","2","3"\nTX,1,"2"x,3\nTX,"lone,b,c\nTX,1,2,3\n',
];

/** A bug planted on request: the last row is lost. */
function planted(text: string, outcome: Outcome): Outcome {
	if (!text.includes('""')) return outcome;
	if (!text.includes("\r\n")) return outcome;
	if (outcome.rows.length < 3) return outcome;
	return { ...outcome, rows: outcome.rows.slice(0, -1) };
}

export async function csvTarget(faulty: boolean): Promise<FuzzTarget> {
	const scratch = scratchFolder();
	const file = join(scratch, "drop.csv");
	const rejectFile = join(scratch, "rejects.csv");
	const map = join(scratch, "latin1.json");
	writeFileSync(map, '{"encoding":"latin1"}');
	const here = new InlinePool<CsvTasks>(async () => CSV_TASK_HANDLERS);
	const threads = new WorkerPool<CsvTasks>(2);
	const parse = async (maps: string[], chunkBytes: number, pool: TaskPool<CsvTasks>): Promise<Outcome> => {
		const month = await parseMonth({ files: [file], rejectFile, chunkBytes, pool, maps });
		const outcome = { rows: rowsOf(month), rejects: readRejects(rejectFile) };
		assert.equal(month.rows, outcome.rows.length);
		assert.equal(month.rejects.rows, outcome.rejects.length);
		return outcome;
	};
	return {
		name: "csv",
		covers: ["/dist/builder/csv/", "/dist/builder/input/", "/dist/test/fuzz/targets/csv.js"],
		seeds: SEEDS,
		mutate: (input, other, draw) => mutateText(input, other, WORDS, draw).slice(0, BODY_LENGTH_MAX),
		async run(input) {
			const code = input.charCodeAt(0) || 0;
			const chunkBytes = code % 8 === 0 ? 1 + (code % 31) : 32 + (code % 251) * 8;
			const form = (input.charCodeAt(1) || 0) & 7;
			// One byte a character.
			const body = Buffer.from(input.slice(2), "latin1").toString("latin1");
			const text = `${(form & FORM.byteOrderMark) !== 0 ? "\u00ef\u00bb\u00bf" : ""}${HEADER}${body}`;
			const latin1 = (form & FORM.latin1) !== 0;
			// A byte order mark is recognised in UTF-8 only.
			const skipped = latin1 && (form & FORM.byteOrderMark) !== 0;
			if (skipped) return;
			const bytes = Buffer.from(text, "latin1");
			writeFileSync(file, (form & FORM.gzip) !== 0 ? gzipSync(bytes, { level: 1 }) : bytes);
			const maps = latin1 ? [map] : [];
			try {
				const outcome = await parse(maps, chunkBytes, here);
				const actual = faulty ? planted(body, outcome) : outcome;
				assert.deepEqual(actual, expectedOutcome(file, HEADER + body, latin1));
				if (body.length % THREADS_ONE_IN === 0)
					assert.deepEqual(await parse(maps, chunkBytes, threads), outcome, "threads give the same");
			} catch (error) {
				checkBuildError(error, file);
			}
		},
		async close() {
			await here.close();
			await threads.close();
			rmSync(scratch, { recursive: true });
		},
	};
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Text of bytes, one a character; null where they are not text. */
function decoded(bytes: string, latin1: boolean): string | null {
	if (latin1) return bytes;
	try {
		return utf8.decode(Buffer.from(bytes, "latin1"));
	} catch {
		// The decoder's error has no further information.
		return null;
	}
}

/** As the reject file has it: no cell starts as a formula does. */
function guarded(text: string): string {
	return "=+-@".includes(text[0] ?? " ") ? `'${text}` : text;
}

/** By the reference, over bytes, one a character: the grammar is of ASCII alone. */
function expectedOutcome(file: string, text: string, latin1: boolean): Outcome {
	const isEmpty = (bytes: string) => decoded(bytes, latin1)?.trim() === "";
	const { records, rejects } = readReference(text, COLUMNS.length, isEmpty);
	const raw = (bytes: string) =>
		guarded(latin1 ? bytes : lenientUtf8.decode(Buffer.from(bytes.replace(/[\r\n]+$/, ""), "latin1")));
	const rejected: PlainReject[] = rejects.map((r) => ({ file, column: "", ...r, raw: raw(r.raw) }));
	const rows: PlainRow[] = [];
	for (const record of records.slice(1)) {
		const row = rowOf(record, latin1);
		if ("reason" in row) rejected.push({ file, line: record.line, ...row, raw: raw(record.raw) });
		else rows.push(row.cells);
	}
	return { rows, rejects: rejected.sort((a, b) => a.line - b.line) };
}

/** Columns in the order of comparison. */
const LOOKED_AT = ["state", "member_address", "office_name", "member_state_license_number"] as const;

function rowOf(
	{ fields }: ReferenceRecord,
	latin1: boolean,
): { readonly cells: PlainRow } | { readonly reason: string; readonly column: string } {
	const texts = new Map(COLUMNS.map((column, i) => [column, decoded(fields[i], latin1)]));
	for (const column of LOOKED_AT) {
		const text = texts.get(column);
		if (typeof text !== "string") return { reason: "invalid_utf8", column };
		if (Buffer.byteLength(text.trim()) > CELL_BYTES_MAX) return { reason: "cell_too_long", column };
	}
	const state = stateNamed(texts.get("state")?.trim() ?? "");
	const country = findJurisdiction(state ?? "")?.country;
	if (country === undefined) return { reason: "unknown_jurisdiction", column: "state" };
	const cells = [...texts].map(([column, text]) => [
		column,
		column === "state" ? (state ?? "") : (text?.trim() ?? ""),
	]);
	return { cells: Object.fromEntries([["country", country], ...cells.filter(([, text]) => text !== "")]) };
}

/** The state whose name has the words of `text`: with the same accents if there is one, else without them. */
function stateNamed(text: string): string | null {
	for (const accents of [true, false]) {
		const words = nameWords(text, accents);
		if (words === null) return null;
		const found = STATE_NAMES.find(([name]) => nameWords(name, accents)?.join(" ") === words.join(" "));
		if (found !== undefined) return found[1];
	}
	return null;
}

/** Words of a name in lower case, with or without its accents; null where `text` is no name. */
function nameWords(text: string, accents: boolean): string[] | null {
	const words = [""];
	for (const character of text.normalize("NFD")) {
		const isAccent = character >= "\u0300" && character <= "\u036f";
		if (isAccent && !accents) continue;
		if (" .-'\u00a0\u2019".includes(character)) words.push("");
		else if (isAccent || /[a-z,&]/i.test(character)) words[words.length - 1] += character.toLowerCase();
		else return null;
	}
	return words[0] === "" && text !== "" ? null : words.filter((word) => word !== "");
}
