/** Hints where rows match a ZIP code: rows of its ZIP+4 codes, which the exact filter leaves out (docs/API.md §7.8.6). */

import type { Filters } from "../../../engine/index.js";
import { groupDigits } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, nameOf, placeOf } from "./hint.js";
import { hintsByValue, LOOKED_AT_MAX, valuesText, withUnlooked } from "./hints-by-value.js";
import { rowsHave, rowsOf, rowsText } from "./wording.js";

/** A ZIP code of five digits; those that it begins are of four digits more. */
const SHORT_ZIP = /^\d{5}$/;

/** Longer codes that are counted for one filter: some ten nanoseconds each. Further ZIP codes are not looked at. */
const LONGER_CODES_MAX = 4096;

/**
 * Cost: a count for each longer code, of the first {@link LOOKED_AT_MAX} ZIP codes and up to {@link LONGER_CODES_MAX} of
 * these.
 */
export function longPostalCodeHints(filters: Filters, source: HintSource): Hint[] {
	if (filters.postal_code === undefined || filters.postal_prefix !== undefined) return [];
	const codes = [...new Set(listOf(filters.postal_code))].filter((code) => SHORT_ZIP.test(code));
	if (codes.length === 0) return [];
	const { snapshot, geography } = source;
	const param = nameOf("postal_code", source);
	const where = rowsOf(filters, geography);
	const counted = snapshot.valueRows("member_postal_code", placeOf(filters), geography);
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
	const hints = hintsByValue(
		found,
		({ value, rows }): Hint => {
			const begin = rows === 1 ? "a code that begins" : "codes that begin";
			const message =
				`${rowsHave(rows, `more in ${where}`)} ${begin} with ${value}: ` +
				`postal_prefix ${value} has them all`;
			return { param, value, message, nearest: [] };
		},
		(rest): Hint => {
			const rows = rest.reduce((sum, each) => sum + each.rows, 0);
			const message =
				`${groupDigits(rest.length)} more of the values of ${param} begin codes of ${rowsText(rows)} more in ${where} ` +
				`together: ${valuesText(rest)}; postal_prefix takes them one by one`;
			return { param, value: "", message, nearest: [] };
		},
	);
	return withUnlooked(hints, param, codes.length - looked, "longer codes");
}
