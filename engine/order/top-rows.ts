/**
 * Selecting one page of a list of rows in sort order without sorting the list. A long list is counted by
 * the buckets of the sort order, one byte a row, and narrowed to those that the page lies in; where one of
 * these has several values, a histogram of their keys narrows it further. Short lists are sorted.
 *
 * Codes stand in for fold ranks, since they order values the same but for ties, and need no look-up
 * of their own: a histogram's bounds are moved to where a fold begins or ends, and ranks are read of
 * short lists only. Ties of one column are broken by the next, and in the end by row.
 * Cost O(rows) per column, plus the sort of at most {@link SORT_ROWS_MAX} rows at a time.
 */

import type { ColumnName } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { keepMarked, splitMarked } from "../kernels/buckets.js";
import { ascends, countBelow, pickWithin } from "../kernels/keys.js";
import { SORTED_KEYS_MAX, sortedIndexes } from "../kernels/sort.js";
import type { Order } from "../query.js";
import type { RowArena, Work } from "../scratch.js";
import { type BucketPlaces, type PlaceRegion, spanOf } from "./bucket-places.js";
import { SortKeys } from "./sort-keys.js";

/** Lists up to this length are sorted as a whole. */
const SORT_ROWS_MAX = SORTED_KEYS_MAX;
/** A list with so many times the rows of a page's buckets is narrowed to these before they are split. */
const SPLIT_ROWS_SHARE = 4;

/** Rows of equal key, no more than these, are compared with one another. */
const COMPARED_ROWS_MAX = 12;
const BUCKET_BITS = 11;
const histogram = new Uint32Array(1 << BUCKET_BITS);

/** Keys [low, high). */
interface Region {
	readonly low: number;
	readonly high: number;
}

export class PageSelector {
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
	 * Writes rows [offset, offset + limit) of list[0, count) in sort order to out[at…), comparing
	 * from sort column `depth` on; returns the end. What `list` holds is lost.
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

	/** As {@link select}. */
	private narrow(list: Uint32Array, depth: number, offset: number, limit: number): void {
		if (limit <= 0 || list.length === 0) return;
		if (depth === this.keys.depths && ascends(list)) {
			this.take(list, offset, limit);
			return;
		}
		if (depth === this.keys.depths || list.length <= SORT_ROWS_MAX) {
			this.narrowByKeys(list, depth, offset, limit, false);
			return;
		}
		this.narrowByBuckets(list, depth, offset, limit);
	}

	/** Takes rows [offset, offset + limit) of an ascending list by row. */
	private take(list: Uint32Array, offset: number, limit: number): void {
		const { descending } = this.keys;
		const last = list.length - 1;
		for (let i = offset; i < offset + limit; i++) this.out[this.taken++] = list[descending ? last - i : i];
	}

	/** As {@link narrow}, of a long list by a column's buckets. */
	private narrowByBuckets(list: Uint32Array, depth: number, offset: number, limit: number): void {
		this.work.add(2 * list.length);
		const places = this.keys.places(depth);
		places.count(list);
		const span = places.spanOf(offset, limit);
		const skip = offset - span.before;
		// Few rows are sorted as a whole.
		if (span.first === span.last || span.rows <= SORT_ROWS_MAX) {
			this.descend(this.keep(list, places, span), span, places, depth, skip, limit);
			return;
		}
		// The region with most rows is written to the window itself, the others aside, where they are taken apart.
		const window = span.rows * SPLIT_ROWS_SHARE <= list.length ? this.keep(list, places, span) : list;
		const regions = places.regionsOf(span, SORT_ROWS_MAX);
		const largest = regions.reduce((a, b) => (b.rows > a.rows ? b : a));
		const mark = this.arena.mark();
		const room = this.arena.take(window.length);
		const marks = places.marksOf(span, largest);
		const split = splitMarked(window, places.ofRows, marks, room, window);
		this.arena.release(mark + split.kept);
		const others = room.subarray(0, split.kept);
		let before = 0;
		for (const region of regions) {
			const from = Math.max(0, skip - before);
			const wanted = Math.min(region.rows, skip + limit - before) - from;
			before += region.rows;
			const part = region === largest ? window.subarray(0, split.aside) : this.keep(others, places, region);
			this.descend(part, region, places, depth, from, wanted);
		}
	}

	/** As {@link narrow}, of a list of the rows at some places. */
	private descend(
		list: Uint32Array,
		region: PlaceRegion,
		places: BucketPlaces,
		depth: number,
		offset: number,
		limit: number,
	): void {
		if (places.isOneFold(region)) this.narrow(list, depth + 1, offset, limit);
		else this.narrowByKeys(list, depth, offset, limit, false);
	}

	/** The rows of a list at some places, which have so many; the list itself where these are all. */
	private keep(list: Uint32Array, places: BucketPlaces, region: PlaceRegion): Uint32Array {
		if (region.rows === list.length) return list;
		// Every row is written before it is known whether it is kept.
		const mark = this.arena.mark();
		const room = this.arena.take(list.length);
		const rows = keepMarked(list, places.ofRows, places.marksOf(region), room);
		this.arena.release(mark + rows);
		return room.subarray(0, rows);
	}

