/** What the first queries of some kinds and their hints need, which is made once of each month. */

import type { Snapshot } from "../../engine/index.js";
import { prepareCitySpellings } from "../api/hints/city-forms.js";

/** In steps of some milliseconds. Cost as of `Snapshot.precompute` and {@link prepareCitySpellings}. */
export function* precomputationOf(month: Snapshot): Generator<void, void> {
	yield* month.precompute();
	yield* prepareCitySpellings(month);
}
