/**
 * Kernels that combine words [from, to) of bitmaps, leaving other words of the target alone. In WebAssembly memory
 * they run as SIMD (simd.ts), 0.2 nanoseconds a word; elsewhere, and for few words, as loops of one nanosecond a
 * word. None allocates.
 */

import { SIMD_WORDS_MIN } from "../tuning.js";
import { type Combination, memoryOf } from "./simd.js";

/** target = a & b; target may be either of them. */
export function storeAnd(
	target: Uint32Array,
	a: Uint32Array,
	b: Uint32Array,
	from: number,
	to: number,
): void {
	for (let i = combined("and", target, a, b, from, to); i < to; i++) target[i] = a[i] & b[i];
}

/** target = upper & ~lower; target may be either of them. */
export function storeDifference(
	target: Uint32Array,
	upper: Uint32Array,
	lower: Uint32Array,
	from: number,
	to: number,
): void {
	for (let i = combined("andNot", target, upper, lower, from, to); i < to; i++)
		target[i] = upper[i] & ~lower[i];
}

/** target = words & upper & ~lower; target may be `words` or `upper`. */
export function storeAndNot(
	target: Uint32Array,
	words: Uint32Array,
	upper: Uint32Array,
	lower: Uint32Array,
	from: number,
	to: number,
): void {
	storeAnd(target, words, upper, from, to);
	storeDifference(target, target, lower, from, to);
}

/** target |= a & b. */
export function storeAndOr(
	target: Uint32Array,
	a: Uint32Array,
	b: Uint32Array,
	from: number,
	to: number,
): void {
	for (let i = combined("orAnd", target, a, b, from, to); i < to; i++) target[i] |= a[i] & b[i];
}

/** target |= upper & ~lower. */
export function storeDifferenceOr(
	target: Uint32Array,
	upper: Uint32Array,
	lower: Uint32Array,
	from: number,
	to: number,
): void {
	for (let i = combined("orAndNot", target, upper, lower, from, to); i < to; i++)
		target[i] |= upper[i] & ~lower[i];
}

/** target |= each source. */
export function orAll(target: Uint32Array, sources: readonly Uint32Array[], from: number, to: number): void {
	for (const source of sources) storeAndOr(target, source, source, from, to);
}

/** A range of words without its first and its last words that have no set bit. */
export function trimmedRange(words: Uint32Array, from: number, to: number): { from: number; to: number } {
	const memory = to - from < SIMD_WORDS_MIN ? undefined : memoryOf(words);
	const near = memory === undefined ? { from, to } : memory.trim(words, from, to);
	while (near.from < near.to && words[near.from] === 0) near.from++;
	while (near.to > near.from && words[near.to - 1] === 0) near.to--;
	return near;
}

/** Combines words with SIMD where it pays; returns the first word that is left to do. */
function combined(
	how: Combination,
	target: Uint32Array,
	a: Uint32Array,
	b: Uint32Array,
	from: number,
	to: number,
): number {
	const memory = to - from < SIMD_WORDS_MIN ? undefined : memoryOf(target);
	return memory === undefined ? from : memory.combine(how, target, a, b, from, to);
}
