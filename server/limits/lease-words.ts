/**
 * Leases of every key in one SharedArrayBuffer: how many requests this host may still count in each window
 * without consulting the other hosts. The thread that communicates with the shared store adds to them; serving
 * threads take from them.
 *
 * After {@link HEADER_WORDS} words for the host, a slot is {@link LEASE_WORDS} 32-bit words:
 *
 * | words | contents, for minute, day and month |
 * |---|---|
 * | 0 … 2 | requests left of the lease |
 * | 3 … 5 | requests counted without a lease while the shared store was unreachable |
 * | 6 … 8 | requests that other hosts were granted |
 * | 9 … 11 | tag of the window that words 6 … 8 belong to |
 * | 12 … 14 | tag of the window known to be full on all hosts together; 0: none |
 * | 15 … 17 | remainder below which an early renewal is requested |
 * | 18 | 1: a renewal was requested |
 *
 * Invariants:
 * - Words 0 … 5 contain the low 12 bits of their window's tag above 20 bits of count, so that one
 *   compare-and-exchange takes a request of the right window or none.
 * - Only grants of the shared store are added to words 0 … 2, so all hosts together never exceed a limit.
 * - What a request reads is read without Atomics where an older value does no harm: V8 calls a builtin for each
 *   Atomics operation, some 15 ns, and an aligned word is never read in parts.
 *
 * REQUIRES: an ended window's words are cleared before its 12 bits recur, 68 hours later for a minute.
 */

import { invariant } from "../../formats/index.js";

const LEASE_WORDS = 32;
const HEADER_WORDS = 32;

/** Maximum requests of one lease. */
export const LEASE_MAX = 0xf_ffff;
const UNIT_BITS = 20;
const TAG_MASK = 0xfff;

const LEFT = 0;
const OVERDRAFT = 3;
const ELSEWHERE = 6;
const ELSEWHERE_TAG = 9;
const FULL = 12;
const LOW_WATER = 15;
const ASKED = 18;

/** Words of the header. */
const LINKED = 0;
const CLOCK_OFFSET = 1;
const HEARD = 2;
const KEYS_STALE = 3;
/** Unit of the time that keys were last known to be current, in milliseconds. */
const HEARD_UNIT_MS = 50;

export class LeaseWords {
	/** Passed to worker threads: `new LeaseWords(buffer)` uses the same words. */
	readonly buffer: SharedArrayBuffer;
	readonly #words: Int32Array;

	constructor(buffer: SharedArrayBuffer) {
		this.buffer = buffer;
		this.#words = new Int32Array(buffer);
	}

	/**
	 * Leases for `slots` keys, none granted. Cost: {@link LEASE_WORDS} × 4 bytes of address space per slot,
	 * resident once used.
	 */
	static allocate(slots: number): LeaseWords {
		return new LeaseWords(new SharedArrayBuffer((HEADER_WORDS + slots * LEASE_WORDS) * 4));
	}

	/** Whether the shared store is reachable. */
	get linked(): boolean {
		return this.#words[LINKED] === 1;
	}

