/**
 * A cache of the hints of a snapshot for keys without a geography: pages of one city or status have the same, whatever
 * else the query has.
 */

import { type Filters, ResultCache, type Snapshot } from "../../../engine/index.js";
import type { Hint, HintSource } from "./hint.js";

/** Maximum entries of a thread, of all snapshots together; one takes 2.5 KB at most. */
export const HINTS_CACHED_MAX = 2048;
/** Hints with a longer key are not cached; in characters. */
const KEY_LENGTH_MAX = 200;

const cache = new ResultCache<Snapshot, readonly Hint[]>(HINTS_CACHED_MAX);
/** JSON of cached hints. */
const texts = new WeakMap<Hint, string>();

/**
 * What `make` returns, which depends on the source, the states and country of `filters`, `param` and `values` alone.
 * Cost O(length of these) on a hit.
 */
export function cachedHints(
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
	return cache.get(snapshot, key, () => {
		const hints = make();
		for (const hint of hints) texts.set(hint, JSON.stringify(hint));
		return hints;
	});
}

/** JSON of `hints`. */
export function hintsText(hints: readonly Hint[]): string {
	let text = "";
	for (const hint of hints) text += `${text === "" ? "" : ","}${texts.get(hint) ?? JSON.stringify(hint)}`;
	return `[${text}]`;
}
