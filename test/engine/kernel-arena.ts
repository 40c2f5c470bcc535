/**
 * A WebAssembly module with memory of its own, full of noise, and a copy of that memory on which a naive implementation
 * works: after each call all of both is compared, so that a byte written outside of the output is a difference.
 */

import assert from "node:assert/strict";
import { openModule } from "../../engine/kernels/open-module.js";
import type { Draw } from "../oracle/draw.js";

export const PAGE_BYTES = 65_536;

/** Bytes that a kernel may write or leave, as it does past the end of its output. */
export interface Slack {
	readonly at: number;
	readonly bytes: number;
}

/** A range of memory. */
export interface Place {
	readonly at: number;
	readonly end: number;
}

/** By bytes of a number. */
const MASKS = { 1: 0xff, 2: 0xffff, 4: 0xffffffff } as const;

/** Sizes around those at which loops over vectors, words and pages begin and end. */
const SIZES = [
	0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024,
];

/** A size of at most `most`, mostly at a border. */
export function someSize(draw: Draw, most: number): number {
	if (draw.oneIn(24)) return most;
	if (draw.oneIn(3)) return draw.below(Math.min(most, 300) + 1);
	return Math.min(most, draw.pick(SIZES));
}

/** A word: of few or many bits, or at a border of signed and unsigned numbers. */
export function someWord(draw: Draw): number {
	switch (draw.below(6)) {
		case 0:
			return draw.pick([
				0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0xff800001, 255, 256, 65_535, 65_536,
			]);
		case 1:
			return draw.below(300);
		case 2:
			return (draw.next() & draw.next() & draw.next()) >>> 0;
		default:
			return draw.next();
	}
}

export class KernelArena<Exports> {
	/** The naive implementation's memory. */
	readonly naive: Buffer;

	private constructor(
		readonly exports: Exports,
		private readonly memory: Buffer,
	) {
		this.naive = Buffer.from(memory);
	}

	/** Memory of `pages` full of noise. */
	static open<Exports>(module: string, draw: Draw, pages = 1): KernelArena<Exports> {
		const opened = openModule<Exports>(module, pages * PAGE_BYTES);
		assert.ok(opened !== null, "this process runs the module");
		const words = new Uint32Array(opened.memory);
		for (let i = 0; i < words.length; i++) words[i] = draw.next();
		return new KernelArena(opened.exports, Buffer.from(opened.memory));
	}

	get bytes(): number {
		return this.memory.length;
	}

	/** Places for ranges of so many bytes that do not overlap, in any order, often at the very end of memory. */
	places(draw: Draw, sizes: readonly number[], from = 0): Place[] {
		let room = this.bytes - from - sizes.reduce((sum, size) => sum + size, 0);
		assert.ok(room >= 0, `${sizes} fit`);
		let end = this.bytes;
		const places: Place[] = [];
		for (const i of draw.some([...sizes.keys()], sizes.length).concat([...sizes.keys()])) {
			if (places[i] !== undefined) continue;
			const gap = draw.oneIn(2) ? 0 : draw.below(Math.min(room, 100) + 1);
			room -= gap;
			places[i] = { at: end - gap - sizes[i], end: end - gap };
			end -= gap + sizes[i];
		}
		return places;
	}

	/** Writes bytes at `at` of both memories. */
	put(at: number, bytes: Uint8Array): void {
		this.memory.set(bytes, at);
		this.naive.set(bytes, at);
	}

	/** Fills a range of both memories with the low bytes of numbers. */
	putNumbers({ at, end }: Place, width: 1 | 2 | 4, number: () => number): void {
		const bytes = Buffer.alloc(end - at - ((end - at) % width));
		for (let i = 0; i < bytes.length; i += width)
			bytes.writeUIntLE((number() & MASKS[width]) >>> 0, i, width);
		this.put(at, bytes);
	}

	/** A word of the module's memory. */
	word(at: number): number {
		return this.memory.readUInt32LE(at);
	}

	/** Writes each of `words` and `more` at `at` of the naive memory. */
	expectWords(at: number, words: readonly number[], more = 0): void {
		for (let i = 0; i < words.length; i++) this.naive.writeUInt32LE((words[i] + more) >>> 0, at + 4 * i);
	}

	/** Compares all of both memories but `slack`. */
	check(what: () => string, ...slack: readonly Slack[]): void {
		const { memory, naive } = this;
		for (const { at, bytes } of slack) memory.copy(naive, at, at, Math.min(at + bytes, memory.length));
		if (memory.equals(naive)) return;
		const first = memory.findIndex((byte, i) => byte !== naive[i]);
		let count = 0;
		for (let i = 0; i < memory.length; i++) count += +(memory[i] !== naive[i]);
		assert.fail(
			`${what()}: ${count} bytes differ, the first at ${first}: ${memory[first]}, expected ${naive[first]}`,
		);
	}
}
