/**
 * GROUP BY one or two dimensions with COUNT(*): array aggregation over dictionary codes, where a group's
 * number is its place in an array of counters, and hash aggregation where two dimensions have too many
 * combinations for that.
 *
 * Rows come as runs, whose codes are read sequentially, or as a list. Cost O(rows), one to three nanoseconds
 * each with counters that fit in cache, plus O(groups).
 */

import type { Range } from "../../formats/index.js";
import { AGGREGATE_CELLS_MAX } from "../tuning.js";
import type { Dimension } from "./dimensions.js";

/** Rows to group: ascending runs, or list[0, count). */
export type GroupedRows =
	| { readonly runs: readonly Range[] }
	| { readonly list: Uint32Array; readonly count: number };

/** Takes each group that has rows: its number in both dimensions (the second 0 if there is one only), and its rows. */
export type TakeGroup = (first: number, second: number, rows: number) => void;

/** Counters, kept from query to query and grown as needed. */
let counters = new Uint32Array(1 << 16);

function takeCounters(size: number): Uint32Array {
	if (counters.length < size) counters = new Uint32Array(Math.max(size, counters.length * 2));
	const taken = counters.subarray(0, size);
	taken.fill(0);
	return taken;
}

/** Groups rows by one dimension. Groups are taken in ascending order. */
export function groupByOne(
	rows: GroupedRows,
	{ codes, codeCount, groupOfCode }: Dimension,
	take: TakeGroup,
): void {
	const counts = takeCounters(codeCount);
	if ("runs" in rows) {
		for (const { from, to } of rows.runs) for (let row = from; row < to; row++) counts[codes[row]]++;
	} else {
		const { list, count } = rows;
		for (let i = 0; i < count; i++) counts[codes[list[i]]]++;
	}
	takeCodeCounts(counts, groupOfCode, take);
}

/** Takes the groups of rows that have been counted by code. */
export function takeCodeCounts(counts: Uint32Array, groupOfCode: Uint32Array | null, take: TakeGroup): void {
	if (groupOfCode === null) {
		for (let code = 0; code < counts.length; code++) if (counts[code] > 0) take(code, 0, counts[code]);
		return;
	}
	let group = 0;
	let rows = 0;
	for (let code = 0; code < counts.length; code++) {
		if (groupOfCode[code] !== group) {
			if (rows > 0) take(group, 0, rows);
			group = groupOfCode[code];
			rows = 0;
		}
		rows += counts[code];
	}
	if (rows > 0) take(group, 0, rows);
}

/** Groups rows by two dimensions. Groups are taken in no order. */
export function groupByTwo(rows: GroupedRows, first: Dimension, second: Dimension, take: TakeGroup): void {
	const width = second.groupCount;
	const cells = first.groupCount * width;
	if (cells <= AGGREGATE_CELLS_MAX) groupInArray(rows, first, second, take);
	else groupInTable(rows, first, second, take);
}

function groupInArray(rows: GroupedRows, first: Dimension, second: Dimension, take: TakeGroup): void {
	const width = second.groupCount;
	const counts = takeCounters(first.groupCount * width);
	const cellsA = cellOfCode(first, width);
	const cellsB = cellOfCode(second, 1);
	const codesA = first.codes;
	const codesB = second.codes;
	if ("runs" in rows) {
		for (const { from, to } of rows.runs) {
			for (let row = from; row < to; row++) counts[cellsA[codesA[row]] + cellsB[codesB[row]]]++;
		}
	} else {
		const { list, count } = rows;
		for (let i = 0; i < count; i++) counts[cellsA[codesA[list[i]]] + cellsB[codesB[list[i]]]]++;
	}
	for (let cell = 0; cell < counts.length; cell++) {
		if (counts[cell] > 0) take(Math.floor(cell / width), cell % width, counts[cell]);
	}
}

/** By code, the place of its group in an array that has `width` cells for each group. */
function cellOfCode({ codeCount, groupOfCode }: Dimension, width: number): Uint32Array {
	const cells = new Uint32Array(codeCount);
	for (let code = 0; code < codeCount; code++) cells[code] = (groupOfCode?.[code] ?? code) * width;
	return cells;
}

/** Hash table by open addressing with linear probing; grown when half full. Kept from query to query. */
class GroupTable {
	private firsts = new Uint32Array(1 << 16);
	private seconds = new Uint32Array(1 << 16);
	private counts = new Uint32Array(1 << 16);
	private used = 0;

	clear(): void {
		this.counts.fill(0);
		this.used = 0;
	}

	add(first: number, second: number, rows: number): void {
		const { firsts, seconds, counts } = this;
		const mask = counts.length - 1;
		let at = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77)) >>> 0;
		at = (at ^ (at >>> 15)) & mask;
		while (counts[at] !== 0 && (firsts[at] !== first || seconds[at] !== second)) at = (at + 1) & mask;
		if (counts[at] === 0) {
			firsts[at] = first;
			seconds[at] = second;
			this.used++;
		}
		counts[at] += rows;
		if (this.used * 2 > counts.length) this.grow();
	}

	take(take: TakeGroup): void {
		for (let at = 0; at < this.counts.length; at++) {
			if (this.counts[at] > 0) take(this.firsts[at], this.seconds[at], this.counts[at]);
		}
	}

	private grow(): void {
		const { firsts, seconds, counts } = this;
		this.firsts = new Uint32Array(counts.length * 2);
		this.seconds = new Uint32Array(counts.length * 2);
		this.counts = new Uint32Array(counts.length * 2);
		this.used = 0;
		for (let at = 0; at < counts.length; at++) {
			if (counts[at] > 0) this.add(firsts[at], seconds[at], counts[at]);
		}
	}
}

const table = new GroupTable();

function groupInTable(rows: GroupedRows, first: Dimension, second: Dimension, take: TakeGroup): void {
	table.clear();
	const [codesA, groupsA] = [first.codes, first.groupOfCode];
	const [codesB, groupsB] = [second.codes, second.groupOfCode];
	forEachRow(rows, (row) => {
		const a = groupsA === null ? codesA[row] : groupsA[codesA[row]];
		table.add(a, groupsB === null ? codesB[row] : groupsB[codesB[row]], 1);
	});
	table.take(take);
}

function forEachRow(rows: GroupedRows, visit: (row: number) => void): void {
	if ("runs" in rows) for (const { from, to } of rows.runs) for (let row = from; row < to; row++) visit(row);
	else for (let i = 0; i < rows.count; i++) visit(rows.list[i]);
}
