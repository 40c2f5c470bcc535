/**
 * Counters of every key in one SharedArrayBuffer, which all worker threads count in.
 *
 * A slot is {@link SLOT_WORDS} 32-bit words, whole cache lines, so that keys don't disturb each other:
 *
 * | words | hold |
 * |---|---|
 * | 0, 1 | minute window: tag, requests |
 * | 2, 3 | day window |
 * | 4, 5 | month window |
 * | 6 | last use, seconds since 1970 |
 * | 8 … 39 | usage, even days: tag, requests by endpoint code |
 * | 40 … 71 | usage, odd days |
 * | 72 | in the first slot: 1 while counts cannot be stored |
 * | 74 … 111 | errors by code, since the start: answers, last one in seconds since 1970 |
 *
 * After the slots lies a bitmap of slots counted in since the last {@link SharedCounters.takeDirty}.
 *
 * Invariants:
 * - A tag is the number of the window or day the counts beside it belong to, plus 1; 0: never used.
 *   While a thread moves a cell to another window, the tag is {@link MOVING}.
 * - A window's count never passes the limit it is reserved against: it grows by compare-and-exchange,
 *   so of any number of simultaneous requests exactly as many pass as were left.
 * - A cell of the next window is used as it is if a thread's clock is about to reach that window, since threads
 *   cross a boundary at slightly different times and clocks are adjusted backwards. Any other window is replaced
 *   by the clock's, so that a clock that was temporarily ahead locks nobody out.
 * - Counts are words of memory: nothing here allocates, blocks or throws.
 *
 * REQUIRES: usage is read at least once a day (ledger.ts reads it several times a second), since a day's counts are
 * overwritten by those of the day after next.
 */

import { invariant } from "../../formats/index.js";
import { ENDPOINTS } from "./usage-codes.js";

export const SLOT_WORDS = 112;
/** Words of a slot that are persisted. */
export const COUNT_WORDS = 72;
export const LAST_USED_WORD = 6;
const FAILING_WORD = 72;
const ERRORS_WORD = 74;
/** Error codes that a slot has room for. */
export const ERROR_CODES_MAX = (SLOT_WORDS - ERRORS_WORD) / 2;
export const USAGE_BANKS = [8, 40] as const;
const ENDPOINT_MAX = 31;

/** Tag of a cell that is being moved to another window. */
export const MOVING = -1;

/** Reads of a moving cell before its mover is presumed dead; far longer than a move, which takes two stores. */
const MOVING_LOOKS_MAX = 1_000_000;

invariant(ENDPOINTS.length <= ENDPOINT_MAX, "a usage bank has room for every endpoint");

/** First word of a window's cell within the slot. */
export function windowWord(kind: number): number {
	return kind * 2;
}

export class SharedCounters {
	/** Passed to worker threads, whose `new SharedCounters(buffer)` counts in the same words. */
	readonly buffer: SharedArrayBuffer;
	/** Number of slots. */
	readonly capacity: number;
	readonly #words: Int32Array;
	readonly #dirty: Int32Array;
	/** Tag of the window that the last call of {@link reserve} or {@link look} found. */
	heldTag = 0;

	constructor(buffer: SharedArrayBuffer) {
		const words = buffer.byteLength / 4;
		this.capacity = Math.floor(words / (SLOT_WORDS * 32 + 1)) * 32;
		invariant(bytesFor(this.capacity) === buffer.byteLength, "the buffer is one of SharedCounters.allocate");
		this.buffer = buffer;
		this.#words = new Int32Array(buffer, 0, this.capacity * SLOT_WORDS);
		this.#dirty = new Int32Array(buffer, this.capacity * SLOT_WORDS * 4, this.capacity / 32);
	}

