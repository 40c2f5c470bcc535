/**
 * Stateless pseudo-randomness: every draw is a hash of a key, so that any row of any month can be generated
 * independently, in any order, and the same seed gives the same bytes.
 *
 * Invariants: only integer arithmetic and IEEE products and quotients; no transcendental function, whose last
 * digit may differ between JavaScript engines. Cost of a draw: about two nanoseconds.
 */

/** 32 bits, signed or unsigned: keys and draws. */
export type Bits = number;

const GOLDEN = 0x9e3779b9;
const TWO_TO_32 = 4_294_967_296;

/** A permutation of the 32-bit integers in which every input bit affects every output bit (lowbias32). */
export function mix(bits: Bits): Bits {
	let x = bits ^ (bits >>> 16);
	x = Math.imul(x, 0x21f0aaad);
	x ^= x >>> 15;
	x = Math.imul(x, 0x735a2d97);
	return x ^ (x >>> 15);
}

/** Draw number `stream` of the key `key`. */
export function draw(key: Bits, stream: number): Bits {
	return mix(key + Math.imul(stream, GOLDEN));
}

/** The key of part `part` of what `key` identifies. Distinct parts have distinct keys. */
export function subkey(key: Bits, part: number): Bits {
	return mix(mix(key ^ 0x5bd1e995) + part);
}

/** Key of a seed, any safe integer. */
export function keyOfSeed(seed: number): Bits {
	return subkey(mix(seed % TWO_TO_32), Math.floor(seed / TWO_TO_32) | 0);
}

/** The draw as a whole number in [0, n); n ≤ 2^21 for equal shares. */
export function below(bits: Bits, n: number): number {
	return Math.floor(((bits >>> 0) * n) / TWO_TO_32);
}

/** Whether the draw falls within the given share, 0 to 1. */
export function chance(bits: Bits, share: number): boolean {
	return bits >>> 0 < share * TWO_TO_32;
}

/** Draws an index by weight in one table lookup. */
export interface Sampler {
	/** Index for each of 2^(32 - shift) equal slices of the draws. */
	readonly slices: Uint32Array;
	readonly shift: number;
}

/** Sampler of `weights`, precise to 2^-`precisionBits`. Cost O(weights + 2^precisionBits). */
export function samplerOf(weights: ArrayLike<number>, precisionBits = 16): Sampler {
	let total = 0;
	for (let i = 0; i < weights.length; i++) total += weights[i];
	const count = 2 ** precisionBits;
	const slices = new Uint32Array(count);
	let index = 0;
	let reached = weights[0];
	for (let slice = 0; slice < count; slice++) {
		const wanted = ((slice + 0.5) / count) * total;
		while (reached < wanted && index < weights.length - 1) reached += weights[++index];
		slices[slice] = index;
	}
	return { slices, shift: 32 - precisionBits };
}

export function sample(sampler: Sampler, bits: Bits): number {
	return sampler.slices[bits >>> sampler.shift];
}

/** Zipf-Mandelbrot weights of `count` ranks: 1 / (rank + offset). A small offset makes the first ranks heavy. */
export function zipfWeights(count: number, offset: number): Float64Array {
	return Float64Array.from({ length: count }, (_, rank) => 1 / (rank + 1 + offset));
}

/** The first ranks of {@link zipfRank} share the smallest octave, so they have equal weights. */
const FIRST_OCTAVE = 3;

/**
 * A rank in [0, n) whose weight is about 1 / (rank + 8), for an n known only at run time, for which a sampler's
 * table would be too large.
 */
export function zipfRank(bits: Bits, n: number): number {
	const octaves = 32 - Math.clz32(n + 7) - FIRST_OCTAVE;
	const fine = mix(bits);
	if (octaves < 1) return below(fine, n);
	const size = 2 ** (FIRST_OCTAVE + below(bits, octaves));
	const rank = size - 8 + below(fine, size);
	return rank < n ? rank : below(mix(fine), n);
}
