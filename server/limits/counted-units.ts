/** What requests are counted by that count as several (docs/API.md §5.4). */

import { groupDigits } from "../../formats/index.js";

export interface CountedUnit {
	/** In the plural. */
	readonly noun: string;
	/** How many begun count as one request. */
	readonly perRequest: number;
}

/** Licenses verified. */
export const LICENSES_COUNTED: CountedUnit = { noun: "licenses", perRequest: 10 };

/** Rows of an answer in pieces. */
export const ROWS_COUNTED: CountedUnit = { noun: "rows", perRequest: 1_000 };

/** As how many requests so many of a unit count. */
export function requestsFor(amount: number, { perRequest }: CountedUnit): number {
	return Math.max(1, Math.ceil(amount / perRequest));
}

/** Continues the refusal of a request that never fits: how much one has that counts as `most` requests. */
export function largestText(most: number, { noun, perRequest }: CountedUnit): string {
	return ` One request has room for ${groupDigits(most * perRequest)} ${noun}.`;
}
