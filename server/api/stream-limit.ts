/**
 * Limits the long responses that a thread has in progress, per key and in total: those of more than a page of rows,
 * files, and streams of notifications. Each holds memory until its client has received it, so without a limit one key
 * could occupy any amount.
 */

import { LimitReached } from "./errors.js";

export interface StreamLimitOptions {
	/** What errors call the responses, in the plural. */
	readonly noun: string;
	/** Responses in progress per key and thread. */
	readonly perKeyMax: number;
	/** Responses in progress per thread. */
	readonly totalMax: number;
	/** Called when a response ends during which {@link StreamLimit.monthsChanged} was called; absent: nothing is. */
	readonly outlived?: () => void;
}

/** The limit of answers of more than a page of rows, and of files. */
export const LONG_ANSWERS = { noun: "long answers or files", perKeyMax: 4, totalMax: 16 } as const;

export class StreamLimit {
	private readonly byKey = new Map<string, number>();
	private readonly open = new Set<Stream>();

	constructor(private readonly options: StreamLimitOptions) {}

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
		const { noun, perKeyMax, totalMax, outlived } = this.options;
		const ofKey = this.byKey.get(keyId) ?? 0;
		if (ofKey >= perKeyMax) {
			throw new LimitReached(
				"rate_limited",
				`This key is receiving ${ofKey} ${noun}, the most at a time; retry when one has ended.`,
			);
		}
		if (this.open.size >= totalMax)
			throw new LimitReached("unavailable", `too many ${noun} are in progress; retry in a second`);
		this.byKey.set(keyId, ofKey + 1);
		const stream: Stream = { outlivesMonths: false };
		this.open.add(stream);
		return () => {
			if (!this.open.delete(stream)) return;
			const left = (this.byKey.get(keyId) ?? 1) - 1;
			if (left === 0) this.byKey.delete(keyId);
			else this.byKey.set(keyId, left);
			if (stream.outlivesMonths) outlived?.();
		};
	}
}

interface Stream {
	outlivesMonths: boolean;
}
