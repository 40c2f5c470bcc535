/**
 * The distribution of a column's values: the most frequent ones, and counts by range. Cost O(rows + distinct
 * values).
 */

import type { Column, SnapshotFiles } from "../../formats/index.js";

export interface HistogramBar {
	/** A value, or a range of them: a year, a number of bytes, a power of two. */
	readonly value: string;
	readonly rows: number;
}

export interface ColumnHistogram {
	readonly column: string;
	readonly kind: string;
	/** Distinct values; null for text stored row by row. */
	readonly distinct: number | null;
	readonly nulls: number;
	/** What `bars` are grouped by: dates by year, numbers by size, text by its length; words are not grouped. */
	readonly by: "value" | "year" | "size" | "length";
	/** Words: by descending rows, at most as many as requested; else ascending. */
	readonly bars: readonly HistogramBar[];
}

/** The histogram of a stored column; for words, the `top` most frequent. */
export function columnHistogram(files: SnapshotFiles, column: Column, top: number): ColumnHistogram {
	const { nulls } = files.column(column);
	if (column.kind === "string") {
		const bars = barsOf(textLengths(files, column));
		return { column: column.name, kind: column.kind, distinct: null, nulls, by: "length", bars };
	}
	const dictionary = files.dictionary(column);
	const counts = new Uint32Array(dictionary.distinct + 1);
	const codes = files.codes(column);
	for (let row = 0; row < codes.length; row++) counts[codes[row]]++;
	const head = { column: column.name, kind: column.kind, distinct: dictionary.distinct, nulls };
	if (column.kind === "dict") {
		const ranked = Array.from({ length: dictionary.distinct }, (_, code) => code);
		ranked.sort((a, b) => counts[b] - counts[a] || a - b);
		const bars = ranked
			.slice(0, top)
			.map((code) => ({ value: dictionary.value(code) as string, rows: counts[code] }));
		return { ...head, by: "value", bars };
	}
	const groups = new Map<string, number>();
	for (let code = 0; code < dictionary.distinct; code++) {
		const value = dictionary.value(code) as string;
		const group = column.kind === "date" ? value.slice(0, 4) : powerOfTwo(Number(value));
		groups.set(group, (groups.get(group) ?? 0) + counts[code]);
	}
	return { ...head, by: column.kind === "date" ? "year" : "size", bars: barsOf(groups) };
}

function barsOf(groups: ReadonlyMap<string, number>): HistogramBar[] {
	return [...groups].map(([value, rows]) => ({ value, rows }));
}

/** The range from one power of two to the next that contains `value`. */
function powerOfTwo(value: number): string {
	if (value < 2) return String(value);
	const low = 2 ** Math.floor(Math.log2(value));
	return low === 2 * low - 1 ? String(low) : `${low}-${2 * low - 1}`;
}

/** Rows by the range of their text's bytes, ascending. */
function textLengths(files: SnapshotFiles, column: Column): Map<string, number> {
	const { offsets } = files.text(column);
	const byLength = new Map<number, number>();
	for (let row = 1; row < offsets.length; row++) {
		const length = offsets[row] - offsets[row - 1];
		if (length > 0) byLength.set(length, (byLength.get(length) ?? 0) + 1);
	}
	const groups = new Map<string, number>();
	for (const [length, rows] of [...byLength].sort(([a], [b]) => a - b)) {
		const group = powerOfTwo(length);
		groups.set(group, (groups.get(group) ?? 0) + rows);
	}
	return groups;
}
