/**
 * Optimal string alignment distance: the minimum of insertions, deletions, substitutions and transpositions of
 * adjacent letters that transform one word into another, with no letter edited twice. A transposition counts as
 * one edit, as in "Jhonson", a common typing error.
 */

/** Rows of the table: the current letter and the two before it. Longer words allocate their own. */
const ROW_LENGTH = 128;
const shared = [0, 1, 2].map(() => new Uint16Array(ROW_LENGTH));

/**
 * The distance of `a` to b[start, end), both code points; `limit + 1` if it exceeds `limit`. Cost O(length ×
 * limit).
 */
export function editDistance(
	a: ArrayLike<number>,
	b: ArrayLike<number>,
	start: number,
	end: number,
	limit: number,
): number {
	if (Math.abs(a.length - (end - start)) > limit) return limit + 1;
	// Letters that both begin or end with are kept by some shortest edit, and leave few to compare.
	let first = 0;
	let last = a.length;
	let from = start;
	let to = end;
	while (first < last && from < to && a[first] === b[from]) {
		first++;
		from++;
	}
	while (first < last && from < to && a[last - 1] === b[to - 1]) {
		last--;
		to--;
	}
	if (first === last) return to - from;
	if (from === to) return last - first;
	return bandDistance(a, first, last, b, from, to, limit);
}

/** The distance of a[first, last) to b[start, end), by a table of the cells that can be within the limit. */
function bandDistance(
	a: ArrayLike<number>,
	first: number,
	last: number,
	b: ArrayLike<number>,
	start: number,
	end: number,
	limit: number,
): number {
	const letters = last - first;
	const columns = end - start;
	let [before, above, row] =
		columns < ROW_LENGTH ? shared : [0, 1, 2].map(() => new Uint16Array(columns + 1));
	for (let j = 0; j <= columns; j++) above[j] = j;
	for (let i = 1; i <= letters; i++) {
		// Every cell outside of this band exceeds the limit.
		const from = Math.max(1, i - limit);
		const to = Math.min(columns, i + limit);
		row[from - 1] = from === 1 ? i : limit + 1;
		if (i + limit <= columns) above[to] = limit + 1;
		let least = row[from - 1];
		for (let j = from; j <= to; j++) {
			const swapped = i > 1 && j > 1 && isSwapped(a, first + i - 1, b, start + j - 1);
			const substituted = above[j - 1] + (a[first + i - 1] === b[start + j - 1] ? 0 : 1);
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