	/** Whether the last flush of counts to the store failed, as reported by the flushing thread to all others. */
	get storeFailing(): boolean {
		return Atomics.load(this.#words, FAILING_WORD) === 1;
	}

	set storeFailing(failing: boolean) {
		Atomics.store(this.#words, FAILING_WORD, failing ? 1 : 0);
	}

	/** Counters for `slots` keys, all zero. Cost: {@link SLOT_WORDS} × 4 bytes a slot of address space, resident once used. */
	static allocate(slots: number): SharedCounters {
		return new SharedCounters(new SharedArrayBuffer(bytesFor(Math.ceil(slots / 32) * 32)));
	}

	/**
	 * Requests counted in the window `tag` of a slot; 0 if its cell belongs to another window. Sets `heldTag` to the
	 * window read: `tag`, or with `nearEnd` the next one if it has already begun.
	 */
	look(slot: number, word: number, tag: number, nearEnd: boolean): number {
		const at = slot * SLOT_WORDS + word;
		const found = Atomics.load(this.#words, at);
		if (found === tag || (nearEnd && found === tag + 1)) {
			this.heldTag = found;
			return Atomics.load(this.#words, at + 1);
		}
		this.heldTag = tag;
		return 0;
	}

	/**
	 * Adds `requests` to the window `tag` of a slot unless the count would exceed `limit`. Returns the new count, or
	 * -1 if the window is full. Sets `heldTag` like {@link look}.
	 */
	reserve(slot: number, word: number, tag: number, nearEnd: boolean, limit: number, requests = 1): number {
		const words = this.#words;
		const at = slot * SLOT_WORDS + word;
		for (;;) {
			const found = this.#settle(at, tag, 1, nearEnd);
			const count = Atomics.load(words, at + 1);
			this.heldTag = found;
			if (count + requests > limit) return -1;
			if (Atomics.compareExchange(words, at + 1, count, count + requests) === count) return count + requests;
		}
	}

	/** Takes back one reservation in the window `tag`, unless that window has passed. */
	release(slot: number, word: number, tag: number, requests = 1): void {
		const words = this.#words;
		const at = slot * SLOT_WORDS + word;
		for (;;) {
			if (Atomics.load(words, at) !== tag) return;
			const count = Atomics.load(words, at + 1);
			if (count < requests) return;
			if (Atomics.compareExchange(words, at + 1, count, count - requests) === count) return;
		}
	}

	/** Counts one request of `day` to `endpoint` (a code) as usage, and the key as used at `seconds`. */
	count(slot: number, endpoint: number, day: number, seconds: number, requests = 1): void {
		const words = this.#words;
		const bank = slot * SLOT_WORDS + USAGE_BANKS[day & 1];
		if (Atomics.load(words, bank) !== day + 1) this.#settle(bank, day + 1, ENDPOINT_MAX, false);
		Atomics.add(words, bank + 1 + endpoint, requests);
		const used = slot * SLOT_WORDS + LAST_USED_WORD;
		if (Atomics.load(words, used) !== seconds) Atomics.store(words, used, seconds);
		this.markDirty(slot);
	}

	/** Counts an answer with the error code at `place`, given at `seconds`. */
	countError(slot: number, place: number, seconds: number): void {
		const at = slot * SLOT_WORDS + ERRORS_WORD + 2 * place;
		Atomics.add(this.#words, at, 1);
		Atomics.store(this.#words, at + 1, seconds);
	}

	/** Answers with the error code at `place` since the start, and when the last one was given. */
	errors(slot: number, place: number): { readonly requests: number; readonly last_s: number } {
		const at = slot * SLOT_WORDS + ERRORS_WORD + 2 * place;
		return { requests: Atomics.load(this.#words, at), last_s: Atomics.load(this.#words, at + 1) };
	}

	/** Marks a slot for the next flush. */
	markDirty(slot: number): void {
		const bit = 1 << (slot & 31);
		// Set after the counts, so that a reader that clears the bit sees the counts that it stands for.
		if ((Atomics.load(this.#dirty, slot >> 5) & bit) === 0) Atomics.or(this.#dirty, slot >> 5, bit);
	}

	/** Slots counted in since the last call, ascending. Cost: one word per 32 slots. */
	takeDirty(): number[] {
		const slots: number[] = [];
		for (let i = 0; i < this.#dirty.length; i++) {
			if (Atomics.load(this.#dirty, i) === 0) continue;
			let bits = Atomics.exchange(this.#dirty, i, 0);
			while (bits !== 0) {
				slots.push(i * 32 + (31 - Math.clz32(bits & -bits)));
				bits &= bits - 1;
			}
		}
		return slots;
	}

	/**
	 * Copies a slot's persisted words to `into`. A cell that was being moved, or moved meanwhile, has
	 * the tag {@link MOVING} there. Returns whether every cell is whole.
	 */
	snapshot(slot: number, into: Int32Array): boolean {
		const base = slot * SLOT_WORDS;
		let whole = true;
		for (let word = 0; word < COUNT_WORDS; word++) into[word] = Atomics.load(this.#words, base + word);
		for (const tagWord of TAG_WORDS) {
			if (Atomics.load(this.#words, base + tagWord) === into[tagWord] && into[tagWord] !== MOVING) continue;
			into[tagWord] = MOVING;
			whole = false;
		}
		return whole;
	}

	/** Adds `requests` counted elsewhere to the word beside `tagWord`, if its cell still has the tag. */
	addFromElsewhere(slot: number, tagWord: number, tag: number, word: number, requests: number): void {
		const base = slot * SLOT_WORDS;
		if (Atomics.load(this.#words, base + tagWord) === tag) Atomics.add(this.#words, base + word, requests);
	}

	/** Sets a slot to persisted words. REQUIRES: no thread counts in it yet. */
	restore(slot: number, from: Int32Array): void {
		this.#words.set(from, slot * SLOT_WORDS);
	}

	/** Moves the cell at `at` to `tag` if the clock has left its window. Returns the cell's tag afterwards. */
	#settle(at: number, tag: number, counts: number, nearEnd: boolean): number {
		const words = this.#words;
		for (let looks = 0; ; looks++) {
			const found = Atomics.load(words, at);
			if (found === tag || (nearEnd && found === tag + 1)) return found;
			if (found === MOVING) {
				// A thread that died between the two stores must not block the others forever.
				if (looks > MOVING_LOOKS_MAX) Atomics.compareExchange(words, at, MOVING, 0);
				continue;
			}
			if (Atomics.compareExchange(words, at, found, MOVING) !== found) continue;
			for (let i = 1; i <= counts; i++) Atomics.store(words, at + i, 0);
			Atomics.store(words, at, tag);
			return tag;
		}
	}
}

/** Words of a slot that hold a tag. */
const TAG_WORDS: readonly number[] = [0, 2, 4, ...USAGE_BANKS];

function bytesFor(capacity: number): number {
	return capacity * SLOT_WORDS * 4 + (capacity / 32) * 4;
}
