/** Matches the codes of one month's dictionary with those of another's. Cost O(distinct values of both). */

import type { Dictionary } from "../../formats/index.js";
import { ABSENT, mergeDictionaries } from "../columns/merge-values.js";
import type { SlicedWork, SliceSizes } from "../sliced-work.js";

/**
 * For every code of `from`, the code of the same value in `to`, or {@link ABSENT}. The entry of null is null's
 * code in `to`.
 */
export function* matchDictionaries(
	from: Dictionary,
	to: Dictionary,
	sizes: SliceSizes,
): SlicedWork<Int32Array> {
	const match = new Int32Array(from.distinct + 1).fill(ABSENT);
	match[from.distinct] = to.distinct;
	yield* mergeDictionaries(from, to, sizes, (code, other) => {
		if (code !== ABSENT) match[code] = other;
	});
	return match;
}
