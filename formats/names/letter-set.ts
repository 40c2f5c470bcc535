/**
 * Letter sets: the letters of a word as 32 bits, for a search by edit distance. An edit takes at most one
 * letter out of a word's set and adds at most one, and an exchange of neighbours neither. So of two words
 * within distance d, each has at most d letters that the other lacks, which takes a few instructions to
 * rule out, where the distance itself takes a table.
 */

const DIGITS_BIT = 26;
/** Letters that are not ASCII share the bits from here on. */
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
