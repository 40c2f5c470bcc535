/**
 * Top-N selection (as in a database's ORDER BY … LIMIT): one page of a list of rows in sort order, without
 * sorting the list. A long list is partitioned by the stored buckets of the sort order, one byte a row, and
 * only the buckets that the page overlaps are kept; a bucket with several values is partitioned further by
 * a histogram of sort keys. Short lists are radix-sorted.
 *
 * Dictionary codes stand in for fold ranks: they order values alike except within a fold, and need no
 * lookup. Partition boundaries are moved to where a fold begins or ends; ranks are read for short lists only.
 * Ties of one column are broken by the next, and finally by row.
 * Cost O(rows) per column, plus sorting at most {@link SORTED_KEYS_MAX} rows at a time.
 */

import type { ColumnName, Range } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { keepMarked, splitMarked } from "../kernels/buckets.js";
import { ascends, countBelow, pickWithin } from "../kernels/keys.js";
import { sortedIndexes } from "../kernels/sort.js";
import type { Order } from "../query.js";
import type { RowArena, Work } from "../scratch.js";
import {
	HISTOGRAM_BITS,
	INSERTION_SORT_ROWS_MAX,
	SORTED_KEYS_MAX,
	SORTED_ROWS_MIN,
	SORTED_SHARE,
	SPLIT_ROWS_SHARE,
} from "../tuning.js";
import { type BucketHistogram, type BucketRange, pageBuckets } from "./bucket-histogram.js";
import type { PageWindow } from "./page-window.js";
import { SortKeys } from "./sort-keys.js";

const histogram = new Uint32Array(1 << HISTOGRAM_BITS);

/** Rows with their keys of sort column `depth`. */
interface KeyedList {
	readonly list: Uint32Array;
	readonly keys: Uint32Array;
	readonly least: number;
	readonly most: number;
	readonly depth: number;
	/** Whether all keys are fold ranks whatever their number, since codes did not part the list. */
	readonly ranked: boolean;
}

export class TopN {
	/** Keys of the sort columns. */
	readonly keys: SortKeys;
	private out: Uint32Array = new Uint32Array(0);
	private taken = 0;

	constructor(
		sort: readonly ColumnName[],
		order: Order,
		columns: SnapshotColumns,
		private readonly arena: RowArena,
		private readonly work: Work,
	) {
		this.keys = new SortKeys(sort, order, columns);
	}

	/**
	 * Writes the window's rows of a list in sort order to out[at…), comparing from sort column `depth` on; returns
	 * the end. The contents of `list` are lost.
	 */
	select(
		list: Uint32Array,
		depth: number,
		{ offset, limit }: PageWindow,
		out: Uint32Array,
		at: number,
	): number {
		this.out = out;
		this.taken = at;
		const mark = this.arena.mark();
		this.narrow(list, depth, { offset, limit: Math.min(limit, list.length - offset) });
		this.arena.release(mark);
		return this.taken;
	}

	/** As {@link select}, choosing how. */
	private narrow(list: Uint32Array, depth: number, window: PageWindow): void {
		if (window.limit <= 0 || list.length === 0) return;
		if (depth === this.keys.depths && ascends(list)) {
			this.take(list, window);
			return;
		}
		const isSorted =
			list.length <= Math.min(SORTED_KEYS_MAX, Math.max(SORTED_ROWS_MIN, SORTED_SHARE * window.limit));
		if (depth === this.keys.depths || isSorted) {
			this.narrowByKeys(list, depth, window, false);
			return;
		}
		this.narrowByBuckets(list, depth, window);
	}

	/** Takes the window's rows of an ascending list by row. */
	private take(list: Uint32Array, { offset, limit }: PageWindow): void {
		const { descending } = this.keys;
		const last = list.length - 1;
		for (let i = offset; i < offset + limit; i++) this.out[this.taken++] = list[descending ? last - i : i];
	}

