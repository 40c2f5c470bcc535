/**
 * Loops over bitmaps, and over rows that are looked up in them, in WebAssembly: counting set bits with SIMD takes a fifth
 * of the time of a loop in JavaScript, combining two bitmaps between a tenth and a quarter, and keeping the rows of an
 * index that a bitmap has a sixth to a half. Their speed does not depend on what ran before, as that
 * of a loop in JavaScript does, which took twice as long once V8 had seen it used in several ways.
 *
 * Only bitmaps in WebAssembly memory can be read there; mapped ones are copied first, which costs less than it
 * saves. The module's source is bitmaps.wat.
 */

import { LISTED_WORDS, PROBED_ROWS, STAGED_WORDS } from "../tuning.js";
import { BITMAPS_MODULE } from "./generated/bitmaps.js";
import { openModule } from "./open-module.js";

/** How two bitmaps are combined: target = a & b, target = a & ~b, target |= a & b, or target |= a & ~b. */
export type Combination = "and" | "andNot" | "orAnd" | "orAndNot";

/** What is done with the rows of an index that a bitmap has, or is to have. */
type Probe = "countRows" | "keepRows" | "setRows";

/** The module's functions; bitmaps.wat says what each does. */
type Module = {
	readonly [how in Combination]: (target: number, a: number, b: number, bytes: number) => void;
} & {
	readonly [how in Probe]: (rows: number, end: number, bits: number, most: number) => number;
} & {
	readonly count: (a: number, b: number, bytes: number) => number;
	readonly first: (at: number, end: number) => number;
	readonly last: (at: number, end: number) => number;
	readonly list: (at: number, end: number, row: number, out: number) => number;
};

/** Words that are read at a time. */
const LANES = 4;

/** Room for words that are copied in, for bitmaps of `wordsEach` words: at least {@link LANES} of each of two. */
function wordsOfCopies(wordsEach: number): number {
	return Math.max(wordsEach, 2 * LANES);
}

const memories = new WeakMap<ArrayBufferLike, BitmapMemory>();

/** The WebAssembly memory that holds a bitmap; undefined if it is in other memory. */
export function memoryOf(words: Uint32Array): BitmapMemory | undefined {
	return memories.get(words.buffer);
}

/** WebAssembly memory for some bitmaps of equal size, and for words of others that are copied in to be read. */
export class BitmapMemory {
	/** Bitmaps allocated. */
	private taken = 0;
	/** What is copied in: one whole bitmap, parts of two, or rows. */
	private readonly copies: Uint32Array;
	/** Rows that {@link countRows}, {@link keepRows} and {@link setRows} take at a time. */
	readonly rowsMax: number;

	private constructor(
		private readonly memory: ArrayBuffer,
		private readonly module: Module,
		private readonly wordsEach: number,
		private readonly bitmaps: number,
	) {
		memories.set(memory, this);
		this.copies = new Uint32Array(memory, 0, wordsOfCopies(wordsEach));
		this.rowsMax = Math.min(PROBED_ROWS, this.copies.length - LANES);
	}

	/** Memory for `bitmaps` of `wordsEach` words; null where this process has no WebAssembly or cannot allocate it. */
	static allocate(wordsEach: number, bitmaps: number): BitmapMemory | null {
		const bytes = (wordsOfCopies(wordsEach) + bitmaps * wordsEach) * 4;
		const opened = openModule<Module>(BITMAPS_MODULE, bytes);
		return opened === null ? null : new BitmapMemory(opened.memory, opened.exports, wordsEach, bitmaps);
	}

	/** A bitmap, all zero; null if all are taken. */
	take(): Uint32Array | null {
		if (this.taken === this.bitmaps) return null;
		const before = this.copies.length + this.taken++ * this.wordsEach;
		return new Uint32Array(this.memory, before * 4, this.wordsEach);
	}

	/** Set bits of words & other in words [from, end), where `words` is in this memory and `end` is at most three below `to`. */
	countCommon(
		words: Uint32Array,
		other: Uint32Array,
		from: number,
		to: number,
	): { bits: number; end: number } {
		const end = to - ((to - from) % LANES);
		const most = Math.min(STAGED_WORDS, this.copies.length & -LANES);
		const step = other.buffer === this.memory ? end - from : most;
		let bits = 0;
		for (let at = from; at < end; at += step) {
			const next = Math.min(at + step, end);
			const start = this.addressOf(other, at, next, 0);
			bits += this.module.count(words.byteOffset + at * 4, start, (next - at) * 4);
		}
		return { bits, end };
	}

