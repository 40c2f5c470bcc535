/**
 * Hints where rows match a ZIP code of five digits: those of the longer codes that it begins, which an exact filter leaves out
 * (docs/API.md §7.8.6).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters } from "../../../engine/index.js";
import { groupDigits } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, placeOf, rowsOf, rowsText } from "./hints.js";
import { HINTED_MAX, LOOKED_AT_MAX, namesOf, withUnlooked } from "./spelling-hints.js";

/** A ZIP code of five digits; those that it begins are of four digits more. */
const SHORT_ZIP = /^\d{5}$/;

/** Longer codes that are counted for one filter: some ten nanoseconds each. Further ZIP codes are not looked at. */
const LONGER_CODES_MAX = 4096;

/**
 * Where rows match a ZIP code: those of its ZIP+4 codes, which are left out. Cost: a count for each of these, of the first
 * {@link LOOKED_AT_MAX} codes and up to {@link LONGER_CODES_MAX} of these.
 */
export function longPostalCodeHints(filters: Filters, { snapshot, geography, aliases }: HintSource): Hint[] {
	if (filters.postal_code === undefined || filters.postal_prefix !== undefined) return [];
	const codes = [...new Set(listOf(filters.postal_code))].filter((code) => SHORT_ZIP.test(code));
	if (codes.length === 0) return [];
	const param = aliases?.postal_code ?? "postal_code";
	const place = placeOf(filters);
	const where = rowsOf(place, geography);
	const counted = snapshot.valueRows("member_postal_code", place, geography);
	const found: { value: string; rows: number }[] = [];
	let looked = 0;
	let longer = 0;
	for (const value of codes.slice(0, LOOKED_AT_MAX)) {
		if (longer > LONGER_CODES_MAX) break;
		looked++;
		const short = counted.ofValue(value);
		if (short === 0) continue;
		longer += counted.valuesWithPrefix(value);
		const rows = counted.withPrefix(value) - short;
		if (rows > 0) found.push({ value, rows });
	}
	const told = found.length > HINTED_MAX ? HINTED_MAX - 1 : HINTED_MAX;
	const hints = found.slice(0, told).map(({ value, rows }): Hint => {
		const message = `${rowsText(rows)} more in ${where} ${rows === 1 ? "has a code" : "have codes"} that begin${rows === 1 ? "s" : ""} with ${value}: postal_prefix ${value} has them all`;
		return { param, value, message, nearest: [] };
	});
	const rest = found.slice(told);
	if (rest.length > 0) {
		const rows = rest.reduce((sum, each) => sum + each.rows, 0);
		const message =
			`${groupDigits(rest.length)} more of the values of ${param} begin codes of ${rowsText(rows)} more in ${where} ` +
			`together: ${namesOf(rest)}; postal_prefix takes them one by one`;
		hints.push({ param, value: "", message, nearest: [] });
	}
	return withUnlooked(hints, param, codes.length - looked, "longer codes");
}