	/** As {@link narrow}, for a long list: by the stored buckets of a column. */
	private narrowByBuckets(list: Uint32Array, depth: number, { offset, limit }: PageWindow): void {
		this.work.add(2 * list.length);
		const buckets = this.keys.buckets(depth);
		buckets.count(list);
		const page = buckets.pageBuckets(offset, limit);
		const skip = offset - page.before;
		// Few rows are sorted whole.
		if (page.to === page.from + 1 || page.rows <= SORTED_KEYS_MAX) {
			const kept = this.keep(list, buckets, page);
			this.descend(kept, depth, buckets.isOneFold(page), { offset: skip, limit });
			return;
		}
		// The range with most rows is written back to the candidates, the others aside, where they are partitioned.
		const candidates = page.rows * SPLIT_ROWS_SHARE <= list.length ? this.keep(list, buckets, page) : list;
		const ranges = buckets.split(page, SORTED_KEYS_MAX);
		const largest = ranges.reduce((a, b) => (b.rows > a.rows ? b : a));
		const mark = this.arena.mark();
		const room = this.arena.take(candidates.length);
		const marks = buckets.marksOf(page, largest);
		const split = splitMarked(candidates, buckets.ofRows, marks, room, candidates);
		this.arena.release(mark + split.kept);
		const others = room.subarray(0, split.kept);
		let before = 0;
		for (const range of ranges) {
			const from = Math.max(0, skip - before);
			const wanted = Math.min(range.rows, skip + limit - before) - from;
			before += range.rows;
			const part =
				range === largest ? candidates.subarray(0, split.aside) : this.keep(others, buckets, range);
			this.descend(part, depth, buckets.isOneFold(range), { offset: from, limit: wanted });
		}
	}

	/** As {@link narrow}, for the rows of some buckets, which may be of one fold. */
	private descend(list: Uint32Array, depth: number, isOneFold: boolean, window: PageWindow): void {
		if (isOneFold) this.narrow(list, depth + 1, window);
		else this.narrowByKeys(list, depth, window, false);
	}

	/** The rows of a list in some buckets; the list itself where these are all of it. */
	private keep(list: Uint32Array, buckets: BucketHistogram, range: BucketRange): Uint32Array {
		if (range.rows === list.length) return list;
		// The kernel writes every row before it knows whether to keep it, so it needs room for all.
		const mark = this.arena.mark();
		const room = this.arena.take(list.length);
		const rows = keepMarked(list, buckets.ofRows, buckets.marksOf(range), room);
		this.arena.release(mark + rows);
		return room.subarray(0, rows);
	}

	/** As {@link narrow}, by copies of the keys. `ranked` reads fold ranks for keys: slower, but equal exactly where values fold alike. */
	private narrowByKeys(list: Uint32Array, depth: number, window: PageWindow, ranked: boolean): void {
		this.work.add(list.length);
		const keys = this.arena.take(list.length);
		const short = list.length <= SORTED_KEYS_MAX;
		const exact = ranked || short;
		if (exact) this.keys.readRanks(list, depth, keys);
		else this.keys.readCodes(list, depth, keys);
		let least = keys[0];
		let most = keys[0];
		for (let i = 1; i < keys.length; i++) {
			const key = keys[i];
			if (key < least) least = key;
			if (key > most) most = key;
		}
		if (depth < this.keys.depths && (least === most || (!exact && this.keys.isOneFold(depth, least, most)))) {
			this.narrow(list, depth + 1, window);
			return;
		}
		const keyed = { list, keys, least, most, depth, ranked };
		if (short) this.sort(keyed, window);
		else this.split(keyed, window);
	}

	/** Partitions a list by a histogram of its keys and visits the partitions that the page overlaps. */
	private split(keyed: KeyedList, window: PageWindow): void {
		const { keys, least, most } = keyed;
		const shift = Math.max(0, 32 - Math.clz32(most - least) - HISTOGRAM_BITS);
		histogram.fill(0);
		for (let i = 0; i < keys.length; i++) histogram[(keys[i] - least) >>> shift]++;
		this.visit(keyed, shift, window);
	}

