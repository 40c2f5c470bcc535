/**
 * Groups of one dimension compared over two months: a full outer join of two GROUP BYs, and the first of the result by rows
 * or by how far they changed (docs/API.md §11.3).
 *
 * Each month's rows are counted as for any aggregate, into an array by the numbers that the groups of both months have
 * together (merged-groups.ts), so a group of one month alone is found like any other. Counts are exact. Cost O(rows that
 * match + groups of both months), a nanosecond or two each.
 *
 * Memory: eight bytes a group of the largest pair of months that was compared, kept from query to query.
 */

import { firstIndexAtLeast } from "../kernels/codes.js";
import { exactMatches } from "../select/exact-matches.js";
import type { Dimension, DimensionName } from "./dimensions.js";
import { type GroupTaker, takingEach } from "./group-rows.js";
import type { MergedGroups } from "./merged-groups.js";
import type { CountedGroup } from "./top-groups.js";
import { byRows, TopGroups } from "./top-groups.js";

/** What the groups listed first have: most rows, the largest increase, or the largest decrease. */
export const GROUP_SORTS = ["rows", "growth", "decline"] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

export interface ComparedRequest {
	readonly by: DimensionName;
	/** `growth` lists and counts only groups with more rows in the newer month, `decline` only those with fewer. */
	readonly sort: GroupSort;
	/** Groups to list. */
	readonly top: number;
	/** Groups with fewer rows in both months are neither listed nor counted in `groupCount`. */
	readonly minCount: number;
}

export interface ComparedGroup {
	/** By dimension; null: the rows without a value. */
	readonly by: Readonly<Record<string, string | null>>;
	/** Rows of the newer month, and of the older; one of them may be 0. */
	readonly rows: number;
	readonly rowsBefore: number;
}

export interface ComparedGroups {
	/** In the order of `sort`, then in the order of their values by fold, rows without a value last. */
	readonly groups: readonly ComparedGroup[];
	/** Rows of the newer month that match, and of the older. */
	readonly rows: number;
	readonly rowsBefore: number;
	/** As in aggregates, of the newer month. */
	readonly exactRows?: number;
	/** Groups of at least `minCount` rows in one of the months that `sort` lists. */
	readonly groupCount: number;
	/** Groups that `sort` would list, but for `minCount`. */
	readonly smallGroups: number;
	/** Rows of the newer month in no group that is listed. */
	readonly otherRows: number;
	/** Whether there are more groups than those listed. */
	readonly hasMore: boolean;
}

/** One month of a comparison: counts the rows that match by group into `taker`, and returns how many they are. */
export interface ComparedMonth {
	readonly dimension: Dimension;
	count(taker: GroupTaker): number;
}

/** Rows by merged group: of the older month, then of the newer. Grown as needed. */
let counters = new Uint32Array(0);

/** Compares the groups of two months, which `merged` numbers. */
export function compareGroups(
	{ by, sort, top, minCount }: ComparedRequest,
	older: ComparedMonth,
	newer: ComparedMonth,
	merged: MergedGroups,
): ComparedGroups {
	if (counters.length < 2 * merged.count) counters = new Uint32Array(2 * merged.count);
	const before = counters.subarray(0, merged.count).fill(0);
	const now = counters.subarray(merged.count, 2 * merged.count).fill(0);
	const rowsBefore = older.count(countingInto(before, merged.older));
	let exact: number | undefined;
	const rows = newer.count({
		...countingInto(now, merged.newer),
		takeSelection(selection) {
			exact = exactMatches(selection);
		},
	});
	const exactRows = exact === undefined ? {} : { exactRows: exact };
	const first = new TopGroups(top, byRows);
	const { groupCount, smallGroups } = offerGroups(before, now, sort, minCount, first);
	let listed = 0;
	const groups = first.inOrder().map(({ first: group }: CountedGroup): ComparedGroup => {
		listed += now[group];
		const label = labelOf(group, older.dimension, newer.dimension, merged);
		return { by: { [by]: label }, rows: now[group], rowsBefore: before[group] };
	});
	const otherRows = rows - listed;
	const counts = { rows, rowsBefore, ...exactRows, groupCount, smallGroups, otherRows };
	return { groups, ...counts, hasMore: first.hasMore };
}

/** Adds the rows of each group to the counter of its number. */
function countingInto(counts: Uint32Array, numbers: Uint32Array): GroupTaker {
	return takingEach((group, _, rows) => {
		counts[numbers[group]] += rows;
	});
}

/** Offers the groups that `sort` lists by what it orders them by; returns how many there are, and how many are too small. */
function offerGroups(
	before: Uint32Array,
	now: Uint32Array,
	sort: GroupSort,
	minCount: number,
	first: TopGroups,
): Pick<ComparedGroups, "groupCount" | "smallGroups"> {
	let groupCount = 0;
	let smallGroups = 0;
	const nowWeight = sort === "decline" ? -1 : 1;
	const beforeWeight = sort === "rows" ? 0 : -nowWeight;
	const least = sort === "rows" ? 0 : 1;
	for (let group = 0; group < now.length; group++) {
		const most = Math.max(now[group], before[group]);
		const measure = nowWeight * now[group] + beforeWeight * before[group];
		if (most === 0 || measure < least) continue;
		if (most < minCount) smallGroups++;
		else {
			groupCount++;
			first.offer(group, 0, measure);
		}
	}
	return { groupCount, smallGroups };
}

/** What the group of a number is called. Cost O(log groups). */
function labelOf(number: number, older: Dimension, newer: Dimension, merged: MergedGroups): string | null {
	const group = indexOf(number, merged.newer);
	return group === -1 ? older.label(indexOf(number, merged.older)) : newer.label(group);
}

/** The index of `number` in ascending `numbers`; -1: they do not have it. */
function indexOf(number: number, numbers: Uint32Array): number {
	const at = firstIndexAtLeast(numbers, 0, numbers.length, number);
	return numbers[at] === number ? at : -1;
}
