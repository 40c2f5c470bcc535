/**
 * Algebra of sets of codes, as ascending, disjoint ranges that do not touch. The codes of a column with n
 * values are 0 to n - 1, and n for null.
 */

import type { Range } from "../../formats/index.js";

export type CodeSet = readonly Range[];

export const NO_CODES: CodeSet = [];

/** The codes in any of some ranges, which may be in any order, overlap or be empty. Cost O(n log n). */
export function unionOf(ranges: readonly Range[]): CodeSet {
	if (ranges.length === 1) return ranges[0].from < ranges[0].to ? ranges : NO_CODES;
	const sorted = ranges.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
	const union: Range[] = [];
	for (const range of sorted) {
		const last = union[union.length - 1];
		if (last === undefined || range.from > last.to) union.push(range);
		else if (range.to > last.to) union[union.length - 1] = { from: last.from, to: range.to };
	}
	return union;
}

/** The codes of both sets. Cost O(ranges). */
export function intersectionOf(a: CodeSet, b: CodeSet): CodeSet {
	const both: Range[] = [];
	for (let i = 0, j = 0; i < a.length && j < b.length; ) {
		const from = Math.max(a[i].from, b[j].from);
		const to = Math.min(a[i].to, b[j].to);
		if (from < to) both.push({ from, to });
		if (a[i].to < b[j].to) i++;
		else j++;
	}
	return both;
}

/** The codes below `end` that are not in the set. Cost O(ranges). */
export function complementOf(codes: CodeSet, end: number): CodeSet {
	const others: Range[] = [];
	let next = 0;
	for (const { from, to } of codes) {
		if (next < from) others.push({ from: next, to: from });
		next = to;
	}
	if (next < end) others.push({ from: next, to: end });
	return others;
}
