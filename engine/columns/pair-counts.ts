/**
 * How many rows have each pair of a license status and a type, by segment: the rows of one block that are in one state.
 * With it, a page of a pair in the order of rows is found in its own blocks alone, and a pair without rows is known to have none
 * without reading any. Queries that nobody asked before gain from it; those asked again are in block-counts.ts.
 *
 * Invariant: a table is used when all rows have been counted, and for runs that are whole segments.
 * Memory: 8 bytes for each segment of a pair, and 4 for each combination of codes: 0.2 MB for 2.5 million rows.
 */

import {
	type Codes,
	type Column,
	type ColumnName,
	columnNamed,
	type Dictionary,
	type Range,
} from "../../formats/index.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import { COUNTED_BLOCK_WORDS, PAIRED_CODES_MAX, SUMMED_PAIRS_MAX } from "../tuning.js";
import { type CountedBlocks, sumBlocks } from "./block-counts.js";
import { countRows, type Run } from "./runs.js";
import type { StateTable } from "./state-table.js";

const STATUSES: readonly ColumnName[] = ["member_license_status", "license_status_group"];
const TYPES: readonly ColumnName[] = ["member_type", "member_type_group"];

/** What is counted of a month. */
interface CountedMonth {
	readonly states: StateTable;
	readonly rows: number;
	readonly codes: { get(column: Column): Codes };
	readonly dictionary: { get(column: Column): Dictionary };
}

/** Matching codes of one column: ascending, disjoint ranges. */
interface ColumnCodes {
	readonly column: ColumnName;
	readonly codes: readonly Range[];
}

export class PairCounts {
	private tables: readonly PairTable[] = [];

	/** Counts the rows of each pair of columns, a segment at each step. Cost O(rows) in all. */
	*prepare(month: CountedMonth): Generator<void, void> {
		const tables: PairTable[] = [];
		const segments = segmentsOf(month);
		const count = segments.starts.length - 1;
		for (const status of STATUSES)
			for (const type of TYPES) {
				const counter = PairCounter.of(status, type, segments, month);
				if (counter === null) continue;
				for (let segment = 0; segment < count; segment++) {
					counter.count(segment);
					yield;
				}
				tables.push(counter.table());
			}
		this.tables = tables;
	}

	/**
	 * The rows of `runs` that have the codes of both columns, by block; null where they are not counted: other columns, runs
	 * that divide a segment, or too many pairs. Cost O(pairs × segments).
	 */
	get(a: ColumnCodes, b: ColumnCodes, runs: readonly Run[]): CountedBlocks | null {
		for (const table of this.tables) {
			if (table.status === a.column && table.type === b.column) return table.sum(a.codes, b.codes, runs);
			if (table.status === b.column && table.type === a.column) return table.sum(b.codes, a.codes, runs);
		}
		return null;
	}
}

interface Segments {
	/** The first row of each, ascending, then the number of all rows. */
	readonly starts: Uint32Array;
	/** Words of the bitmap in each block. */
	readonly blockWords: number;
}

function segmentsOf({ states, rows }: CountedMonth): Segments {
	const blockWords = COUNTED_BLOCK_WORDS;
	const starts = new Set<number>();
	for (let row = 0; row < rows; row += 32 * blockWords) starts.add(row);
	for (const { first } of states.runs) starts.add(first);
	starts.add(rows);
	return { starts: Uint32Array.from(starts).sort(), blockWords };
}

/** Counts the rows of each pair of two columns, segment by segment. */
class PairCounter {
	private readonly statusCodes: Codes;
	private readonly typeCodes: Codes;
	private readonly types: number;
	/** Rows of the segment by pair: a status's code times `types`, plus a type's code. */
	private readonly rows: Uint32Array;
	/** What was counted: for each segment, ascending, its pairs; three numbers each: pair, segment, rows. */
	private counted = new Uint32Array(3 << 10);
	/** Numbers in it. */
	private length = 0;

	private constructor(
		readonly status: ColumnName,
		readonly type: ColumnName,
		private readonly segments: Segments,
		{ codes }: CountedMonth,
		statuses: number,
		types: number,
	) {
		this.statusCodes = codes.get(columnNamed(status));
		this.typeCodes = codes.get(columnNamed(type));
		this.types = types;
		this.rows = new Uint32Array(statuses * types);
	}

