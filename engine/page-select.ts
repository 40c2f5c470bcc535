/**
 * Selecting one page of a list of rows in sort order without sorting the list: a histogram of the
 * first column's ranks finds the buckets the page lies in, and only those are looked at further.
 *
 * Ties of one column are broken by the next, and in the end by row. Cost O(rows) per column, plus
 * the sort of at most {@link SORT_ROWS_MAX} rows at a time.
 */

import type { Codes, ColumnName, Dictionary } from "../formats/index.js";
import { columnNamed } from "../formats/index.js";
import type { SnapshotColumns } from "./columns.js";
import type { Order } from "./query.js";
import type { RowArena } from "./scratch.js";

/** Lists up to this length are sorted as a whole. */
const SORT_ROWS_MAX = 2048;
const BUCKETS = 1024;
const histogram = new Uint32Array(BUCKETS);
const sortKeys = new Float64Array(SORT_ROWS_MAX);
/** Room for an index below SORT_ROWS_MAX beside a 32-bit key in a double. */
const INDEX_RANGE = SORT_ROWS_MAX;

interface SortColumn {
	readonly codes: Codes;
	readonly dictionary: Dictionary;
}

export class PageSelector {
	private readonly columns: readonly SortColumn[];
	private readonly descending: boolean;
	private out: Uint32Array = new Uint32Array(0);
	private taken = 0;

	constructor(
		sort: readonly ColumnName[],
		order: Order,
		columns: SnapshotColumns,
		private readonly arena: RowArena,
	) {
		this.columns = sort.map((name) => {
			const column = columnNamed(name);
			return { codes: columns.codes.get(column), dictionary: columns.dictionary.get(column) };
		});
		this.descending = order === "desc";
	}

	/**
	 * Writes rows [offset, offset + limit) of list[0, count) in sort order to out[at…), comparing
	 * from sort column `depth` on; returns the end. `list` is left in another order.
	 */
	select(
		list: Uint32Array,
		count: number,
		depth: number,
		offset: number,
		limit: number,
		out: Uint32Array,
		at: number,
	): number {
		this.out = out;
		this.taken = at;
		const mark = this.arena.mark();
		this.narrow(list.subarray(0, count), depth, offset, Math.min(limit, count - offset));
		this.arena.release(mark);
		return this.taken;
	}

	private narrow(list: Uint32Array, depth: number, offset: number, limit: number): void {
		if (limit <= 0 || list.length === 0) return;
		const keys = this.arena.take(list.length);
		this.readKeys(list, depth, keys);
		let least = keys[0];
		let most = keys[0];
		for (let i = 1; i < keys.length; i++) {
			if (keys[i] < least) least = keys[i];
			if (keys[i] > most) most = keys[i];
		}
		if (least === most && depth < this.columns.length) this.narrow(list, depth + 1, offset, limit);
		else if (list.length <= SORT_ROWS_MAX) this.sort(list, keys, depth, offset, limit);
		else this.split(list, keys, least, most, depth, offset, limit);
	}

	/** Key of each row: its rank in output order, nulls last; past the last column the row itself. */
	private readKeys(list: Uint32Array, depth: number, keys: Uint32Array): void {
		if (depth === this.columns.length) {
			if (this.descending) for (let i = 0; i < list.length; i++) keys[i] = 0xffffffff - list[i];
			else keys.set(list);
			return;
		}
		const { codes, dictionary } = this.columns[depth];
		readRanks(list, codes, dictionary.foldRanks, dictionary.distinct, dictionary.folds, keys);
		if (this.descending) reverseRanks(keys, dictionary.folds);
	}

	/** Looks further at the buckets that rows [offset, offset + limit) lie in: the first, the last, and all between. */
	private split(
		list: Uint32Array,
		keys: Uint32Array,
		least: number,
		most: number,
		depth: number,
		offset: number,
		limit: number,
	): void {
		const shift = Math.max(0, 32 - Math.clz32(most - least) - 10);
		histogram.fill(0);
		for (let i = 0; i < keys.length; i++) histogram[(keys[i] - least) >>> shift]++;
		let bucket = 0;
		let before = 0;
		while (before + histogram[bucket] <= offset) before += histogram[bucket++];
		const first = bucket;
		const firstBefore = before;
		while (before + histogram[bucket] < offset + limit) before += histogram[bucket++];
		const last = bucket;
		const firstCount = histogram[first];
		const lastCount = histogram[last];
		const middleCount = before - firstBefore - firstCount;
		const skip = offset - firstBefore;
		const fromFirst = Math.min(limit, firstCount - skip);
		this.narrow(this.pick(list, keys, least, shift, first, first, firstCount), depth, skip, fromFirst);
		if (last === first) return;
		const middle = this.pick(list, keys, least, shift, first + 1, last - 1, Math.max(0, middleCount));
		this.narrow(middle, depth, 0, middle.length);
		const left = offset + limit - before;
		this.narrow(this.pick(list, keys, least, shift, last, last, lastCount), depth, 0, left);
	}

	/** The rows of buckets [low, high], in the list's order. */
	private pick(
		list: Uint32Array,
		keys: Uint32Array,
		least: number,
		shift: number,
		low: number,
		high: number,
		count: number,
	): Uint32Array {
		const picked = this.arena.take(count);
		if (count === 0) return picked;
		let at = 0;
		for (let i = 0; i < keys.length; i++) {
			const bucket = (keys[i] - least) >>> shift;
			if (bucket >= low && bucket <= high) picked[at++] = list[i];
		}
		return picked;
	}

	/** Sorts a short list by key and writes its part of the page; equal keys go to the next column. */
	private sort(list: Uint32Array, keys: Uint32Array, depth: number, offset: number, limit: number): void {
		const count = list.length;
		for (let i = 0; i < count; i++) sortKeys[i] = keys[i] * INDEX_RANGE + i;
		sortKeys.subarray(0, count).sort();
		const sorted = this.arena.take(count);
		const groups = this.arena.take(count);
		for (let i = 0; i < count; i++) {
			const index = sortKeys[i] % INDEX_RANGE;
			sorted[i] = list[index];
			groups[i] = keys[index];
		}
		const end = offset + limit;
		let start = 0;
		while (start < end) {
			let stop = start + 1;
			while (stop < count && groups[stop] === groups[start]) stop++;
			if (stop > offset) this.writeGroup(sorted.subarray(start, stop), depth, offset - start, end - start);
			start = stop;
		}
	}

	/** Writes rows [from, to) of a group of equal keys, clipped to the group. */
	private writeGroup(group: Uint32Array, depth: number, from: number, to: number): void {
		const first = Math.max(0, from);
		const end = Math.min(group.length, to);
		if (group.length === 1) this.out[this.taken++] = group[0];
		else this.narrow(group, depth + 1, first, end - first);
	}
}

function readRanks(
	list: Uint32Array,
	codes: Codes,
	foldRanks: Uint32Array | null,
	distinct: number,
	folds: number,
	keys: Uint32Array,
): void {
	if (foldRanks === null) {
		for (let i = 0; i < list.length; i++) keys[i] = codes[list[i]];
		return;
	}
	for (let i = 0; i < list.length; i++) {
		const code = codes[list[i]];
		keys[i] = code === distinct ? folds : foldRanks[code];
	}
}

/** Reverses ranks below `folds`; the rank of null stays last. */
function reverseRanks(keys: Uint32Array, folds: number): void {
	for (let i = 0; i < keys.length; i++) if (keys[i] < folds) keys[i] = folds - 1 - keys[i];
}
