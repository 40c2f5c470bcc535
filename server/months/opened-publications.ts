/**
 * Which published months the serving threads have opened, and which threads prepare new ones. A month is served once
 * every thread has opened it, not once it is in the data folder, which threads poll a few times a second.
 *
 * The main thread numbers the months that it publishes. A thread reads the newest number, scans the data folder, and
 * stores that number as opened, in shared memory. Atomic 32-bit words:
 *
 *     0             number of the newest publication; 0: none since the start
 *     1 + thread    number that the thread has opened; NOT_SERVING: it serves nothing
 *     1 + threads + thread    number of the first poll at which the thread is ready to change months; PREPARING: it
 *                             prepares some; NEVER_PREPARED: it has not, or has ended
 *
 * Invariant: a thread that stored a number has opened every month whose publication has that number or a lower one,
 * but for months in quarantine.
 */

import { invariant } from "../../formats/index.js";

const NOT_SERVING = 0x7fff_ffff;
const PREPARING = -1;
const NEVER_PREPARED = -2;

/** Polls are numbered modulo this. */
export const POLL_NUMBERS = 2 ** 30;

/** The other threads of the process. */
export interface OtherThreads {
	/** Whether there are any. */
	readonly exist: boolean;
	/** Whether all of them, and this thread, are ready to change at the poll with this number. */
	areReadyAt(poll: number): boolean;
	/** Tells them the first poll at which this thread is ready; null: it prepares. */
	tell(readyFrom: number | null): void;
}

export class OpenedPublications {
	/** Passed to worker threads, whose `new OpenedPublications(buffer)` shares the same words. */
	readonly buffer: SharedArrayBuffer;
	readonly #words: Int32Array;
	readonly #threads: number;

	constructor(buffer: SharedArrayBuffer) {
		this.buffer = buffer;
		this.#words = new Int32Array(buffer);
		this.#threads = (this.#words.length - 1) / 2;
	}

	/** For `threads` threads, none of which serves yet. */
	static allocate(threads: number): OpenedPublications {
		const publications = new OpenedPublications(new SharedArrayBuffer(4 * (1 + 2 * threads)));
		publications.#words.fill(NOT_SERVING, 1, 1 + threads);
		publications.#words.fill(NEVER_PREPARED, 1 + threads);
		return publications;
	}

	/** Number of the newest publication. Read it before scanning the data folder. */
	get newest(): number {
		return Atomics.load(this.#words, 0);
	}

	/** Numbers a month that has just been published, and returns the number. */
	publish(): number {
		return Atomics.add(this.#words, 0, 1) + 1;
	}

	/** The thread has opened what was published up to `number`. */
	opened(thread: number, number: number): void {
		this.#store(thread, number);
	}

	/** The thread has ended. */
	ended(thread: number): void {
		this.#store(thread, NOT_SERVING);
		this.#setReadiness(thread, NEVER_PREPARED);
	}

	/** The threads besides one, as far as they prepare months. */
	othersThan(thread: number): OtherThreads {
		const words = this.#words;
		const first = 1 + this.#threads;
		return {
			exist: this.#threads > 1,
			areReadyAt(poll) {
				// This one too: others wait for the poll that it told, where it became ready shortly before this one.
				for (let at = first; at < words.length; at++)
					if (!isReadyAt(poll, Atomics.load(words, at))) return false;
				return true;
			},
			tell: (readyFrom) => this.#setReadiness(thread, readyFrom ?? PREPARING),
		};
	}

	/** Whether every thread that serves has opened the publication. Cost O(threads). */
	isServed(number: number): boolean {
		for (let at = 1; at <= this.#threads; at++) if (Atomics.load(this.#words, at) < number) return false;
		return true;
	}

	#setReadiness(thread: number, word: number): void {
		Atomics.store(this.#words, 1 + this.#threads + thread, word);
	}

	#store(thread: number, number: number): void {
		invariant(thread < this.#threads, "the thread is one of those allocated for");
		Atomics.store(this.#words, thread + 1, number);
	}
}

/** Whether a thread with this word of readiness is ready at a poll. */
function isReadyAt(poll: number, word: number): boolean {
	if (word === NEVER_PREPARED || word === PREPARING) return word === NEVER_PREPARED;
	// Numbers wrap around: of two, the later one is less than half of them ahead.
	return (poll - word + POLL_NUMBERS) % POLL_NUMBERS < POLL_NUMBERS / 2;
}