	set linked(linked: boolean) {
		Atomics.store(this.#words, LINKED, linked ? 1 : 0);
	}

	/** Offset of the shared clock from this machine's, in milliseconds. */
	get clockOffsetMs(): number {
		return this.#words[CLOCK_OFFSET];
	}

	set clockOffsetMs(offsetMs: number) {
		Atomics.store(this.#words, CLOCK_OFFSET, Math.round(offsetMs));
	}

	/** Records that keys are current at `nowMs`. */
	heardAt(nowMs: number): void {
		Atomics.store(this.#words, HEARD, Math.floor(nowMs / HEARD_UNIT_MS) | 0);
	}

	/** Milliseconds since keys were last known to be current; negative if the clock was set back. */
	heardAgoMs(nowMs: number): number {
		return ((Math.floor(nowMs / HEARD_UNIT_MS) - this.#words[HEARD]) | 0) * HEARD_UNIT_MS;
	}

	/** Whether keys must be refused: the shared store was unreachable for longer than configured. */
	get keysStale(): boolean {
		return this.#words[KEYS_STALE] === 1;
	}

	set keysStale(stale: boolean) {
		Atomics.store(this.#words, KEYS_STALE, stale ? 1 : 0);
	}

	/** Requests left of the lease in the window `tag`. */
	left(slot: number, kind: number, tag: number): number {
		return countOf(Atomics.load(this.#words, wordOf(slot, LEFT + kind)), tag);
	}

	/** Takes `requests` from the lease. Returns what is left of it, or -1 if it had less than that and nothing was taken. */
	take(slot: number, kind: number, tag: number, requests: number): number {
		const at = wordOf(slot, LEFT + kind);
		for (;;) {
			const word = this.#words[at];
			const left = countOf(word, tag) - requests;
			if (left < 0) return -1;
			if (Atomics.compareExchange(this.#words, at, word, (word - requests) | 0) === word) return left;
		}
	}

	/** Returns what {@link take} took, unless the window has ended. */
	giveBack(slot: number, kind: number, tag: number, requests: number): void {
		const at = wordOf(slot, LEFT + kind);
		for (;;) {
			const word = Atomics.load(this.#words, at);
			if (!isOf(word, tag)) return;
			if (Atomics.compareExchange(this.#words, at, word, (word + requests) | 0) === word) return;
		}
	}

	/** Takes the remainder of the window `tag`; returns how many. */
	takeAll(slot: number, kind: number, tag: number): number {
		return this.#empty(wordOf(slot, LEFT + kind), tag);
	}

	/** Adds to the lease of the window `tag`; the remainder of another window is dropped. */
	grant(slot: number, kind: number, tag: number, requests: number): void {
		this.#add(wordOf(slot, LEFT + kind), tag, requests);
	}

	/** Counts requests without a lease. */
	overdraw(slot: number, kind: number, tag: number, requests: number): void {
		this.#add(wordOf(slot, OVERDRAFT + kind), tag, requests);
	}

	/** Takes the count of {@link overdraw} in the window `tag`. */
	takeOverdraft(slot: number, kind: number, tag: number): number {
		return this.#empty(wordOf(slot, OVERDRAFT + kind), tag);
	}

	/** Requests that other hosts were granted in the window `tag`, as last reported. */
	elsewhere(slot: number, kind: number, tag: number): number {
		const at = wordOf(slot, ELSEWHERE_TAG + kind);
		if (this.#words[at] !== tag) return 0;
		// Atomically, so that the count is not read before its tag.
		return Atomics.load(this.#words, at) === tag ? this.#words[wordOf(slot, ELSEWHERE + kind)] : 0;
	}

	setElsewhere(slot: number, kind: number, tag: number, requests: number): void {
		Atomics.store(this.#words, wordOf(slot, ELSEWHERE + kind), requests);
		Atomics.store(this.#words, wordOf(slot, ELSEWHERE_TAG + kind), tag);
	}

	/** Whether the window `tag` is known to be used up by all hosts together. */
	isFull(slot: number, kind: number, tag: number): boolean {
		return this.#words[wordOf(slot, FULL + kind)] === tag;
	}

	/** `tag` 0: not known to be full. */
	setFull(slot: number, kind: number, tag: number): void {
		Atomics.store(this.#words, wordOf(slot, FULL + kind), tag);
	}

	/** The remainder below which an early renewal is requested. */
	lowWater(slot: number, kind: number): number {
		return this.#words[wordOf(slot, LOW_WATER + kind)];
	}

	setLowWater(slot: number, kind: number, requests: number): void {
		Atomics.store(this.#words, wordOf(slot, LOW_WATER + kind), requests);
	}

	/** Marks the slot as requested; false: it was marked already. */
	markAsked(slot: number): boolean {
		return Atomics.exchange(this.#words, wordOf(slot, ASKED), 1) === 0;
	}

	clearAsked(slot: number): void {
		Atomics.store(this.#words, wordOf(slot, ASKED), 0);
	}

	#add(at: number, tag: number, requests: number): void {
		invariant(requests >= 0 && requests <= LEASE_MAX, "a lease fits its word");
		for (;;) {
			const word = Atomics.load(this.#words, at);
			const made = wordFor(tag, Math.min(LEASE_MAX, countOf(word, tag) + requests));
			if (Atomics.compareExchange(this.#words, at, word, made) === word) return;
		}
	}

	#empty(at: number, tag: number): number {
		for (;;) {
			const word = Atomics.load(this.#words, at);
			if (!isOf(word, tag)) return 0;
			if (Atomics.compareExchange(this.#words, at, word, wordFor(tag, 0)) === word) return countOf(word, tag);
		}
	}
}

function wordOf(slot: number, word: number): number {
	return HEADER_WORDS + slot * LEASE_WORDS + word;
}

function wordFor(tag: number, count: number): number {
	return ((tag & TAG_MASK) << UNIT_BITS) | count;
}

function isOf(word: number, tag: number): boolean {
	return word >>> UNIT_BITS === (tag & TAG_MASK);
}

function countOf(word: number, tag: number): number {
	return isOf(word, tag) ? word & LEASE_MAX : 0;
}
