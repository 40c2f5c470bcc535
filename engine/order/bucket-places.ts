/**
 * The buckets of a sort column (formats/SNAPSHOT.md, orderBuckets) in output order: the place of a bucket
 * tells how many others come before it, whichever way the order runs. Rows without a value have the last.
 */

import type { OrderBuckets } from "../../formats/index.js";
import { ASIDE, BYTE_VALUES, countBuckets, KEPT } from "../kernels/buckets.js";

/** Places from the first to the last, which is one of them. */
export interface PlaceRange {
	readonly first: number;
	readonly last: number;
}

/** Some places and how many rows they have. */
export interface PlaceRegion extends PlaceRange {
	readonly rows: number;
}

/** The places that a page lies in, and how many rows come before them. */
export interface PlaceSpan extends PlaceRegion {
	readonly before: number;
}

const byBucket = new Uint32Array(BYTE_VALUES);
const marks = new Uint8Array(BYTE_VALUES);

export class BucketPlaces {
	/** How many rows the list that was counted last has at each place. */
	readonly counts = new Uint32Array(BYTE_VALUES);

	constructor(
		private readonly buckets: OrderBuckets,
		private readonly descending: boolean,
	) {}

	/** The bucket of each row. */
	get ofRows(): Uint8Array {
		return this.buckets.ofRows;
	}

	/** Counts the rows of a list by place. Cost O(rows). */
	count(list: Uint32Array): void {
		countBuckets(list, this.ofRows, byBucket);
		for (let place = 0; place <= this.buckets.count; place++)
			this.counts[place] = byBucket[this.bucketAt(place)];
	}

	/** The places of rows [offset, offset + limit) of the list that was counted last; it has them. */
	spanOf(offset: number, limit: number): PlaceSpan {
		return spanOf(this.counts, offset, limit);
	}

	/**
	 * A span cut into its first place, its last, and what lies between, which is cut where it has more
	 * than `most` rows: a place's rows stay together.
	 */
	regionsOf({ first, last }: PlaceSpan, most: number): PlaceRegion[] {
		const { counts } = this;
		const regions: PlaceRegion[] = [{ first, last: first, rows: counts[first] }];
		let from = first + 1;
		let rows = 0;
		for (let place = first + 1; place < last; place++) {
			if (rows > 0 && rows + counts[place] > most) {
				regions.push({ first: from, last: place - 1, rows });
				from = place;
				rows = 0;
			}
			rows += counts[place];
		}
		if (rows > 0) regions.push({ first: from, last: last - 1, rows });
		if (last > first) regions.push({ first: last, last, rows: counts[last] });
		return regions;
	}

	/** Whether the values at places [first, last] all fold alike. */
	isOneFold({ first, last }: PlaceRange): boolean {
		return first === last && this.buckets.isOneFold(this.bucketAt(first));
	}

	/**
	 * Marks (kernels/buckets.ts) of the buckets at places [first, last] as kept, but of those of `aside` as
	 * set aside; valid until the next are asked for.
	 */
	marksOf({ first, last }: PlaceRange, aside: PlaceRange | null = null): Uint8Array {
		marks.fill(0);
		for (let place = first; place <= last; place++) marks[this.bucketAt(place)] = KEPT;
		if (aside !== null)
			for (let place = aside.first; place <= aside.last; place++) marks[this.bucketAt(place)] = ASIDE;
		return marks;
	}

	private bucketAt(place: number): number {
		const { count } = this.buckets;
		return this.descending && place < count ? count - 1 - place : place;
	}
}

/** The places of rows [offset, offset + limit), which there are, where so many rows lie at each. */
export function spanOf(counts: Uint32Array, offset: number, limit: number): PlaceSpan {
	let place = 0;
	let passed = 0;
	while (passed + counts[place] <= offset) passed += counts[place++];
	const first = place;
	const before = passed;
	while (passed + counts[place] < offset + limit) passed += counts[place++];
	return { first, last: place, before, rows: passed + counts[place] - before };
}
