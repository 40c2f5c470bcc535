/**
 * How many answers of more than a page of rows a thread renders at a time, by key and in all. Each holds
 * memory until its client has it, so without a bound one key could hold as much as it cares to ask for.
 */

import { ApiError } from "../errors.js";

/** Long answers in progress that one key may have in a thread. */
export const STREAMS_PER_KEY_MAX = 4;

/** Long answers in progress in a thread. */
export const STREAMS_MAX = 16;

export class StreamLimit {
	private readonly byKey = new Map<string, number>();
	private total = 0;

	constructor(
		private readonly perKeyMax = STREAMS_PER_KEY_MAX,
		private readonly totalMax = STREAMS_MAX,
	) {}

	/** Long answers in progress. */
	get inProgress(): number {
		return this.total;
	}

	/**
	 * Begins a long answer of the key with this id. Returns what ends it, which may be called again. Throws
	 * ApiError: `rate_limited` where the key has too many in progress, `unavailable` where all keys have.
	 */
	begin(keyId: string): () => void {
		const ofKey = this.byKey.get(keyId) ?? 0;
		if (ofKey >= this.perKeyMax) {
			throw new ApiError(
				"rate_limited",
				`This key is receiving ${ofKey} long answers or files, the most at a time; retry when one has ended.`,
			);
		}
		if (this.total >= this.totalMax)
			throw new ApiError("unavailable", "too many long answers are in progress; retry in a second");
		this.byKey.set(keyId, ofKey + 1);
		this.total++;
		let ended = false;
		return () => {
			if (ended) return;
			ended = true;
			this.total--;
			const left = (this.byKey.get(keyId) ?? 1) - 1;
			if (left === 0) this.byKey.delete(keyId);
			else this.byKey.set(keyId, left);
		};
	}
}
