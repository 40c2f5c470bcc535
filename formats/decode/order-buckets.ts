/** Reads the buckets of a sort order in place. */

export class OrderBuckets {
	/** Buckets of values; also the bucket of the rows without one. */
	readonly count: number;

	constructor(
		/** The bucket of each row. */
		readonly ofRows: Uint8Array,
		/** The first rank of each bucket, then the number of folds; null where a bucket is a rank. */
		private readonly firstRanks: Uint32Array | null,
		folds: number,
	) {
		this.count = firstRanks === null ? folds : firstRanks.length - 1;
	}

	/** Whether all values of a bucket fold alike, as having none does. Cost O(1). */
	isOneFold(bucket: number): boolean {
		if (this.firstRanks === null || bucket === this.count) return true;
		return this.firstRanks[bucket + 1] - this.firstRanks[bucket] === 1;
	}
}
