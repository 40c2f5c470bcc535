/**
 * Random eviction with probabilistic admission: the policy of the caches that are full most of the
 * time. A lookup then needs no bookkeeping, and entries that are never found again seldom displace
 * ones that are.
 */

/** A full cache admits one insertion in this many. */
const ADMITTED_ONE_IN = 8;

export class RandomEviction {
	private state = 1;

	/** Whether a full cache should evict an entry for this insertion. */
	admits(): boolean {
		return this.draw() % ADMITTED_ONE_IN === 0;
	}

	/** Index of the entry to evict, of `count` entries. */
	victim(count: number): number {
		return this.draw() % count;
	}

	/** Xorshift32. */
	private draw(): number {
		let { state } = this;
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		this.state = state;
		return state >>> 0;
	}
}
