/**
 * Which published months the serving threads have opened, and which threads prepare new ones. A month is served once every thread has opened it, not once
 * it is in the data folder, which threads scan a few times a second.
 *
 * The main thread numbers the months that it publishes. A thread reads the newest number, scans the data folder, and
 * stores that number as opened, in shared memory. Atomic 32-bit words:
 *
 *     0             number of the newest publication; 0: none since the start
 *     1 + thread    number that the thread has opened; NOT_SERVING: it serves nothing
 *     1 + threads + thread    number of the look from which on the thread is ready to change; PREPARING: it prepares months
 *
 * Invariant: a thread that stored a number has opened every month whose publication has that number or a lower one,
 * but for months in quarantine.
 */

import { invariant } from "../../formats/index.js";

const NOT_SERVING = 0x7fff_ffff;
const PREPARING = -1;
const NEVER_PREPARED = -2;

/** Looks are numbered up to this, then from 0 again. */
export const LOOKS = 2 ** 30;
/** The other threads of the process. */
export interface OtherThreads {
	/** Whether there are any. */
	readonly exist: boolean;
	/** Whether all of them are ready to change at a look. */
	areReadyAt(look: number): boolean;
	/** Tells them from which look on this thread is; null: it prepares. */
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
		this.#prepares(thread, NEVER_PREPARED);
	}

	/** The threads besides one, as far as they prepare months. */
	othersThan(thread: number): OtherThreads {
		const words = this.#words;
		const first = 1 + this.#threads;
		return {
			exist: this.#threads > 1,
			areReadyAt(look) {
				for (let at = first; at < words.length; at++) {
					const from = Atomics.load(words, at);
					// Numbers begin anew: a look less than half of them after another one is later.
					const isReady =
						from === NEVER_PREPARED || (from !== PREPARING && (look - from + LOOKS) % LOOKS < LOOKS / 2);
					if (at !== first + thread && !isReady) return false;
				}
				return true;
			},
			tell: (readyFrom) => this.#prepares(thread, readyFrom ?? PREPARING),
		};
	}

	/** Whether every thread that serves has opened the publication. Cost O(threads). */
	isServed(number: number): boolean {
		for (let at = 1; at <= this.#threads; at++) if (Atomics.load(this.#words, at) < number) return false;
		return true;
	}

	#prepares(thread: number, word: number): void {
		Atomics.store(this.#words, 1 + this.#threads + thread, word);
	}

	#store(thread: number, number: number): void {
		invariant(thread < this.#threads, "the thread is one of those allocated for");
		Atomics.store(this.#words, thread + 1, number);
	}
}
