/**
 * GROUP BY two dimensions along an index of one: the rows of each of its groups are read in turn, and the other
 * dimension's groups are counted within it. So no more counters are used than the other dimension has groups, and
 * nothing is sorted. Cost O(rows of the month), 4 to 20 ns each: a row's code and bit are read from far memory where
 * the rows of a group are not near to one another.
 */

import type { StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { listRows } from "../kernels/list-rows.js";
import type { RowBitmap } from "../select/selection.js";
import type { Dimension, DimensionName } from "./dimensions.js";
import { codeIndex } from "./group-bitmap.js";
import { type GroupPairs, type GroupTaker, groupOf } from "./group-rows.js";

/** Rows by group; each row of the month is in one list, and all rows of a group. */
export interface GroupLists {
	/** The group of list i; null: i. */
	readonly groups: Uint32Array | null;
	/** List i is rows[offsets[i], offsets[i + 1]); these numbers themselves where `rows` is null. */
	readonly offsets: Uint32Array;
	readonly rows: Uint32Array | null;
}

/** The index of one of two dimensions. */
export interface LeadingLists {
	readonly lists: readonly GroupLists[];
	/** The other dimension. */
	readonly inner: Dimension;
	/** Whether the index is that of the second dimension. */
	readonly isSwapped: boolean;
}

/** Dimensions whose groups have rows near to one another, the nearest first: a state is one run of rows. */
const NEAREST: readonly DimensionName[] = [
	"state",
	"country",
	"member_postal_code",
	"member_city",
	"office_name",
];

/**
 * The index to group two dimensions along: that of the dimension whose groups' rows are nearer to one another. Null
 * where it has none. Cost O(groups), and a list of the rows without a value.
 */
export function leadingLists(
	first: Dimension,
	second: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
): LeadingLists | null {
	const isSwapped = secondLeads(first, second);
	const [outer, inner] = isSwapped ? [second, first] : [first, second];
	const lists = listsOf(outer, states, columns);
	return lists === null ? null : { lists, inner, isSwapped };
}

/** Whether {@link leadingLists} is not null. Cost O(1). */
export function hasLeadingLists(first: Dimension, second: Dimension, columns: SnapshotColumns): boolean {
	const outer = secondLeads(first, second) ? second : first;
	return isOfRuns(outer.name) || codeIndex(outer.column, columns) !== null;
}

/** Whether the second dimension is the one to group along. */
function secondLeads(first: Dimension, second: Dimension): boolean {
	return placeOf(second.name) < placeOf(first.name);
}

function placeOf(name: DimensionName): number {
	const place = NEAREST.indexOf(name);
	return place === -1 ? NEAREST.length : place;
}

/** Whether the groups are runs of rows. */
function isOfRuns(name: DimensionName): name is "state" | "country" {
	return name === "state" || name === "country";
}

function listsOf(
	dimension: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
): readonly GroupLists[] | null {
	if (isOfRuns(dimension.name)) return [listsOfRuns(dimension, dimension.name, states, columns)];
	const index = codeIndex(dimension.column, columns);
	if (index === null) return null;
	const offsets = groupOffsets(dimension, index.offsets);
	const lists = [{ groups: null, offsets, rows: index.rows }];
	const withoutValue = columns.rows - (offsets[offsets.length - 1] - offsets[0]);
	if (withoutValue === 0) return lists;
	const rows = new Uint32Array(withoutValue);
	const { words } = columns.missing.get(dimension.column);
	listRows(words, 0, words.length, withoutValue, rows, 0);
	const last = Uint32Array.of(dimension.groupCount - 1);
	return [...lists, { groups: last, offsets: Uint32Array.of(0, rows.length), rows }];
}

/** By group, where the rows of its codes, which follow on one another, begin in an index by code. */
function groupOffsets({ groupCount, groupOfCode }: Dimension, offsets: Uint32Array): Uint32Array {
	if (groupOfCode === null) return offsets;
	const starts = new Uint32Array(groupCount);
	for (let code = 0; code + 1 < offsets.length; code++) starts[groupOfCode[code] + 1] = offsets[code + 1];
	starts[0] = offsets[0];
	return starts;
}

/** The runs of states, or of countries, which are some that follow on one another. */
function listsOfRuns(
	{ column }: Dimension,
	name: "state" | "country",
	states: readonly StateRun[],
	columns: SnapshotColumns,
): GroupLists {
	const dictionary = columns.dictionary.get(column);
	const groups: number[] = [];
	const offsets = [0];
	for (const run of states) {
		const code = dictionary.find(run[name]);
		if (groups[groups.length - 1] !== code) groups.push(code);
		offsets[groups.length] = run.first + run.rows;
	}
	return { groups: Uint32Array.from(groups), offsets: Uint32Array.from(offsets), rows: null };
}

/** Element i of a list of numbers; null: the numbers from 0 on. */
export function numberAt(numbers: Uint32Array | null, i: number): number {
	return numbers === null ? i : numbers[i];
}

/** Groups taken at a time. */
const BATCH = 4096;

/** Groups of two dimensions that are taken together, since taking one by one costs more than counting them. */
class GroupBatch {
	private readonly outers = new Uint32Array(BATCH);
	private readonly inners = new Uint32Array(BATCH);
	private readonly counts = new Uint32Array(BATCH);
	private readonly pairs: GroupPairs;
	private size = 0;

	constructor(
		private readonly taker: GroupTaker,
		isSwapped: boolean,
	) {
		const { outers, inners } = this;
		this.pairs = isSwapped ? { firsts: inners, seconds: outers } : { firsts: outers, seconds: inners };
	}

	add(outer: number, inner: number, rows: number): void {
		const at = this.size++;
		this.outers[at] = outer;
		this.inners[at] = inner;
		this.counts[at] = rows;
		if (this.size === BATCH) this.flush();
	}

	flush(): void {
		this.taker.takeCounts({ counts: this.counts.subarray(0, this.size), stored: null, pairs: this.pairs });
		this.size = 0;
	}
}

/** Groups the rows of a bitmap along the index of one dimension. Groups are taken in the order of its lists. */
export function groupAlongLists(
	{ words, from, to }: RowBitmap,
	{ lists, inner, isSwapped }: LeadingLists,
	taker: GroupTaker,
): void {
	const batch = new GroupBatch(taker, isSwapped);
	const counts = new Uint32Array(inner.groupCount);
	// The groups that the list at hand has, and room for one that is no new one.
	const seen = new Uint32Array(inner.groupCount + 1);
	for (const { groups, offsets, rows } of lists) {
		for (let i = 0; i + 1 < offsets.length; i++) {
			const outer = numberAt(groups, i);
			const end = offsets[i + 1];
			let seenCount = 0;
			for (let at = offsets[i]; at < end; at++) {
				const row = numberAt(rows, at);
				const word = row >>> 5;
				if (word < from || word >= to || (words[word] & (1 << (row & 31))) === 0) continue;
				const group = groupOf(inner, row);
				const before = counts[group];
				seen[seenCount] = group;
				// One more where it was zero, without a branch: half of all groups have one row.
				seenCount += (before - 1) >>> 31;
				counts[group] = before + 1;
			}
			for (let k = 0; k < seenCount; k++) {
				const group = seen[k];
				batch.add(outer, group, counts[group]);
				counts[group] = 0;
			}
		}
	}
	batch.flush();
}
