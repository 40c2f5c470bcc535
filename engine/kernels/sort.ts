/**
 * Sorting short lists by integer keys: a least-significant-digit radix sort (Knuth, The Art of Computer
 * Programming 3, 5.2.5), which is stable. About four nanoseconds a key and digit; a comparison sort
 * mispredicts every other branch.
 */

import { SORTED_KEYS_MAX } from "../tuning.js";

/** Bits of a digit at most. */
const DIGIT_BITS = 9;
const counts = new Uint32Array(1 << DIGIT_BITS);
let order = new Uint16Array(SORTED_KEYS_MAX);
let spare = new Uint16Array(SORTED_KEYS_MAX);

/**
 * The indexes of `keys`, at most SORTED_KEYS_MAX and all between `least` and `most`, by ascending key,
 * stable. A view that the next call overwrites.
 */
export function sortedIndexes(keys: Uint32Array, least: number, most: number): Uint16Array {
	const { length } = keys;
	const bits = 32 - Math.clz32(most - least);
	// As few digits as possible, none larger than the others: counters take as long as keys.
	const digits = Math.ceil(bits / DIGIT_BITS);
	const digitBits = Math.ceil(bits / Math.max(1, digits));
	const values = 1 << digitBits;
	const mask = values - 1;
	for (let i = 0; i < length; i++) order[i] = i;
	for (let shift = 0; shift < bits; shift += digitBits) {
		counts.fill(0, 0, values);
		for (let i = 0; i < length; i++) counts[((keys[i] - least) >>> shift) & mask]++;
		let before = 0;
		for (let digit = 0; digit < values; digit++) {
			const count = counts[digit];
			counts[digit] = before;
			before += count;
		}
		for (let i = 0; i < length; i++) {
			const index = order[i];
			spare[counts[((keys[index] - least) >>> shift) & mask]++] = index;
		}
		[order, spare] = [spare, order];
	}
	return order;
}

const unsorted = new Uint32Array(SORTED_KEYS_MAX);

/** Sorts at most SORTED_KEYS_MAX keys, ascending. */
export function sortKeys(keys: Uint32Array): void {
	let least = 0xffffffff;
	let most = 0;
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		unsorted[i] = key;
		if (key < least) least = key;
		if (key > most) most = key;
	}
	const indexes = sortedIndexes(keys, least, most);
	for (let i = 0; i < keys.length; i++) keys[i] = unsorted[indexes[i]];
}
