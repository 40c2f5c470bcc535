/** What a watcher's tests have for a published month where nothing is built. */

import type { BuiltMonth } from "../../builder/build/build-month.js";

/** What a watcher reads of a month: one row, accepted as it is. */
export const BUILT = {
	rows: 1,
	churn: null,
	accepted: [],
	rejects: { rows: 0 },
	held: false,
} as unknown as BuiltMonth;
