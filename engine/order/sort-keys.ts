/**
 * Sort keys, one column at a time: numbers that ascend in output order, whichever direction that is,
 * with rows without a value last (docs/API.md §1.5).
 *
 * A key derives from a row's code or from its fold rank. Codes order rows as ranks do except within a
 * fold, whose codes are adjacent. After the last column, the row itself is the key.
 */

import {
	type Codes,
	type Column,
	type ColumnName,
	columnNamed,
	type Dictionary,
	type Range,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Order } from "../query.js";
import { BucketHistogram } from "./bucket-histogram.js";

interface SortColumn {
	readonly column: Column;
	readonly codes: Codes;
	readonly dictionary: Dictionary;
}

/** Accumulates what was read, so that the compiler does not remove the reads. */
const read = { sum: 0 };

export class SortKeys {
	/** Number of sort columns. */
	readonly depths: number;
	private readonly columns: readonly SortColumn[];
	readonly descending: boolean;
	private readonly histograms: BucketHistogram[] = [];

	constructor(
		sort: readonly ColumnName[],
		order: Order,
		private readonly snapshot: SnapshotColumns,
	) {
		this.columns = sort.map((name) => {
			const column = columnNamed(name);
			return { column, codes: snapshot.codes.get(column), dictionary: snapshot.dictionary.get(column) };
		});
		this.depths = sort.length;
		this.descending = order === "desc";
	}

	/** The stored buckets of a sort column, in output order. */
	buckets(depth: number): BucketHistogram {
		this.histograms[depth] ??= new BucketHistogram(
			this.snapshot.orderBuckets.get(this.columns[depth].column),
			this.descending,
		);
		return this.histograms[depth];
	}

	/** Writes each row's key by code to `keys`. */
	readCodes(list: Uint32Array, depth: number, keys: Uint32Array): void {
		if (depth === this.depths) {
			this.readRows(list, keys);
			return;
		}
		const { codes, dictionary } = this.columns[depth];
		for (let i = 0; i < list.length; i++) keys[i] = codes[list[i]];
		if (this.descending) reverseBelow(keys, dictionary.distinct);
	}

	/** Writes each row's key by fold rank to `keys`: equal exactly where values fold alike. */
	readRanks(list: Uint32Array, depth: number, keys: Uint32Array): void {
		if (depth === this.depths) {
			this.readRows(list, keys);
			return;
		}
		const { codes, dictionary } = this.columns[depth];
		const { foldRanks, distinct, folds } = dictionary;
		if (foldRanks === null) for (let i = 0; i < list.length; i++) keys[i] = codes[list[i]];
		else {
			for (let i = 0; i < list.length; i++) {
				const code = codes[list[i]];
				keys[i] = code === distinct ? folds : foldRanks[code];
			}
		}
		if (this.descending) reverseBelow(keys, folds);
	}

	/** Compares two rows by the columns from `depth` on, then by row: negative if `a` comes first. */
	compare(a: number, b: number, depth: number): number {
		for (let at = depth; at < this.depths; at++) {
			const { codes, dictionary } = this.columns[at];
			const code = codes[a];
			const other = codes[b];
			if (code === other) continue;
			const { distinct } = dictionary;
			// Rows without a value are last in both orders.
			if (code === distinct || other === distinct) return code - other;
			const ranks = dictionary.rank(code) - dictionary.rank(other);
			if (ranks !== 0) return this.descending ? -ranks : ranks;
		}
		return this.descending ? b - a : a - b;
	}

	/**
	 * Prefetches the codes of a sort column: here cache misses overlap, while comparisons would wait for
	 * each.
	 */
	touch(list: Uint32Array, depth: number): void {
		if (depth >= this.depths) return;
		const { codes } = this.columns[depth];
		let sum = 0;
		for (let i = 0; i < list.length; i++) sum += codes[list[i]];
		read.sum ^= sum;
	}

	/** Whether the values of two keys by code fold alike. */
	isOneFold(depth: number, least: number, most: number): boolean {
		const { dictionary } = this.columns[depth];
		return dictionary.rank(this.codeOf(least, dictionary)) === dictionary.rank(this.codeOf(most, dictionary));
	}

	/** The first key by code of the fold that contains `key`; `key` itself if it is past all values. */
	foldStart(depth: number, key: number): number {
		const fold = this.foldOf(depth, key);
		return fold === null ? key : fold.from;
	}

	/** `key` if a fold begins there, else the end of the fold that contains it. */
	foldEnd(depth: number, key: number): number {
		const fold = this.foldOf(depth, key);
		return fold === null || fold.from === key ? key : fold.to;
	}

	/**
	 * Keys by code of the fold that contains a key; null if every fold has one code, or the key is past
	 * all values.
	 */
	private foldOf(depth: number, key: number): Range | null {
		if (depth === this.depths) return null;
		const { dictionary } = this.columns[depth];
		if (dictionary.foldRanks === null || key >= dictionary.distinct) return null;
		const codes = dictionary.sameFold(this.codeOf(key, dictionary));
		if (!this.descending) return codes;
		return { from: dictionary.distinct - codes.to, to: dictionary.distinct - codes.from };
	}

	/** Converts a key by code to its code or back: in descending order, the distance from the last code. */
	private codeOf(key: number, { distinct }: Dictionary): number {
		return this.descending && key < distinct ? distinct - 1 - key : key;
	}

	private readRows(list: Uint32Array, keys: Uint32Array): void {
		if (this.descending) for (let i = 0; i < list.length; i++) keys[i] = 0xffffffff - list[i];
		else keys.set(list);
	}
}

/** Reverses the order of keys below `end`; the key of null stays last. */
function reverseBelow(keys: Uint32Array, end: number): void {
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		if (key < end) keys[i] = end - 1 - key;
	}
}
