/**
 * Limits the responses of more than a page of rows that a thread renders at a time, per key and in total. Each
 * holds memory until its client has received it, so without a limit one key could occupy any amount.
 */

import { LimitReached } from "../errors.js";

/** Long responses in progress per key and thread. */
export const STREAMS_PER_KEY_MAX = 4;

/** Long responses in progress per thread. */
export const STREAMS_MAX = 16;

export class StreamLimit {
	private readonly byKey = new Map<string, number>();
	private readonly open = new Set<Stream>();

	/** `outlived`: called when a response ends during which {@link monthsChanged} was called. */
	constructor(
		private readonly perKeyMax = STREAMS_PER_KEY_MAX,
		private readonly totalMax = STREAMS_MAX,
		private readonly outlived: () => void = () => undefined,
	) {}

	/** Long responses in progress. */
	get inProgress(): number {
		return this.open.size;
	}

	/** Months were taken out of service, which responses in progress may still read. */
	monthsChanged(): void {
		for (const stream of this.open) stream.outlivesMonths = true;
	}

	/**
	 * Begins a long response of the key with this id. Returns a function that ends it, which may be called
	 * repeatedly. Throws LimitReached: `rate_limited` if the key has too many in progress, `unavailable` if all
	 * keys together do.
	 */
	begin(keyId: string): () => void {
		const ofKey = this.byKey.get(keyId) ?? 0;
		if (ofKey >= this.perKeyMax) {
			throw new LimitReached(
				"rate_limited",
				`This key is receiving ${ofKey} long answers or files, the most at a time; retry when one has ended.`,
			);
		}
		if (this.open.size >= this.totalMax)
			throw new LimitReached("unavailable", "too many long answers are in progress; retry in a second");
		this.byKey.set(keyId, ofKey + 1);
		const stream: Stream = { outlivesMonths: false };
		this.open.add(stream);
		return () => {
			if (!this.open.delete(stream)) return;
			const left = (this.byKey.get(keyId) ?? 1) - 1;
			if (left === 0) this.byKey.delete(keyId);
			else this.byKey.set(keyId, left);
			if (stream.outlivesMonths) this.outlived();
		};
	}
}

interface Stream {
	outlivesMonths: boolean;
}
