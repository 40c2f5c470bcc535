/** Where the text between two parts of a pattern is in a cell. */

import { trimmedEnd, trimmedStart } from "./trim.js";

/** The text that divides two segments of a pattern. */
export interface SegmentSeparator {
	readonly separator: Uint8Array;
	/** Whether the pattern has it between blanks, where a cell must have blanks, too. */
	readonly isSpaced: boolean;
}

/** Where the separator is first found in bytes[from, end); -1 if it is missing. Cost O(bytes). */
export function separatorAt(
	{ separator, isSpaced }: SegmentSeparator,
	bytes: Uint8Array,
	from: number,
	end: number,
): number {
	for (let at = indexOf(bytes, separator, from, end); at >= 0; at = indexOf(bytes, separator, at + 1, end)) {
		if (!isSpaced) return at;
		const after = at + separator.length;
		if (trimmedEnd(bytes, from, at) < at && trimmedStart(bytes, after, end) > after) return at;
	}
	return -1;
}

/**
 * Where the first of the last separators of a cell is, of which there are as many as `segments`, whose separators are all
 * the same, have; -1 if the cell has no more than these. Cost O(bytes).
 */
export function firstOfLastSeparators(
	segments: readonly SegmentSeparator[],
	bytes: Uint8Array,
	from: number,
	end: number,
): number {
	const separator = segments[1];
	const length = separator.separator.length;
	const places: number[] = [];
	for (
		let at = separatorAt(separator, bytes, from, end);
		at >= 0;
		at = separatorAt(separator, bytes, at + length, end)
	)
		places.push(at);
	const wanted = segments.length - 1;
	return places.length > wanted ? places[places.length - wanted] : -1;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
	for (let at = from; at + wanted.length <= end; at++) {
		let i = 0;
		while (i < wanted.length && bytes[at + i] === wanted[i]) i++;
		if (i === wanted.length) return at;
	}
	return -1;
}
