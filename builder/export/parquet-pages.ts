/**
 * Bodies of Parquet data pages: definition levels, dictionary indexes, and values stored plainly. These are
 * loops over typed arrays and heaps; hyparquet-writer, which takes an array of values, frames the pages.
 */

import type { Range } from "../../formats/index.js";

/** Values that repeat at least as often are run-length encoded. */
const RUN_MIN = 8;
/** Values of a bit-packed group. */
const GROUP_VALUES = 8;

/** Bits of the largest of `distinct` indexes. */
export function indexBits(distinct: number): number {
	return distinct <= 1 ? 0 : 32 - Math.clz32(distinct - 1);
}

/**
 * `values[0, count)` in Parquet's hybrid of run-length and bit-packed encoding, `bits` bits each, at most 24.
 * Cost O(count).
 */
export function encodeHybrid(values: Uint32Array, count: number, bits: number): Buffer {
	const out = new HybridWriter(values, count, bits);
	let packedFrom = -1;
	let at = 0;
	while (at < count) {
		const run = runLength(values, at, count);
		if (run < RUN_MIN) {
			if (packedFrom < 0) packedFrom = at;
			at += GROUP_VALUES;
			continue;
		}
		if (packedFrom >= 0) out.packed(packedFrom, at);
		packedFrom = -1;
		out.run(values[at], run);
		at += run;
	}
	if (packedFrom >= 0) out.packed(packedFrom, at);
	return out.bytes.subarray(0, out.length);
}

function runLength(values: Uint32Array, from: number, end: number): number {
	const value = values[from];
	let at = from + 1;
	while (at < end && values[at] === value) at++;
	return at - from;
}

class HybridWriter {
	readonly bytes: Buffer;
	length = 0;

	constructor(
		private readonly values: Uint32Array,
		private readonly count: number,
		private readonly bits: number,
	) {
		// A run has at least eight values and takes at most nine bytes.
		this.bytes = Buffer.allocUnsafe(Math.ceil((count * (bits + 9)) / 8) + 64);
	}

	run(value: number, length: number): void {
		this.varint(length * 2);
		for (let shift = 0; shift < this.bits; shift += 8) this.bytes[this.length++] = value >>> shift;
	}

	/** Values [from, to), a multiple of eight, of which those past the last are zero. */
	packed(from: number, to: number): void {
		this.varint(((to - from) / GROUP_VALUES) * 2 + 1);
		const { bytes, bits, values, count } = this;
		let pending = 0;
		let pendingBits = 0;
		for (let i = from; i < to; i++) {
			pending |= (i < count ? values[i] : 0) << pendingBits;
			pendingBits += bits;
			while (pendingBits >= 8) {
				bytes[this.length++] = pending;
				pending >>>= 8;
				pendingBits -= 8;
			}
		}
	}

	private varint(value: number): void {
		let rest = value;
		while (rest >= 0x80) {
			this.bytes[this.length++] = (rest & 0x7f) | 0x80;
			rest >>>= 7;
		}
		this.bytes[this.length++] = rest;
	}
}

/** Values of a heap: value i is heap[offsets[i], offsets[i + 1]). */
export interface Values {
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

/** The values at `places`, each after its length as four bytes. Cost O(bytes). */
export function encodePlain({ offsets, heap }: Values, places: Uint32Array): Buffer {
	let bytes = 0;
	for (const place of places) bytes += 4 + offsets[place + 1] - offsets[place];
	const out = Buffer.allocUnsafe(bytes);
	let at = 0;
	for (const place of places) {
		const start = offsets[place];
		const end = offsets[place + 1];
		out.writeUInt32LE(end - start, at);
		at += 4;
		for (let i = start; i < end; i++) out[at++] = heap[i];
	}
	return out;
}

/** Places of the smallest and the largest of the values at `places`, by bytes; null where there is none. */
export function extremes({ offsets, heap }: Values, places: Uint32Array): Range | null {
	if (places.length === 0) return null;
	let [least, most] = [places[0], places[0]];
	const compare = (a: number, b: number) => {
		const [aEnd, bEnd] = [offsets[a + 1], offsets[b + 1]];
		let [i, j] = [offsets[a], offsets[b]];
		for (; i < aEnd && j < bEnd; i++, j++) if (heap[i] !== heap[j]) return heap[i] - heap[j];
		return aEnd - i - (bEnd - j);
	};
	for (const place of places) {
		if (compare(place, least) < 0) least = place;
		else if (compare(place, most) > 0) most = place;
	}
	return { from: least, to: most };
}
