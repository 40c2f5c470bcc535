/**
 * Caches of the hints of a snapshot for keys without a geography: pages of one city or status have the same, whatever
 * else the query has. Statuses are few and cities many, so each kind of hints has a cache of its own.
 */

import { type Filters, ResultCache, type Snapshot } from "../../../engine/index.js";
import type { Hint, HintSource } from "./hint.js";

/** Hints with a longer key are not cached; in characters. */
const KEY_LENGTH_MAX = 200;

/** JSON of cached hints. */
const texts = new WeakMap<Hint, string>();

export class HintCache {
	private readonly cache: ResultCache<Snapshot, readonly Hint[]>;

	/** `capacity`: maximum entries of a thread, of all snapshots together; one takes 2.5 KB at most. */
	constructor(capacity: number) {
		this.cache = new ResultCache(capacity);
	}

	/**
	 * What `make` returns, which depends on the source, the states and country of `filters`, `param` and `values` alone.
	 * Cost O(length of these) on a hit.
	 */
	get(
		{ snapshot, geography, unread = [] }: Pick<HintSource, "snapshot" | "geography" | "unread">,
		param: string,
		values: readonly string[],
		{ state, country }: Filters,
		make: () => readonly Hint[],
	): readonly Hint[] {
		if (geography !== null) return make();
		// With lengths, no two lists of values have one key, whatever characters they have.
		let key = `${unread.length === 0 ? "" : `without ${unread.join()} `}${param} ${country ?? ""} ${state?.join() ?? ""}`;
		for (const value of values) key += ` ${value.length} ${value}`;
		if (key.length > KEY_LENGTH_MAX) return make();
		return this.cache.get(snapshot, key, () => {
			const hints = make();
			for (const hint of hints) texts.set(hint, JSON.stringify(hint));
			return hints;
		});
	}
}

/** JSON of `hints`. */
export function hintsText(hints: readonly Hint[]): string {
	let text = "";
	for (const hint of hints) text += `${text === "" ? "" : ","}${texts.get(hint) ?? JSON.stringify(hint)}`;
	return `[${text}]`;
}
