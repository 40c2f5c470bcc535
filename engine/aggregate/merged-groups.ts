/**
 * Merged groups: the groups of one dimension in two months, numbered together in the order of their values. Counts of both
 * months by these numbers are compared by adding into arrays, without a text being looked at.
 *
 * Dictionaries are merged at first use, in slices where they are large, and kept: the values of a month never change. Dates
 * by month and year have few labels and are merged each time. Memory: four bytes a distinct value of each month; of all pairs of
 * months together a thread keeps at most {@link MERGED_GROUPS_BYTES_MAX}, of those used last, or the last one alone.
 */

import { invariant } from "../../formats/index.js";
import { ABSENT, mergeDictionaries, mergeSorted, type TakeMerged } from "../columns/merge-values.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { finishWork, PendingWork, SLICE_SIZES, type SlicedWork, type SliceSizes } from "../sliced-work.js";
import { MERGED_AT_ONCE_MAX, MERGED_GROUPS_BYTES_MAX } from "../tuning.js";
import type { Dimension } from "./dimensions.js";

export interface MergedGroups {
	/** By group of the older month, its number among those of both; ascending. */
	readonly older: Uint32Array;
	/** By group of the newer month. */
	readonly newer: Uint32Array;
	/** Number of groups of both months; the last is that of rows without a value. */
	readonly count: number;
}

/** Two open months: the older one, and the newer. */
export type ColumnPair = readonly [older: SnapshotColumns, newer: SnapshotColumns];

interface Entry {
	/** Of these months and this column alone. */
	readonly id: number;
	readonly months: ColumnPair;
	readonly column: string;
	/** Null until they are merged, and once they were evicted. */
	merged: MergedGroups | null;
}

/** The merged groups of the open months of one library. */
export class MergedGroupsCache {
	/** The least recently used first. */
	private entries: Entry[] = [];
	private lastId = 0;

	constructor(private readonly bytesMax = MERGED_GROUPS_BYTES_MAX) {}

	/** Bytes that are kept. */
	get keptBytes(): number {
		return this.entries.reduce((sum, { merged }) => sum + (merged === null ? 0 : bytesOf(merged)), 0);
	}

	/**
	 * The merged groups of a dimension in two months, or the work of making and keeping them. Cost O(groups of both), some
	 * 100 ns each at first use and for dates; else O(1).
	 */
	find(months: ColumnPair, older: Dimension, newer: Dimension): MergedGroups | PendingWork<MergedGroups> {
		if (older.values === null) return finishWork(mergeGroups(older, newer));
		const entry = this.used(months, older.column.name);
		if (entry.merged !== null) return entry.merged;
		if (older.groupCount + newer.groupCount <= MERGED_AT_ONCE_MAX)
			return finishWork(this.make(entry, older, newer));
		return new PendingWork(`merged groups ${entry.id}`, this.make(entry, older, newer), true);
	}

	/** Releases the groups of months that are not among these. */
	keepOnly(open: readonly SnapshotColumns[]): void {
		this.entries = this.entries.filter(({ months }) => months.every((month) => open.includes(month)));
	}

	/** The entry of months and a column, which becomes the last one used. */
	private used(months: ColumnPair, column: string): Entry {
		const at = this.entries.findIndex(
			(each) => each.column === column && each.months[0] === months[0] && each.months[1] === months[1],
		);
		const entry =
			at === -1 ? { id: ++this.lastId, months, column, merged: null } : this.entries.splice(at, 1)[0];
		this.entries.push(entry);
		return entry;
	}

	private *make(entry: Entry, older: Dimension, newer: Dimension): SlicedWork<MergedGroups> {
		const merged = yield* mergeGroups(older, newer);
		entry.merged = merged;
		for (const each of this.entries) {
			if (this.keptBytes <= this.bytesMax) break;
			if (each !== entry) each.merged = null;
		}
		return merged;
	}
}

function bytesOf({ older, newer }: MergedGroups): number {
	return older.byteLength + newer.byteLength;
}

/** Numbers the groups of a dimension in two months together. */
function* mergeGroups(
	older: Dimension,
	newer: Dimension,
	sizes: SliceSizes = SLICE_SIZES,
): SlicedWork<MergedGroups> {
	const numbers = { older: new Uint32Array(older.groupCount), newer: new Uint32Array(newer.groupCount) };
	let count = 0;
	const take: TakeMerged = (a, b) => {
		if (a !== ABSENT) numbers.older[a] = count;
		if (b !== ABSENT) numbers.newer[b] = count;
		count++;
	};
	const [a, b] = [older.values, newer.values];
	if (a !== null && b !== null) yield* mergeDictionaries(a, b, sizes, take);
	else yield* mergeSorted(older.groupCount - 1, newer.groupCount - 1, labelOrder(older, newer), sizes, take);
	numbers.older[older.groupCount - 1] = count;
	numbers.newer[newer.groupCount - 1] = count;
	return { ...numbers, count: count + 1 };
}

/** Compares labels of dates, of which each has one spelling. */
function labelOrder(older: Dimension, newer: Dimension): (a: number, b: number) => number {
	const labelOf = (dimension: Dimension, group: number): string => {
		const label = dimension.label(group);
		invariant(label !== null, "the last group alone has no value");
		return label;
	};
	return (a, b) => {
		const [left, right] = [labelOf(older, a), labelOf(newer, b)];
		return left < right ? -1 : left > right ? 1 : 0;
	};
}
