/** What a load generator counts: latencies by interval, outcomes, and acknowledged requests by key. */

/** Buckets a doubling of latency has: a figure read off is at most 5 % too high. */
const BUCKETS_PER_DOUBLING = 16;
const BUCKETS = 28 * BUCKETS_PER_DOUBLING;

export interface Stretch {
	/** Since the load began, in seconds: the end of the interval. */
	readonly atS: number;
	readonly seconds: number;
	readonly answered: number;
	readonly sheds: number;
	/** Connections that broke with a request under way while that was announced. */
	readonly cuts: number;
	/** Requests that were due and not sent yet at the end. */
	readonly waiting: number;
	/** From when a request was due to its last byte, in milliseconds. */
	readonly p50Ms: number;
	readonly p99Ms: number;
	readonly maxMs: number;
}

/** Latencies of one interval. */
export class Latencies {
	private readonly counts = new Uint32Array(BUCKETS);
	private total = 0;
	maxMs = 0;

	add(ms: number): void {
		const us = Math.max(1, ms * 1000);
		const bucket = Math.min(BUCKETS - 1, Math.floor(Math.log2(us) * BUCKETS_PER_DOUBLING));
		this.counts[bucket]++;
		this.total++;
		if (ms > this.maxMs) this.maxMs = ms;
	}

	/** The latency that `share` of all are at most at, in milliseconds; 0 where there are none. */
	quantile(share: number): number {
		let left = Math.ceil(this.total * share);
		if (left === 0) return 0;
		for (let bucket = 0; bucket < BUCKETS; bucket++) {
			left -= this.counts[bucket];
			if (left <= 0) return Math.min(this.maxMs, 2 ** ((bucket + 1) / BUCKETS_PER_DOUBLING) / 1000);
		}
		return this.maxMs;
	}
}

/** How far back acknowledged requests are remembered by time. */
const SLOT_MS = 25;
const SLOTS = 400;

/** Acknowledged requests of one key, those of the last ten seconds by when they came. */
export class Acknowledged {
	total = 0;
	/** Interrupted in flight: whether they were counted is unknown. */
	unknown = 0;
	/** Acknowledged so shortly before a kill that their counts may be lost. */
	losable = 0;
	private readonly slots = new Uint32Array(SLOTS);
	private readonly slotTimes = new Float64Array(SLOTS);

	add(nowMs: number): void {
		this.total++;
		const time = Math.floor(nowMs / SLOT_MS);
		const slot = time % SLOTS;
		if (this.slotTimes[slot] !== time) {
			this.slotTimes[slot] = time;
			this.slots[slot] = 0;
		}
		this.slots[slot]++;
	}

	/** Takes what came from `sinceMs` on as losable. */
	killed(sinceMs: number): void {
		const since = Math.floor(sinceMs / SLOT_MS);
		for (let slot = 0; slot < SLOTS; slot++)
			if (this.slotTimes[slot] >= since) this.losable += this.slots[slot];
	}
}
