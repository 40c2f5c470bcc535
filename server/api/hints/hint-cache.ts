/**
 * Hints that were given of a snapshot to keys without a geography: pages of one city or status have the same, whatever
 * else is asked.
 */

import { type Filters, ResultCache, type Snapshot } from "../../../engine/index.js";
import type { Hint, HintSource } from "./hint.js";

/** Maximum questions whose hints a thread keeps, of all snapshots together; those of one take 2.5 KB at most. */
export const HINTS_CACHED_MAX = 2048;
/** Maximum characters of a question whose hints are kept. */
const ASKED_MAX = 200;

const kept = new ResultCache<Snapshot, readonly Hint[]>(HINTS_CACHED_MAX);
/** JSON of hints that are kept. */
const texts = new WeakMap<Hint, string>();

/**
 * What `make` returns, which depends on the snapshot, the geography, the states and country of `filters`, `param` and
 * `values` alone. Cost O(length of these) where it is kept.
 */
export function cachedHints(
	{ snapshot, geography }: Pick<HintSource, "snapshot" | "geography">,
	param: string,
	values: readonly string[],
	{ state, country }: Filters,
	make: () => readonly Hint[],
): readonly Hint[] {
	if (geography !== null) return make();
	// Lengths keep values apart, whatever characters they have.
	let asked = `${param} ${country ?? ""} ${state?.join() ?? ""}`;
	for (const value of values) asked += ` ${value.length} ${value}`;
	if (asked.length > ASKED_MAX) return make();
	return kept.get(snapshot, asked, () => {
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
