/**
 * The default lower-case mapping of Unicode with the pinned tables, equivalent to String.prototype.toLowerCase: a
 * capital sigma becomes final sigma after a letter and not before one.
 */

import { type UnicodeTables, unicodeTables } from "./tables.js";

const CAPITAL_SIGMA = 0x3a3;
const FINAL_SIGMA = 0x3c2;

/** The lower case of code points, as text. Cost O(length), capital sigmas O(length) each. */
export function lowerCased(points: readonly number[]): string {
	const { lowerCase } = unicodeTables;
	let text = "";
	for (let i = 0; i < points.length; i++) {
		const point = points[i];
		if (point === CAPITAL_SIGMA && isFinal(points, i, unicodeTables)) {
			text += String.fromCodePoint(FINAL_SIGMA);
			continue;
		}
		const mapped = lowerCase.get(point);
		text += mapped === undefined ? String.fromCodePoint(point) : String.fromCodePoint(...mapped);
	}
	return text;
}

/** Whether, ignoring case-ignorable code points, the one before `at` is cased and the one after is not. */
function isFinal(points: readonly number[], at: number, { cased, caseIgnorable }: UnicodeTables): boolean {
	let before = at - 1;
	while (before >= 0 && caseIgnorable.has(points[before])) before--;
	if (before < 0 || !cased.has(points[before])) return false;
	let after = at + 1;
	while (after < points.length && caseIgnorable.has(points[after])) after++;
	return after === points.length || !cased.has(points[after]);
}
