/**
 * Which published months the serving threads have opened. A month is served once every thread has opened it, not once
 * it is in the data folder, which threads scan a few times a second.
 *
 * The main thread numbers the months that it publishes. A thread reads the newest number, scans the data folder, and
 * stores that number as opened, in shared memory. Atomic 32-bit words:
 *
 *     0             number of the newest publication; 0: none since the start
 *     1 + thread    number that the thread has opened; NOT_SERVING: it serves nothing
 *
 * Invariant: a thread that stored a number has opened every month whose publication has that number or a lower one,
 * but for months in quarantine.
 */

import { invariant } from "../../formats/index.js";

const NOT_SERVING = 0x7fff_ffff;

export class OpenedPublications {
	/** Passed to worker threads, whose `new OpenedPublications(buffer)` shares the same words. */
	readonly buffer: SharedArrayBuffer;
	readonly #words: Int32Array;

	constructor(buffer: SharedArrayBuffer) {
		this.buffer = buffer;
		this.#words = new Int32Array(buffer);
	}

	/** For `threads` threads, none of which serves yet. */
	static allocate(threads: number): OpenedPublications {
		const publications = new OpenedPublications(new SharedArrayBuffer(4 * (1 + threads)));
		publications.#words.fill(NOT_SERVING, 1);
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
	}

	/** Whether every thread that serves has opened the publication. Cost O(threads). */
	isServed(number: number): boolean {
		for (let at = 1; at < this.#words.length; at++) if (Atomics.load(this.#words, at) < number) return false;
		return true;
	}

	#store(thread: number, number: number): void {
		invariant(thread + 1 < this.#words.length, "the thread is one of those allocated for");
		Atomics.store(this.#words, thread + 1, number);
	}
}