	/**
	 * The ranges of keys that the window's rows lie in, from a histogram of keys with buckets of 2^shift keys from
	 * the least on: the first bucket, the last, and those between, moved to where folds begin. Also how many rows
	 * precede them, or null if the histogram does not tell.
	 */
	private keyRanges(
		{ least, depth, ranked }: KeyedList,
		shift: number,
		{ offset, limit }: PageWindow,
	): { ranges: Range[]; before: number | null } {
		const page = pageBuckets(histogram, offset, limit);
		const first = page.from;
		const last = page.to - 1;
		const bound = (index: number) => least + index * 2 ** shift;
		const start = (index: number) => (ranked ? bound(index) : this.keys.foldStart(depth, bound(index)));
		const end = (index: number) => (ranked ? bound(index + 1) : this.keys.foldEnd(depth, bound(index + 1)));
		const ranges: Range[] = [];
		let from = start(first);
		const isExact = from === bound(first);
		const close = (to: number) => {
			if (to > from) ranges.push({ from, to });
			from = Math.max(from, to);
		};
		// Few rows are sorted whole.
		if (last > first && page.rows > SORTED_KEYS_MAX) {
			close(end(first));
			// All rows between are on the page; ranges of them are made short enough to sort.
			let rows = 0;
			for (let between = first + 1; between < last; between++) {
				rows += histogram[between];
				if (rows <= SORTED_KEYS_MAX) continue;
				close(start(between));
				rows = histogram[between];
			}
			// Not by `rows`: a range ends where a fold begins, which may leave rows of the buckets counted before.
			if (page.rows > histogram[first] + histogram[last]) close(start(last));
			else from = Math.max(from, start(last));
		}
		close(end(last));
		return { ranges, before: isExact ? page.before : null };
	}

	/** Orders the rows of each range of keys (see {@link keyRanges}) that the window's rows lie in. */
	private visit(keyed: KeyedList, shift: number, window: PageWindow): void {
		const { list, keys, depth, ranked } = keyed;
		const { offset, limit } = window;
		const found = this.keyRanges(keyed, shift, window);
		let before = found.before ?? countBelow(keys, found.ranges[0].from);
		const end = offset + limit;
		for (const { from, to } of found.ranges) {
			if (before >= end) break;
			const mark = this.arena.mark();
			const room = this.arena.take(keys.length);
			const count = pickWithin(list, keys, from, to, room);
			this.arena.release(mark + count);
			const skip = Math.max(0, offset - before);
			const wanted = Math.min(count, end - before) - skip;
			before += count;
			if (wanted <= 0) continue;
			const part = room.subarray(0, count);
			const within = { offset: skip, limit: wanted };
			if (depth < this.keys.depths && !ranked && this.keys.isOneFold(depth, from, to - 1)) {
				this.narrow(part, depth + 1, within);
				continue;
			}
			// A range as large as the list would be split the same way forever; ranks split it differently.
			const same = count === keys.length;
			this.narrowByKeys(part, depth, within, ranked || same);
		}
	}

	/** Sorts a short list by its keys and writes its part of the page; ties are ordered by the next column. */
	private sort({ list, keys, least, most, depth }: KeyedList, { offset, limit }: PageWindow): void {
		const count = list.length;
		const indexes = sortedIndexes(keys, least, most);
		const sorted = this.arena.take(count);
		const sortedKeys = this.arena.take(count);
		for (let i = 0; i < count; i++) {
			const index = indexes[i];
			sorted[i] = list[index];
			sortedKeys[i] = keys[index];
		}
		const end = offset + limit;
		this.keys.touch(sorted, depth + 1);
		let start = 0;
		while (start < end) {
			let stop = start + 1;
			while (stop < count && sortedKeys[stop] === sortedKeys[start]) stop++;
			if (stop > offset) this.writePeers(sorted, { from: start, to: stop }, depth, offset, end);
			start = stop;
		}
	}

	/** Writes rows [from, to) of a list, of which those of `peers` have equal keys, as far as these are among them. */
	private writePeers(list: Uint32Array, peers: Range, depth: number, from: number, to: number): void {
		const first = Math.max(peers.from, from);
		const end = Math.min(peers.to, to);
		const size = peers.to - peers.from;
		if (size > INSERTION_SORT_ROWS_MAX) {
			const window = { offset: first - peers.from, limit: end - first };
			this.narrow(list.subarray(peers.from, peers.to), depth + 1, window);
			return;
		}
		if (size > 1) this.sortByComparing(list, peers, depth + 1);
		for (let i = first; i < end; i++) this.out[this.taken++] = list[i];
	}

	/** Sorts a few rows of a list by insertion. */
	private sortByComparing(list: Uint32Array, { from, to }: Range, depth: number): void {
		for (let i = from + 1; i < to; i++) {
			const row = list[i];
			let at = i;
			while (at > from && this.keys.compare(row, list[at - 1], depth) < 0) {
				list[at] = list[at - 1];
				at--;
			}
			list[at] = row;
		}
	}
}
