/**
 * Optimal string alignment distance: the minimum of insertions, deletions, substitutions and transpositions of
 * adjacent letters that transform one word into another, with no letter edited twice. A transposition counts as
 * one edit, as in "Jhonson", a common typing error.
 *
 * A column of the table of distances is kept as bits, one for each letter of the pattern, which tell where adjacent
 * cells differ by one (Myers 1999; with transpositions, Hyyrö 2003). Longer patterns fill the table cell by cell.
 */

/** Letters of a pattern that fit the bits of a word. */
const BIT_LETTERS_MAX = 32;
const ASCII = 128;
/** Rows of the table: the current letter and the two before it. Longer words allocate their own. */
const ROW_LENGTH = 128;
const shared = [0, 1, 2].map(() => new Uint16Array(ROW_LENGTH));

/** The pattern compared last: many words are compared with one. */
let pattern: readonly number[] = [];
/** By ASCII letter, a bit for each of its positions in the pattern. */
const ascii = new Int32Array(ASCII);
/** The same for other letters. */
const others = new Map<number, number>();

/**
 * The distance of `a`, which is never changed, to b[start, end), both code points; `limit + 1` if it exceeds `limit`.
 * Cost O(length), or O(length × limit) where `a` has more than 32 letters.
 */
export function editDistance(
	a: readonly number[],
	b: ArrayLike<number>,
	start: number,
	end: number,
	limit: number,
): number {
	if (Math.abs(a.length - (end - start)) > limit) return limit + 1;
	if (a.length === 0) return end - start;
	if (a.length > BIT_LETTERS_MAX) return tableDistance(a, b, start, end, limit);
	if (a !== pattern) setPattern(a);
	return bitDistance(a.length, b, start, end, limit);
}

function setPattern(points: readonly number[]): void {
	others.clear();
	for (const point of pattern) if (point < ASCII) ascii[point] = 0;
	for (let i = 0; i < points.length; i++) {
		const point = points[i];
		if (point < ASCII) ascii[point] |= 1 << i;
		else others.set(point, (others.get(point) ?? 0) | (1 << i));
	}
	pattern = points;
}

/** The distance of the pattern, which has `letters` letters. */
function bitDistance(
	letters: number,
	b: ArrayLike<number>,
	start: number,
	end: number,
	limit: number,
): number {
	const last = 1 << (letters - 1);
	let distance = letters;
	// Cells one more, or one less, than the cell above; cells equal to the one diagonally before.
	let above = -1;
	let below = 0;
	let diagonal = 0;
	let matchesBefore = 0;
	for (let j = start; j < end; j++) {
		const point = b[j];
		const matches = point < ASCII ? ascii[point] : (others.get(point) ?? 0);
		const swapped = ((~diagonal & matches) << 1) & matchesBefore;
		diagonal = (((matches & above) + above) ^ above) | matches | below | swapped;
		const more = below | ~(diagonal | above);
		const less = diagonal & above;
		if ((more & last) !== 0) distance++;
		else if ((less & last) !== 0) distance--;
		// Each letter that remains lowers the distance by at most one.
		if (distance - (end - j - 1) > limit) return limit + 1;
		const moreShifted = (more << 1) | 1;
		above = (less << 1) | ~(diagonal | moreShifted);
		below = moreShifted & diagonal;
		matchesBefore = matches;
	}
	return distance;
}

/** The distance of two texts, by code points. Cost O(length of `b`), or O(length × length) where `a` has more than 32 letters. */
export function textDistance(a: string, b: string): number {
	const [pointsA, pointsB] = [a, b].map((text) =>
		Array.from(text, (character) => character.codePointAt(0) as number),
	);
	return editDistance(pointsA, pointsB, 0, pointsB.length, Math.max(pointsA.length, pointsB.length));
}

/** The distance by a table of the cells that can be within the limit. */
function tableDistance(
	a: ArrayLike<number>,
	b: ArrayLike<number>,
	start: number,
	end: number,
	limit: number,
): number {
	const columns = end - start;
	let [before, above, row] =
		columns < ROW_LENGTH ? shared : [0, 1, 2].map(() => new Uint16Array(columns + 1));
	for (let j = 0; j <= columns; j++) above[j] = j;
	for (let i = 1; i <= a.length; i++) {
		// Every cell outside of this band exceeds the limit.
		const from = Math.max(1, i - limit);
		const to = Math.min(columns, i + limit);
		row[from - 1] = from === 1 ? i : limit + 1;
		if (i + limit <= columns) above[to] = limit + 1;
		let least = row[from - 1];
		for (let j = from; j <= to; j++) {
			const swapped = i > 1 && j > 1 && isSwapped(a, i - 1, b, start + j - 1);
			const substituted = above[j - 1] + (a[i - 1] === b[start + j - 1] ? 0 : 1);
			const edited = Math.min(substituted, above[j] + 1, row[j - 1] + 1);
			row[j] = swapped ? Math.min(edited, before[j - 2] + 1) : edited;
			least = Math.min(least, row[j]);
		}
		if (least > limit) return limit + 1;
		[before, above, row] = [above, row, before];
	}
	return Math.min(above[columns], limit + 1);
}

/** Whether the letters at i - 1 and i of `a` are those at j and j - 1 of `b`. */
function isSwapped(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number): boolean {
	return a[i] === b[j - 1] && a[i - 1] === b[j];
}