	/**
	 * Combines words [from, end) of two bitmaps in any memory into `target`, which is in this memory and may be either;
	 * returns `end`, at most three below `to`.
	 */
	combine(
		how: Combination,
		target: Uint32Array,
		a: Uint32Array,
		b: Uint32Array,
		from: number,
		to: number,
	): number {
		const end = to - ((to - from) % LANES);
		const half = Math.min(STAGED_WORDS, (this.copies.length >>> 1) & -LANES);
		const isHere = a.buffer === this.memory && b.buffer === this.memory;
		// Copied in parts that stay in the first-level cache until they are combined.
		const step = isHere ? end - from : half;
		for (let at = from; at < end; at += step) {
			const next = Math.min(at + step, end);
			const first = this.addressOf(a, at, next, 0);
			const second = a === b ? first : this.addressOf(b, at, next, half);
			this.module[how](target.byteOffset + at * 4, first, second, (next - at) * 4);
		}
		return end;
	}

	/** Words [from, to) of a bitmap in this memory, without groups of four that have no set bit at either end. */
	trim(words: Uint32Array, from: number, to: number): { from: number; to: number } {
		const base = words.byteOffset;
		const length = (to - from) & -LANES;
		const first = (this.module.first(base + from * 4, base + (from + length) * 4) - base) / 4;
		const last = (this.module.last(base + (to - length) * 4, base + to * 4) - base) / 4;
		return { from: first, to: Math.max(first, last) };
	}

	/**
	 * Writes the rows of words [from, end) of a bitmap in this memory to out[at…), ascending; returns the end of what it
	 * wrote. `end` is at most three below `to`; `from`, where there is no room for the rows of some words.
	 */
	list(
		words: Uint32Array,
		from: number,
		to: number,
		out: Uint32Array,
		at: number,
	): { end: number; at: number } {
		// Their rows, and one more that is written past them, are copied out of the room for words that are copied in.
		const step = Math.min(LISTED_WORDS, (this.copies.length - 1) >>> 5) & -LANES;
		if (step === 0) return { end: from, at };
		const end = to - ((to - from) % LANES);
		let written = at;
		for (let first = from; first < end; first += step) {
			const start = words.byteOffset + first * 4;
			const bytes = Math.min(step, end - first) * 4;
			const rows = this.module.list(start, start + bytes, first << 5, 0) >>> 2;
			// The bitmap of a damaged file may have more rows than `out` has room for.
			const room = Math.max(0, out.length - written);
			out.set(this.copies.subarray(0, Math.min(rows, room)), out.length - room);
			written += rows;
		}
		return { end, at: written };
	}

	/** How many of rows[from, to), at most {@link rowsMax}, are in a bitmap in this memory; -1 if any is past its end. */
	countRows(words: Uint32Array, rows: Uint32Array, from: number, to: number): number {
		return this.probe("countRows", words, rows, from, to);
	}

	/**
	 * Those of rows[from, to), at most {@link rowsMax}, that are in a bitmap in this memory, until the next call; null if
	 * any is past its end.
	 */
	keepRows(words: Uint32Array, rows: Uint32Array, from: number, to: number): Uint32Array | null {
		const end = this.probe("keepRows", words, rows, from, to);
		return end === -1 ? null : this.copies.subarray(0, end >>> 2);
	}

	/** Sets the bits of rows[from, to), at most {@link rowsMax}, of a bitmap in this memory; sets none and returns false if any is past its end. */
	setRows(words: Uint32Array, rows: Uint32Array, from: number, to: number): boolean {
		return this.probe("setRows", words, rows, from, to) === 0;
	}

	private probe(how: Probe, words: Uint32Array, rows: Uint32Array, from: number, to: number): number {
		const { copies } = this;
		const count = to - from;
		copies.set(rows.subarray(from, to));
		// Read with the last rows, and below the end of any bitmap.
		copies.fill(0, count, count + LANES - 1);
		return this.module[how](0, count * 4, words.byteOffset, words.length * 32);
	}

	/** Where words [from, to) of a bitmap can be read in this memory: copied to word `at` if they are elsewhere. */
	private addressOf(words: Uint32Array, from: number, to: number, at: number): number {
		if (words.buffer === this.memory) return words.byteOffset + from * 4;
		this.copies.set(words.subarray(from, to), at);
		return at * 4;
	}
}
