/**
 * Work that is done in slices of some milliseconds, so that a thread may answer requests between two of them:
 * a generator that yields after each slice and returns the result.
 */

export type SlicedWork<T> = Generator<undefined, T, undefined>;

/** How much is done in a slice. */
export interface SliceSizes {
	/** Rows, or distinct values, at tens of nanoseconds each. */
	readonly rows: number;
	/** Entries that are looked up by their text, at about a microsecond each. */
	readonly lookups: number;
}

/** About a millisecond each. */
export const SLICE_SIZES: SliceSizes = { rows: 1 << 15, lookups: 1 << 10 };

/** Does all slices at once. */
export function finishWork<T>(work: SlicedWork<T>): T {
	for (;;) {
		const { done, value } = work.next();
		if (done) return value;
	}
}

/** Calls `act` for the ranges of `size` that [0, count) falls into, one a slice. */
export function* inSlices(
	count: number,
	size: number,
	act: (from: number, to: number) => void,
): SlicedWork<void> {
	for (let from = 0; from < count; from += size) {
		act(from, Math.min(count, from + size));
		yield;
	}
}

/** Calls `act` for each of `items`, `size` of them a slice. */
export function* eachInSlices<T>(items: Iterable<T>, size: number, act: (item: T) => void): SlicedWork<void> {
	let left = size;
	for (const item of items) {
		act(item);
		if (--left > 0) continue;
		left = size;
		yield;
	}
}
