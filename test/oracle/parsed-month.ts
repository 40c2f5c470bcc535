/**
 * Rows in the form in which the CSV stage of the builder passes them on, so that compiling and the
 * engine are tested without CSV. They are divided into parts and workers at random, which must not
 * matter.
 */

import type { ParsedMonth, ParsedPart, PartText, WorkerDictionary } from "../../builder/csv/parsed-month.js";
import { NULL_CODE } from "../../builder/csv/parsed-month.js";
import {
	type Column,
	type ColumnName,
	DICTIONARY_COLUMNS,
	INPUT_COLUMNS,
	TEXT_COLUMNS,
} from "../../formats/index.js";
import type { Draw } from "./draw.js";
import { acceptedRows, type Cells, type RawRow } from "./naive-rows.js";

const encoder = new TextEncoder();

function sharedWords(values: readonly number[]): Uint32Array {
	const words = new Uint32Array(new SharedArrayBuffer(values.length * 4));
	words.set(values);
	return words;
}

/** Values as offsets into one heap, both in shared memory. */
function sharedHeap(values: readonly string[]): PartText {
	const offsets = [0];
	for (const value of values) offsets.push((offsets.at(-1) ?? 0) + Buffer.byteLength(value));
	const heap = new Uint8Array(new SharedArrayBuffer(offsets.at(-1) ?? 0));
	values.forEach((value, i) => {
		heap.set(encoder.encode(value), offsets[i]);
	});
	return { offsets: sharedWords(offsets), heap };
}

/** Distinct values of one column in the order in which one worker found them. */
class Vocabulary {
	private readonly codes = new Map<string, number>();

	code(value: string | number | undefined): number {
		if (value === undefined) return NULL_CODE;
		const text = String(value);
		const known = this.codes.get(text) ?? this.codes.size;
		this.codes.set(text, known);
		return known;
	}

	dictionary(): WorkerDictionary {
		return { count: this.codes.size, ...sharedHeap([...this.codes.keys()]) };
	}
}

/**
 * `raw` as a parsed month: rows that break a rule are left out, the others are divided into parts by
 * `draw`.
 */
export function parsedMonth(raw: readonly RawRow[], draw: Draw): ParsedMonth {
	const rows = acceptedRows(raw);
	const present = (name: ColumnName) => name === "country" || raw.some((row) => name in row);
	const columns = INPUT_COLUMNS.map((c) => c.name).filter(present);
	const vocabularies = Array.from({ length: 1 + draw.below(3) }, () => new Map<ColumnName, Vocabulary>());
	for (const vocabulary of vocabularies) {
		for (const column of DICTIONARY_COLUMNS.filter((c) => !c.derived)) {
			if (present(column.name)) vocabulary.set(column.name, startVocabulary(column, draw));
		}
	}
	const parts: ParsedPart[] = [];
	for (let first = 0; first < rows.length; ) {
		const end = Math.min(rows.length, first + 1 + draw.below(rows.length));
		const worker = draw.below(vocabularies.length);
		parts.push(makePart(rows.slice(first, end), worker, vocabularies[worker], present));
		first = end;
	}
	return {
		rows: rows.length,
		columns,
		dictionaries: vocabularies.map((v) => new Map([...v].map(([name, words]) => [name, words.dictionary()]))),
		parts,
		sources: [{ file: "random.csv", bytes: 0, rows: rows.length, rejects: raw.length - rows.length }],
		plans: [],
		enrichedColumns: [],
		rejects: { rows: raw.length - rows.length, reasons: [] },
		oddities: [],
	};
}

/** Sometimes begins with a value that no row has, as rejected rows leave behind. */
function startVocabulary({ name, kind }: Column, draw: Draw): Vocabulary {
	const vocabulary = new Vocabulary();
	if (!draw.oneIn(4) || name === "country" || name === "state") return vocabulary;
	vocabulary.code(kind === "int" ? "77" : kind === "date" ? "1999-09-09" : "of a rejected row");
	return vocabulary;
}

function makePart(
	rows: readonly Cells[],
	worker: number,
	vocabulary: ReadonlyMap<ColumnName, Vocabulary>,
	present: (name: ColumnName) => boolean,
): ParsedPart {
	return {
		worker,
		source: 0,
		rows: rows.length,
		samples: [],
		codes: new Map(
			[...vocabulary].map(([name, words]) => [
				name,
				sharedWords(rows.map((cells) => words.code(cells[name]))),
			]),
		),
		text: new Map(
			TEXT_COLUMNS.map((c) => c.name)
				.filter(present)
				.map((name) => [name, sharedHeap(rows.map((cells) => String(cells[name] ?? "")))]),
		),
	};
}
