/** What the splitting of a cell has to know of a segment of the pattern, decided once. */

import type { PatternSegment } from "../input/split-pattern.js";
import type { SegmentSeparator } from "./segment-separator.js";

const SUFFIX = "SUFFIX";
const PREFIX = "PREFIX";

/** How a segment's words are assigned to its parts; parts are numbers, -1 for one that the segment has not. */
export interface SegmentRule extends SegmentSeparator {
	/** Parts that take words, without PREFIX and SUFFIX in names. */
	readonly parts: readonly number[];
	/** Fewest words for all of them. */
	readonly wordsMin: number;
	/** LAST if it is the first or the last part. */
	readonly leadingLast: number;
	readonly trailingLast: number;
	/** Parts besides LAST and MIDDLE. */
	readonly others: number;
	/** MIDDLE if it follows another part besides LAST. */
	readonly middle: number;
	/** The first part besides LAST. */
	readonly rest: number;
	/** PREFIX, if the segment is a name that begins with it. */
	readonly prefix: number;
	/** Whether the segment is SUFFIX alone, whose words are one whatever they are. */
	readonly isSuffix: boolean;
	/** Whether the segment is LAST alone, apart from SUFFIX. */
	readonly isLast: boolean;
	/** Whether the last part is a postal code. */
	readonly endsWithZip: boolean;
}

/** The rule of a segment of a pattern whose parts are `names`; `isName`: all of it is a person's name. */
export function segmentRule(
	{ parts: named, separator, isSpaced }: PatternSegment,
	isName: boolean,
	names: readonly string[],
	postalCode: string | null,
): SegmentRule {
	const parts = isName ? named.filter((part) => part !== SUFFIX && part !== PREFIX) : named;
	const isAssigned = isName && parts.length > 1;
	const rest = parts.filter((part) => part !== "LAST");
	const number = (part: string | undefined) => (part === undefined ? -1 : names.indexOf(part));
	return {
		separator: new TextEncoder().encode(separator),
		isSpaced,
		parts: parts.map(number),
		wordsMin: isAssigned ? parts.filter((part) => part !== "MIDDLE").length : parts.length,
		trailingLast: isAssigned && parts.at(-1) === "LAST" ? number("LAST") : -1,
		leadingLast: isAssigned && parts[0] === "LAST" ? number("LAST") : -1,
		others: parts.filter((part) => part !== "LAST" && part !== "MIDDLE").length,
		middle: rest.length > 1 && rest.includes("MIDDLE") ? number("MIDDLE") : -1,
		rest: rest.length > 1 && rest.includes("MIDDLE") ? number("FIRST") : number(rest[0]),
		prefix: isName && named.includes(PREFIX) ? number(PREFIX) : -1,
		isSuffix: isName && parts.length === 0,
		isLast: isName && parts.length === 1 && parts[0] === "LAST",
		endsWithZip: !isName && parts.at(-1) === postalCode,
	};
}
