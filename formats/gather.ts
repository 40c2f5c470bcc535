/** Copies of ranges of memory that lie apart, made by the addon (addon/gather.c), which reads them ahead. */

import { openAddon } from "./files/addon.js";

/** Numbered ranges of memory: number n is in part n >> shift, where it is range r = n mod 2^shift. */
export interface NumberedRanges {
	readonly shift: number;
	/** By part: range r is the bytes from offsets[r] to offsets[r + 1] of its bytes. */
	readonly offsets: readonly Uint32Array[];
	readonly bytes: readonly Uint8Array[];
}

/** Where ranges are copied to. */
export interface GatherTarget {
	readonly memory: Buffer;
	/** Where the end of each is written, as a u32: memory[ends, at), of whole words; it limits them too. */
	readonly ends: number;
	/** Where they are copied to, one after the other: memory[at, end). */
	readonly at: number;
	readonly end: number;
}

/**
 * Copies the ranges of numbers[first…). Returns how many: it ends before one for which there is no room, that is corrupt or does
 * not exist. Cost O(ranges + bytes), with the cache misses of many ranges at a time; a call takes some 0.2 us.
 */
export type Gather = (numbers: Uint32Array, first: number) => number;

/** Copies ranges of memory to `target`. Null without the addon. */
export function openGather({ shift, offsets, bytes }: NumberedRanges, target: GatherTarget): Gather | null {
	const addon = openAddon();
	if (addon === null) return null;
	const { ranges, gather } = addon;
	const { memory, ends, at, end } = target;
	// Kept with the handle, which has only their addresses.
	const made = { ranges: ranges(offsets, bytes, shift, memory, ends, at, end), offsets, bytes, memory };
	return (numbers, first) => gather(made.ranges, numbers, first);
}
