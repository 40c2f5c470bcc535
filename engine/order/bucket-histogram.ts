/**
 * A histogram of rows over the buckets of a sort column (formats/SNAPSHOT.md, orderBuckets), numbered in
 * output order: whichever way the order runs, the bucket of the rows without a value has the last number.
 */

import type { OrderBuckets, Range } from "../../formats/index.js";
import { ASIDE, BYTE_VALUES, countBuckets, KEPT } from "../kernels/buckets.js";

/** Buckets and how many of the counted rows they have. */
export interface BucketRange extends Range {
	readonly rows: number;
}

/** The buckets that a page overlaps, and how many rows precede them. */
export interface PageBuckets extends BucketRange {
	readonly before: number;
}

const stored = new Uint32Array(BYTE_VALUES);
const marks = new Uint8Array(BYTE_VALUES);
/** Rows of the list that any histogram counted last, by bucket in output order: no query allocates memory of its own for it. */
const counts = new Uint32Array(BYTE_VALUES);

export class BucketHistogram {
	constructor(
		private readonly buckets: OrderBuckets,
		private readonly descending: boolean,
	) {}

	/** The stored bucket of each row. */
	get ofRows(): Uint8Array {
		return this.buckets.ofRows;
	}

	/** Counts the rows of a list; its page and split are to be asked for before another list is counted. Cost O(rows). */
	count(list: Uint32Array): void {
		countBuckets(list, this.ofRows, stored);
		for (let bucket = 0; bucket <= this.buckets.count; bucket++)
			counts[bucket] = stored[this.storedNumber(bucket)];
	}

	/** The buckets of rows [offset, offset + limit) of the list counted last, which has them. */
	pageBuckets(offset: number, limit: number): PageBuckets {
		return pageBuckets(counts, offset, limit);
	}

	/**
	 * A page's buckets split into the first, the last, and those between, which are split further into ranges
	 * of at most `most` rows, except that a bucket is never split.
	 */
	split({ from, to }: Range, most: number): BucketRange[] {
		const last = to - 1;
		const ranges: BucketRange[] = [{ from, to: from + 1, rows: counts[from] }];
		let begin = from + 1;
		let rows = 0;
		for (let bucket = begin; bucket < last; bucket++) {
			if (rows > 0 && rows + counts[bucket] > most) {
				ranges.push({ from: begin, to: bucket, rows });
				begin = bucket;
				rows = 0;
			}
			rows += counts[bucket];
		}
		if (rows > 0) ranges.push({ from: begin, to: last, rows });
		if (last > from) ranges.push({ from: last, to, rows: counts[last] });
		return ranges;
	}

	/** Whether the values of some buckets all fold alike. */
	isOneFold({ from, to }: Range): boolean {
		return to === from + 1 && this.buckets.isOneFold(this.storedNumber(from));
	}

	/** Marks (kernels/buckets.ts) by stored bucket: some as kept, those of `aside` as set aside. Valid until the next call. */
	marksOf({ from, to }: Range, aside: Range | null = null): Uint8Array {
		marks.fill(0);
		for (let bucket = from; bucket < to; bucket++) marks[this.storedNumber(bucket)] = KEPT;
		if (aside !== null)
			for (let bucket = aside.from; bucket < aside.to; bucket++) marks[this.storedNumber(bucket)] = ASIDE;
		return marks;
	}

	private storedNumber(bucket: number): number {
		const { count } = this.buckets;
		return this.descending && bucket < count ? count - 1 - bucket : bucket;
	}
}

/** The buckets of rows [offset, offset + limit), which exist, given the rows by bucket. */
export function pageBuckets(counts: Uint32Array, offset: number, limit: number): PageBuckets {
	let bucket = 0;
	let passed = 0;
	while (passed + counts[bucket] <= offset) passed += counts[bucket++];
	const from = bucket;
	const before = passed;
	while (passed + counts[bucket] < offset + limit) passed += counts[bucket++];
	return { from, to: bucket + 1, before, rows: passed + counts[bucket] - before };
}