	/** Null for columns with too many codes. */
	static of(
		status: ColumnName,
		type: ColumnName,
		segments: Segments,
		month: CountedMonth,
	): PairCounter | null {
		// The code after the last value is that of rows without one.
		const statuses = month.dictionary.get(columnNamed(status)).distinct + 1;
		const types = month.dictionary.get(columnNamed(type)).distinct + 1;
		if (statuses * types > PAIRED_CODES_MAX) return null;
		return new PairCounter(status, type, segments, month, statuses, types);
	}

	/** Counts the rows of one segment. Cost O(its rows + pairs). */
	count(segment: number): void {
		const { rows, statusCodes, typeCodes, types } = this;
		const { starts } = this.segments;
		const end = starts[segment + 1];
		// A corrupt code has no counter, or that of another pair; verification reports it.
		for (let row = starts[segment]; row < end; row++) rows[statusCodes[row] * types + typeCodes[row]]++;
		for (let pair = 0; pair < rows.length; pair++) {
			if (rows[pair] === 0) continue;
			this.keep(pair, segment, rows[pair]);
			rows[pair] = 0;
		}
	}

	/** An object for each would be garbage that a collection copies first. */
	private keep(pair: number, segment: number, rows: number): void {
		if (this.length === this.counted.length) {
			const grown = new Uint32Array(2 * this.length);
			grown.set(this.counted);
			this.counted = grown;
		}
		this.counted[this.length++] = pair;
		this.counted[this.length++] = segment;
		this.counted[this.length++] = rows;
	}

	/** The table of all segments. */
	table(): PairTable {
		const { counted, length } = this;
		const offsets = new Uint32Array(this.rows.length + 1);
		for (let at = 0; at < length; at += 3) offsets[counted[at] + 1]++;
		for (let pair = 0; pair < this.rows.length; pair++) offsets[pair + 1] += offsets[pair];
		// Segments were counted in ascending order, so those of each pair are placed so.
		const places = offsets.slice();
		const segments = new Uint32Array(length / 3);
		const rows = new Uint32Array(length / 3);
		for (let at = 0; at < length; at += 3) {
			const place = places[counted[at]]++;
			segments[place] = counted[at + 1];
			rows[place] = counted[at + 2];
		}
		return new PairTable(this.status, this.type, this.types, this.segments, { offsets, segments, rows });
	}
}

/** The segments of each pair, ascending, and the rows in each: those of `pair` are [offsets[pair], offsets[pair + 1]). */
interface PairSegments {
	readonly offsets: Uint32Array;
	readonly segments: Uint32Array;
	readonly rows: Uint32Array;
}

/** The counts of the pairs of two columns. */
class PairTable {
	constructor(
		readonly status: ColumnName,
		readonly type: ColumnName,
		private readonly types: number,
		private readonly segments: Segments,
		private readonly pairs: PairSegments,
	) {}

	/** As {@link PairCounts.get}. */
	sum(statuses: readonly Range[], types: readonly Range[], runs: readonly Run[]): CountedBlocks | null {
		if (countRows(statuses) * countRows(types) > SUMMED_PAIRS_MAX) return null;
		const { blockWords } = this.segments;
		const counted = new Uint32Array(Math.ceil(runs[runs.length - 1].to / (32 * blockWords)) + 1);
		for (const run of runs) {
			const first = this.segmentAt(run.from);
			const end = this.segmentAt(run.to);
			if (first === -1 || end === -1) return null;
			for (const { from, to } of statuses)
				for (let status = from; status < to; status++) this.add(counted, status, types, first, end);
		}
		return sumBlocks(counted, blockWords);
	}

	/** Adds the rows of segments [first, end) that have `status` and one of `types` to those of their blocks. */
	private add(
		counted: Uint32Array,
		status: number,
		types: readonly Range[],
		first: number,
		end: number,
	): void {
		const { offsets, rows, segments } = this.pairs;
		const { starts, blockWords } = this.segments;
		for (const { from, to } of types) {
			const pair = status * this.types;
			for (let at = offsets[pair + from]; at < offsets[pair + to]; at++) {
				const segment = segments[at];
				if (segment < first || segment >= end) continue;
				counted[Math.floor(starts[segment] / (32 * blockWords)) + 1] += rows[at];
			}
		}
	}

	/** The segment that begins with `row`, -1 if none does. */
	private segmentAt(row: number): number {
		const { starts } = this.segments;
		const at = firstIndexAtLeast(starts, 0, starts.length, row);
		return starts[at] === row ? at : -1;
	}
}
