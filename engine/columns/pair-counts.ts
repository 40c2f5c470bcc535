/**
 * How many rows have each pair of a license status and a type, by segment: the rows of one block that are in one state.
 * With it, a page of a pair in the order of rows is found in its own blocks alone, and a pair without rows is known to have none
 * without reading any. Queries that nobody asked before gain from it; those asked again are in block-counts.ts.
 *
 * Invariant: a table is used when all rows have been counted, and for runs that are whole segments.
 * Memory: 4 bytes a segment for each pair that occurs, at most 1 MB in all for 2.5 million rows (bench engine).
 */

import { type ColumnName, columnNamed, type Range } from "../../formats/index.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import { COUNTED_BLOCK_WORDS, PAIRED_CODES_MAX, SUMMED_PAIRS_MAX } from "../tuning.js";
import type { CountedBlocks } from "./block-counts.js";
import type { Run } from "./runs.js";
import type { SnapshotColumns } from "./snapshot-columns.js";

const STATUSES: readonly ColumnName[] = ["member_license_status", "license_status_group"];
const TYPES: readonly ColumnName[] = ["member_type", "member_type_group"];

/** Matching codes of one column: ascending, disjoint ranges. */
interface ColumnCodes {
	readonly column: ColumnName;
	readonly codes: readonly Range[];
}

export class PairCounts {
	private tables: readonly PairTable[] = [];

	/** Counts the rows of each pair of columns, a segment at each step. Cost O(rows) in all. */
	*prepare(columns: SnapshotColumns): Generator<void, void> {
		const tables: PairTable[] = [];
		const segments = segmentsOf(columns);
		const count = segments.starts.length - 1;
		for (const status of STATUSES)
			for (const type of TYPES) {
				const table = PairTable.of(status, type, segments, columns);
				if (table === null) continue;
				let segment = 0;
				while (segment < count && table.count(segment)) {
					segment++;
					yield;
				}
				// Verification reports a corrupt code.
				if (segment === count) tables.push(table);
			}
		this.tables = tables;
	}

	/**
	 * The rows of `runs` that have the codes of both columns, by block; null where they are not counted: other columns, runs
	 * that divide a segment, or too many pairs. Cost O(pairs × segments of the runs).
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

function segmentsOf({ states, rows }: SnapshotColumns): Segments {
	const blockWords = COUNTED_BLOCK_WORDS;
	const starts = new Set<number>();
	for (let row = 0; row < rows; row += 32 * blockWords) starts.add(row);
	for (const { first } of states.runs) starts.add(first);
	starts.add(rows);
	return { starts: Uint32Array.from(starts).sort(), blockWords };
}

/** The counts of the pairs of two columns. */
class PairTable {
	/** By codes, row by row of statuses: one more than the place of the pair's counts, or 0 for a pair without rows. */
	private readonly places: Uint16Array;
	/** Rows by segment, for each pair that occurs. */
	private readonly counts: Uint32Array[] = [];

	private constructor(
		readonly status: ColumnName,
		readonly type: ColumnName,
		private readonly segments: Segments,
		private readonly columns: SnapshotColumns,
		statuses: number,
		private readonly types: number,
	) {
		this.places = new Uint16Array(statuses * types);
	}

	/** An empty table; null for columns with too many codes. */
	static of(
		status: ColumnName,
		type: ColumnName,
		segments: Segments,
		columns: SnapshotColumns,
	): PairTable | null {
		// The code after the last value is that of rows without one.
		const statuses = columns.dictionary.get(columnNamed(status)).distinct + 1;
		const types = columns.dictionary.get(columnNamed(type)).distinct + 1;
		if (statuses * types > PAIRED_CODES_MAX) return null;
		return new PairTable(status, type, segments, columns, statuses, types);
	}

	/** Counts the rows of one segment; false if the codes of one are corrupt. */
	count(segment: number): boolean {
		const { columns, counts, places, types } = this;
		const { starts } = this.segments;
		const statusCodes = columns.codes.get(columnNamed(this.status));
		const typeCodes = columns.codes.get(columnNamed(this.type));
		const end = starts[segment + 1];
		for (let row = starts[segment]; row < end; row++) {
			const pair = statusCodes[row] * types + typeCodes[row];
			let place = places[pair];
			if (place === undefined) return false;
			if (place === 0) places[pair] = place = counts.push(new Uint32Array(starts.length - 1));
			counts[place - 1][segment]++;
		}
		return true;
	}

	/** As {@link PairCounts.get}. */
	sum(statuses: readonly Range[], types: readonly Range[], runs: readonly Run[]): CountedBlocks | null {
		if (lengthOf(statuses) * lengthOf(types) > SUMMED_PAIRS_MAX) return null;
		const { blockWords } = this.segments;
		const before = new Uint32Array(Math.ceil(runs[runs.length - 1].to / (32 * blockWords)) + 1);
		for (const run of runs) {
			const first = this.segmentAt(run.from);
			const end = this.segmentAt(run.to);
			if (first === -1 || end === -1) return null;
			for (const { from, to } of statuses)
				for (let status = from; status < to; status++) this.add(before, status, types, first, end);
		}
		for (let block = 1; block < before.length; block++) before[block] += before[block - 1];
		return { blockWords, before };
	}

	/** Adds the rows of segments [first, end) that have `status` and one of `types` to those of the blocks. */
	private add(
		before: Uint32Array,
		status: number,
		types: readonly Range[],
		first: number,
		end: number,
	): void {
		const { counts, places } = this;
		const { starts, blockWords } = this.segments;
		for (const { from, to } of types)
			for (let type = from; type < to; type++) {
				const place = places[status * this.types + type];
				if (place === 0) continue;
				const rows = counts[place - 1];
				for (let segment = first; segment < end; segment++)
					before[Math.floor(starts[segment] / (32 * blockWords)) + 1] += rows[segment];
			}
	}

	/** The segment that begins with `row`, -1 if none does. */
	private segmentAt(row: number): number {
		const { starts } = this.segments;
		const at = firstIndexAtLeast(starts, 0, starts.length, row);
		return starts[at] === row ? at : -1;
	}
}

function lengthOf(ranges: readonly Range[]): number {
	let length = 0;
	for (const { from, to } of ranges) length += to - from;
	return length;
}
