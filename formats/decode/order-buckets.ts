/** Reads the buckets of a sort order in place. */

export class OrderBuckets {
	/** Number of buckets of values, which is also the bucket of null. */
	readonly count: number;

	constructor(
		/** The bucket of each row. */
		readonly ofRows: Uint8Array,
		/** The first rank of each bucket, then the number of folds; null if each bucket is one rank. */
		private readonly firstRanks: Uint32Array | null,
		folds: number,
	) {
		this.count = firstRanks === null ? folds : firstRanks.length - 1;
	}

	/** Whether all values of a bucket have the same fold; true for the bucket of null. Cost O(1). */
	isOneFold(bucket: number): boolean {
		if (this.firstRanks === null || bucket === this.count) return true;
		return this.firstRanks[bucket + 1] - this.firstRanks[bucket] === 1;
	}
}
