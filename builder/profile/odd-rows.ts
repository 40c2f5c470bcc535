/** Rows with odd values of a column, with samples: what the rules beside this file are reported by. */

import {
	type Column,
	columnNamed,
	type Range,
	type SnapshotFiles,
	type StateRun,
} from "../../formats/index.js";

export interface OddValues {
	readonly kind:
		| "constant_column"
		| "no_last_names"
		| "no_license_number"
		| "number_without_digit"
		| "number_with_word"
		| "bare_row"
		| "formula_text"
		| "damaged_code"
		| "date_number"
		| "quoted_text"
		| "null_text"
		| "decimal_code"
		| "short_zip"
		| "odd_postal_code"
		| "odd_email"
		| "odd_phone"
		| "matched_outside_us"
		| "odd_date"
		| "dates_out_of_order";
	readonly column: string;
	/** The state concerned; null: all. */
	readonly state: string | null;
	readonly rows: number;
	/** A few of the values. */
	readonly samples: readonly string[];
}

/** Samples kept of a column's odd values. */
export const SAMPLES_MAX = 3;
const SAMPLE_CHARACTERS_MAX = 80;
/** Odd rows of a text column among which samples of different texts are sought. */
const SAMPLED_ROWS_MAX = 10_000;

/** An entry for a column of codes if rows of `runs` have odd ones. */
export function oddCodes(
	files: SnapshotFiles,
	kind: OddValues["kind"],
	name: "member_state_license_number" | "member_postal_code",
	isOdd: (bytes: Uint8Array, start: number, end: number) => boolean,
	runs: readonly StateRun[] = files.catalog.states,
): OddValues[] {
	const column = columnNamed(name);
	const { distinct, offsets, heap } = files.dictionary(column);
	const odd: number[] = [];
	for (let code = 0; code < distinct; code++)
		if (isOdd(heap, offsets[code], offsets[code + 1])) odd.push(code);
	return rowsOfCodes(files, kind, column, odd, runs);
}

/** An entry for a column if rows of `runs` have one of the codes `odd`, which ascend. */
export function rowsOfCodes(
	files: SnapshotFiles,
	kind: OddValues["kind"],
	column: Column,
	odd: readonly number[],
	runs: readonly StateRun[],
): OddValues[] {
	if (odd.length === 0) return [];
	const dictionary = files.dictionary(column);
	const codes = files.codes(column);
	// By code: whether it is odd, and whether a row has it.
	const isOdd = new Uint8Array(dictionary.distinct + 1);
	const isFound = new Uint8Array(dictionary.distinct + 1);
	for (const code of odd) isOdd[code] = 1;
	let found = 0;
	for (const { first, rows } of runs) {
		for (let row = first; row < first + rows; row++) {
			const code = codes[row];
			if (isOdd[code] === 0) continue;
			isFound[code] = 1;
			found++;
		}
	}
	if (found === 0) return [];
	const sampled = odd.filter((code) => isFound[code] === 1).slice(0, SAMPLES_MAX);
	const samples = sampled.map((code) => shortened(dictionary.value(code) ?? ""));
	return [{ kind, column: column.name, state: null, rows: found, samples }];
}

/** One entry for each of `columns` that is no dictionary and has odd texts. */
export function oddTexts(
	files: SnapshotFiles,
	kind: OddValues["kind"],
	columns: readonly Column["name"][],
	isOdd: (bytes: Uint8Array, start: number, end: number) => boolean,
	within: Range = { from: 0, to: files.catalog.rows },
): OddValues[] {
	return columns.flatMap((name) => {
		const column = columnNamed(name);
		if (column.kind !== "string") return [];
		const { offsets, heap } = files.text(column);
		const samples: string[] = [];
		let rows = 0;
		for (let row = within.from; row < within.to; row++) {
			const [start, end] = [offsets[row], offsets[row + 1]];
			if (start === end || !isOdd(heap, start, end)) continue;
			rows++;
			if (samples.length === SAMPLES_MAX || rows > SAMPLED_ROWS_MAX) continue;
			const sample = shortened(Buffer.from(heap.slice(start, end)).toString("utf8"));
			if (!samples.includes(sample)) samples.push(sample);
		}
		return rows === 0 ? [] : [{ kind, column: name, state: null, rows, samples }];
	});
}

/** A sample, cut if it is long. */
export function shortened(text: string): string {
	return text.length > SAMPLE_CHARACTERS_MAX ? `${text.slice(0, SAMPLE_CHARACTERS_MAX)}\u2026` : text;
}
