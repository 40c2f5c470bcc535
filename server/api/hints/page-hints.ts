/** Hints on the number of a page: past the last one, or past those that can be paged to. */

import type { Page } from "../../../engine/index.js";
import { depthFault, groupDigits } from "../../../formats/index.js";
import type { Hint, HintSource } from "./hint.js";
import { hintsFor } from "./no-row-hints.js";
import { matching } from "./wording.js";

/** For a page without rows: why no row matches, or which page is the last. Cost: as {@link hintsFor}. */
export function emptyPageHints({ query, total }: Page, source: HintSource): Hint[] {
	const { filters, page, limit } = query;
	const matched = total ?? (page === 1 ? 0 : source.snapshot.count(filters, source.geography));
	return matched === 0 ? hintsFor(filters, source) : [lastPageHint(page, limit, matched, "row")];
}

/** For a page after the last one of `total` rows or other entries, named by `noun`. */
export function lastPageHint(page: number, limit: number, total: number, noun: string): Hint {
	const last = String(Math.ceil(total / limit));
	const message = `${matching(total, noun)}, so the last page of ${groupDigits(limit)} is page ${last}`;
	return { param: "page", value: String(page), message, nearest: [last] };
}

/**
 * For a page with further entries after it: what to do where no page reaches them. `reach`: number of entries that can
 * be paged to; `noun` names them, in the plural.
 */
export function unreachableHints(page: number, limit: number, reach: number, noun: string): Hint[] {
	if (depthFault(page + 1, limit) === null) return [];
	const message =
		`${noun} after the first ${groupDigits(reach)} are not reached by pages: narrow the filters, or ask the ` +
		"operator for the bulk entitlement, whose keys go on by cursor";
	return [{ param: "page", value: String(page + 1), message, nearest: [] }];
}
