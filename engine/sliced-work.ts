/**
 * Work divided into slices of some milliseconds, so that a thread can answer requests in between: a generator
 * that yields after each slice and returns the result.
 */

export { finishWork } from "../formats/index.js";

export type SlicedWork<T> = Generator<undefined, T, undefined>;

/** Work that an answer has to wait for. Work that is abandoned leaves nothing behind. */
export class PendingWork<T = unknown> {
	constructor(
		/** The same for the same work, which is then done once. */
		readonly name: string,
		readonly work: SlicedWork<T>,
		/** Whether it takes memory per row, as composing changes does, and opening stored ones does not. */
		readonly takesMemory: boolean,
	) {}
}

/** Amount of work per slice. */
export interface SliceSizes {
	/** Rows, or distinct values, at tens of nanoseconds each. */
	readonly rows: number;
	/** Entries looked up by their text, at about a microsecond each. */
	readonly lookups: number;
}

/** About a millisecond each. */
export const SLICE_SIZES: SliceSizes = { rows: 1 << 15, lookups: 1 << 10 };

/** Calls `act` for consecutive ranges of `size` in [0, count), one per slice. */
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

/** Calls `act` for each of `items`, `size` of them per slice. */
export function* eachInSlices<T>(items: Iterable<T>, size: number, act: (item: T) => void): SlicedWork<void> {
	let left = size;
	for (const item of items) {
		act(item);
		if (--left > 0) continue;
		left = size;
		yield;
	}
}
