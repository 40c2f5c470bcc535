/**
 * What earlier processes of this host counted in windows that are still open, as its store has it at the start. With
 * every exchange it is reported, so a shared store that lost its data learns of requests whose grants no process
 * remembers.
 */

import { endOfWindow, WINDOW_NAMES } from "../limits/windows.js";
import type { Store } from "../store/store.js";

interface Count {
	/** Of the window, as in the words of leases. */
	readonly tag: number;
	readonly requests: number;
}

export class EarlierCounts {
	/** By slot, then by window. */
	readonly #counts = new Map<number, readonly Count[]>();

	/** Cost: reads every key that was used. Errors: those of the store. */
	static read(store: Store): EarlierCounts {
		const read = new EarlierCounts();
		for (const { keyId, record } of store.counters()) {
			const slot = store.key(keyId)?.slot;
			if (slot === undefined) continue;
			const counts = WINDOW_NAMES.map((name) => ({
				tag: record[name].window + 1,
				requests: record[name].count,
			}));
			if (counts.some(({ requests }) => requests > 0)) read.#counts.set(slot, counts);
		}
		return read;
	}

	/** Requests in the window `tag` of a slot. */
	of(slot: number, kind: number, tag: number): number {
		const count = this.#counts.get(slot)?.[kind];
		return count?.tag === tag ? count.requests : 0;
	}

	/** Slots with requests in a window that is open at `nowMs`. */
	slots(nowMs: number): number[] {
		return [...this.#counts]
			.filter(([, counts]) =>
				counts.some(({ tag, requests }, kind) => requests > 0 && endOfWindow(kind, tag - 1) > nowMs),
			)
			.map(([slot]) => slot);
	}
}