	/** As {@link narrow}, over a copy of the keys; `ranked` reads ranks for keys, which is slower and always tells folds apart. */
	private narrowByKeys(
		list: Uint32Array,
		depth: number,
		offset: number,
		limit: number,
		ranked: boolean,
	): void {
		this.work.add(list.length);
		const keys = this.arena.take(list.length);
		const short = list.length <= SORT_ROWS_MAX;
		if (ranked || short) this.keys.readRanks(list, depth, keys);
		else this.keys.readCodes(list, depth, keys);
		let least = keys[0];
		let most = keys[0];
		for (let i = 1; i < keys.length; i++) {
			const key = keys[i];
			if (key < least) least = key;
			if (key > most) most = key;
		}
		const exact = ranked || short;
		if (depth < this.keys.depths && (least === most || (!exact && this.keys.isOneFold(depth, least, most)))) {
			this.narrow(list, depth + 1, offset, limit);
		} else if (short) this.sort(list, keys, least, most, depth, offset, limit);
		else this.split(list, keys, least, most, depth, offset, limit, ranked);
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
		ranked: boolean,
	): void {
		const shift = Math.max(0, 32 - Math.clz32(most - least) - BUCKET_BITS);
		histogram.fill(0);
		for (let i = 0; i < keys.length; i++) histogram[(keys[i] - least) >>> shift]++;
		this.visit(list, keys, least, shift, depth, offset, limit, ranked);
	}

	/**
	 * The regions of keys that rows [offset, offset + limit) lie in, by the histogram of keys from `low` on
	 * in buckets of 2^shift: the first bucket, the last, and what lies between, moved to where folds begin.
	 * How many rows come before them all, where the histogram tells that.
	 */
	private regionsOf(
		low: number,
		shift: number,
		depth: number,
		offset: number,
		limit: number,
		ranked: boolean,
	): { regions: Region[]; before: number | null } {
		const span = spanOf(histogram, offset, limit);
		const { first, last, before } = span;
		const bound = (index: number) => low + index * 2 ** shift;
		const start = (index: number) => (ranked ? bound(index) : this.keys.foldStart(depth, bound(index)));
		const end = (index: number) => (ranked ? bound(index + 1) : this.keys.foldEnd(depth, bound(index + 1)));
		const regions: Region[] = [];
		let from = start(first);
		const isExact = from === bound(first);
		const close = (to: number) => {
			if (to > from) regions.push({ low: from, high: to });
			from = Math.max(from, to);
		};
		// Few rows are sorted as a whole.
		if (last > first && span.rows > SORT_ROWS_MAX) {
			close(end(first));
			// What lies between is of the page as a whole, and taken in regions that are short enough to sort.
			let rows = 0;
			for (let between = first + 1; between < last; between++) {
				rows += histogram[between];
				if (rows <= SORT_ROWS_MAX) continue;
				close(start(between));
				rows = histogram[between];
			}
			if (rows > 0) close(start(last));
			else from = Math.max(from, start(last));
		}
		close(end(last));
		return { regions, before: isExact ? before : null };
	}

	/** Looks further at the regions of keys (see {@link regionsOf}) that rows [offset, offset + limit) lie in. */
	private visit(
		list: Uint32Array,
		keys: Uint32Array,
		least: number,
		shift: number,
		depth: number,
		offset: number,
		limit: number,
		ranked: boolean,
	): void {
		const found = this.regionsOf(least, shift, depth, offset, limit, ranked);
		let before = found.before ?? countBelow(keys, found.regions[0].low);
		const end = offset + limit;
		for (const { low, high } of found.regions) {
			if (before >= end) break;
			const mark = this.arena.mark();
			const room = this.arena.take(keys.length);
			const count = pickWithin(list, keys, low, high, room);
			this.arena.release(mark + count);
			const skip = Math.max(0, offset - before);
			const wanted = Math.min(count, end - before) - skip;
			before += count;
			if (wanted <= 0) continue;
			const part = room.subarray(0, count);
			if (depth < this.keys.depths && !ranked && this.keys.isOneFold(depth, low, high - 1)) {
				this.narrow(part, depth + 1, skip, wanted);
				continue;
			}
			// A region as large as the list would be split the same way for ever: ranks split it otherwise.
			const same = count === keys.length;
			this.narrowByKeys(part, depth, skip, wanted, ranked || same);
		}
	}

	/** Sorts a short list by keys from `least` to `most` and writes its part of the page; equal keys go to the next column. */
	private sort(
		list: Uint32Array,
		keys: Uint32Array,
		least: number,
		most: number,
		depth: number,
		offset: number,
		limit: number,
	): void {
		const count = list.length;
		const indexes = sortedIndexes(keys, least, most);
		const sorted = this.arena.take(count);
		const groups = this.arena.take(count);
		for (let i = 0; i < count; i++) {
			const index = indexes[i];
			sorted[i] = list[index];
			groups[i] = keys[index];
		}
		const end = offset + limit;
		this.keys.touch(sorted, depth + 1);
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
		if (group.length > COMPARED_ROWS_MAX) {
			this.narrow(group, depth + 1, first, end - first);
			return;
		}
		this.sortByComparing(group, depth + 1);
		for (let i = first; i < end; i++) this.out[this.taken++] = group[i];
	}

	/** Sorts a few rows by insertion. */
	private sortByComparing(group: Uint32Array, depth: number): void {
		for (let i = 1; i < group.length; i++) {
			const row = group[i];
			let to = i;
			while (to > 0 && this.keys.compare(row, group[to - 1], depth) < 0) {
				group[to] = group[to - 1];
				to--;
			}
			group[to] = row;
		}
	}
}
