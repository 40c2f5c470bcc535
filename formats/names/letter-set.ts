/**
 * Letter sets: the letters of a word as a 32-bit signature, which filters candidates of an edit-distance search.
 * An edit removes at most one letter from a word's set and adds at most one; a transposition does neither. So of
 * two words within distance d, each has at most d letters that the other lacks, which takes a few instructions
 * to check, where the distance itself takes a table.
 */

const DIGITS_BIT = 26;
/** Non-ASCII letters share the bits from this one on. */
const OTHERS_BIT = 27;

/** The letter set of a word's code points. */
export function letterSet(points: ArrayLike<number>): number {
	let set = 0;
	for (let i = 0; i < points.length; i++) set |= 1 << bitOf(points[i]);
	return set >>> 0;
}

function bitOf(point: number): number {
	if (point >= 0x61 && point <= 0x7a) return point - 0x61;
	if (point >= 0x30 && point <= 0x39) return DIGITS_BIT;
	return OTHERS_BIT + (point % (32 - OTHERS_BIT));
}
