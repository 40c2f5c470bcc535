/** What is told of a record with the wrong number of columns. */

import type { SourcePlan } from "../input/source-plan.js";
import { QUOTE } from "./byte-classes.js";

const SPACE = 0x20;

/** The number of columns, `fields`, of a record with the bytes `raw`, and why it is not the header's, if that is known. */
export function columnCount(
	fields: number,
	plan: Pick<SourcePlan, "fields" | "quotes" | "delimiter">,
	raw: Uint8Array,
): string {
	const cause = plan.quotes ? causeOf(fields, plan, raw) : "";
	return `${fields === 1 ? "1 column" : `${fields} columns`} instead of ${plan.fields}${cause}`;
}

function causeOf(fields: number, plan: Pick<SourcePlan, "fields" | "delimiter">, raw: Uint8Array): string {
	if (fields > plan.fields && hasSpacedQuote(raw, plan.delimiter))
		return "; a quote after a blank begins no quoted field";
	const isQuotedLine = fields === 1 && raw[0] === QUOTE && raw.includes(plan.delimiter);
	return isQuotedLine ? "; the line is in quotes as a whole" : "";
}

/** Whether a field begins with blanks and a quote. */
function hasSpacedQuote(raw: Uint8Array, delimiter: number): boolean {
	for (let i = 1; i < raw.length; i++) {
		if (raw[i] !== QUOTE) continue;
		let before = i - 1;
		while (before >= 0 && raw[before] === SPACE && raw[before] !== delimiter) before--;
		if (before < i - 1 && (before < 0 || raw[before] === delimiter)) return true;
	}
	return false;
}
