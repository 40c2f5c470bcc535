/**
 * Matches the codes of one month's dictionary with those of another's. Both have the same order, so one pass
 * over both finds the common values. Cost O(distinct values of both).
 */

import { compareBytes, type Dictionary, foldBytes, isAscii, lowerAsciiByte } from "../../formats/index.js";
import { inSlices, type SlicedWork, type SliceSizes } from "../sliced-work.js";

/** Result of {@link matchDictionaries} for a value that the other dictionary lacks. */
export const ABSENT = -1;

/**
 * For every code of `from`, the code of the same value in `to`, or {@link ABSENT}. The entry of null is null's
 * code in `to`.
 */
export function* matchDictionaries(
	from: Dictionary,
	to: Dictionary,
	sizes: SliceSizes,
): SlicedWork<Int32Array> {
	const match = new Int32Array(from.distinct + 1).fill(ABSENT);
	match[from.distinct] = to.distinct;
	let b = 0;
	yield* inSlices(from.distinct, sizes.rows, (first, end) => {
		for (let a = first; a < end; a++) {
			let order = -1;
			while (b < to.distinct) {
				order = compareValues(from, a, to, b);
				if (order <= 0) break;
				b++;
			}
			if (b < to.distinct && order === 0) match[a] = b++;
		}
	});
	return match;
}

/** Compares two values of dictionaries: by fold, then by bytes. */
function compareValues(a: Dictionary, aCode: number, b: Dictionary, bCode: number): number {
	const aStart = a.offsets[aCode];
	const aEnd = a.offsets[aCode + 1];
	const bStart = b.offsets[bCode];
	const bEnd = b.offsets[bCode + 1];
	const raw = compareBytes(a.heap, aStart, aEnd, b.heap, bStart, bEnd);
	if (raw === 0) return 0;
	return compareFolds(a.heap, aStart, aEnd, b.heap, bStart, bEnd) || raw;
}

function compareFolds(
	a: Uint8Array,
	aStart: number,
	aEnd: number,
	b: Uint8Array,
	bStart: number,
	bEnd: number,
): number {
	if (isAscii(a, aStart, aEnd) && isAscii(b, bStart, bEnd)) {
		const shared = Math.min(aEnd - aStart, bEnd - bStart);
		for (let i = 0; i < shared; i++) {
			const difference = lowerAsciiByte(a[aStart + i]) - lowerAsciiByte(b[bStart + i]);
			if (difference !== 0) return difference;
		}
		return aEnd - aStart - (bEnd - bStart);
	}
	const aFold = foldBytes(a, aStart, aEnd);
	const bFold = foldBytes(b, bStart, bEnd);
	return compareBytes(aFold, 0, aFold.length, bFold, 0, bFold.length);
}
