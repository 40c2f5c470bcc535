/**
 * Where a page lies along the order of a column that others follow: from which group of equal value to
 * which, for the rows without a value apart from the others, since they come last either way.
 *
 * Cost a step over each position up to the page's end, and O(log group) for each bound of a group.
 */

import type { PageCursor } from "../../kernels/bitmap.js";
import { countMatches, seekDown, seekUp } from "../../kernels/match-rows.js";
import type { Stretch, Walk } from "../walk.js";
import type { RowBits } from "./groups.js";

/** Groups that follow on one another and hold a part of the page. */
export interface GroupSpan {
	/** The group that is walked first. */
	readonly first: Stretch;
	/** The group that is walked last; may be the first. */
	readonly last: Stretch;
	/** Matches of the first group that come before the part. */
	readonly skip: number;
	/** Rows of the part. */
	readonly rows: number;
}

/**
 * The groups that rows [offset, offset + limit) of `bits`, which there are, lie in; null where
 * the page lies further than `budget` steps.
 */
export function findGroups(
	bits: RowBits,
	walk: Walk,
	offset: number,
	limit: number,
	budget: number,
): GroupSpan[] | null {
	const cursor = { skip: offset, taken: 0 };
	const spans: GroupSpan[] = [];
	let left = limit;
	let stepsLeft = budget;
	for (const stretch of walk.stretches()) {
		if (left === 0) break;
		if (stretch.from === walk.nullsFrom && stretch.from < stretch.to) {
			// Rows without a value are one group, the last, so what is left of the page lies in it.
			spans.push({ first: stretch, last: stretch, skip: cursor.skip, rows: left });
			break;
		}
		const near = walk.begin(stretch, stepsLeft);
		stepsLeft -= near.to - near.from;
		const isCut = near.to - near.from < stretch.to - stretch.from;
		const toSkip = cursor.skip;
		const first = seek(bits, walk, near, cursor);
		if (!isWithin(first, near)) {
			if (isCut) return null;
			continue;
		}
		cursor.skip = left - 1;
		const last = seek(bits, walk, walk.beyond(first, near), cursor);
		const ended = !isWithin(last, near);
		if (ended && isCut) return null;
		// Where the stretch ends before the page does, `skip` tells how many matches were still to pass.
		const rows = ended ? left - 1 - cursor.skip : left;
		const firstGroup = walk.group(first, stretch);
		const lastGroup = walk.group(ended ? walk.end(stretch) : last, stretch);
		const skip = matchesBefore(bits, walk, first, firstGroup, near, toSkip);
		spans.push({ first: firstGroup, last: lastGroup, skip, rows });
		left -= rows;
		cursor.skip = 0;
	}
	return spans;
}

function seek(bits: RowBits, walk: Walk, { from, to }: Stretch, cursor: PageCursor): number {
	const step = walk.descending ? seekDown : seekUp;
	return step(walk.rows, bits.words, from, to, cursor);
}

/**
 * Matches of a group that are walked before the one at `position`, which `passed` of the way `near` are: told
 * by those between the group's beginning and the position, or the way's, whichever is nearer to it.
 */
function matchesBefore(
	bits: RowBits,
	walk: Walk,
	position: number,
	group: Stretch,
	near: Stretch,
	passed: number,
): number {
	const { rows, descending } = walk;
	const begin = descending ? group.to : group.from;
	const way = descending ? near.to : near.from;
	const at = descending ? position + 1 : position;
	if (Math.abs(begin - at) <= Math.abs(begin - way)) {
		return countMatches(rows, bits.words, Math.min(begin, at), Math.max(begin, at));
	}
	const between = countMatches(rows, bits.words, Math.min(begin, way), Math.max(begin, way));
	const isBehind = descending ? begin > way : begin < way;
	return isBehind ? passed + between : passed - between;
}

function isWithin(position: number, { from, to }: Stretch): boolean {
	return position >= from && position < to;
}
