/**
 * Pair numbers: one number for each pair of groups in two dimensions that a row of the month has, in the order of
 * their first rows, or where these have few combinations one for each of them (cell-numbers.ts). A GROUP BY two
 * dimensions of many rows is then one by a single number, whose counters are close together in memory, since rows are
 * stored by state; what most of the rows have in common is subtracted from stored totals as for one dimension
 * (group-bitmap.ts).
 *
 * In-process they are made when a pair is asked for again, so that a pair asked once costs neither memory nor the time
 * of numbering it. A server makes them in slices before its first answer, which then takes milliseconds and delays no
 * other request (sliced-work.ts). Memory: one to four bytes a row, and twelve a pair; a thread keeps at most {@link
 * PAIR_NUMBERS_BYTES_MAX}, of those asked for most often, or one pair of a large month, of at most {@link
 * LARGEST_PAIR_BYTES}; and while numbering up to 16 bytes a row more.
 */

import type { StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { finishWork, inSlices, PendingWork, SLICE_SIZES, type SlicedWork } from "../sliced-work.js";
import { LARGEST_PAIR_BYTES, NUMBERED_ASKS, PAIR_NUMBERS_BYTES_MAX } from "../tuning.js";
import { areCellsNumbered, numberCells } from "./cell-numbers.js";
import type { Dimension } from "./dimensions.js";
import {
	type GroupLists,
	hasLeadingLists,
	type LeadingLists,
	leadingLists,
	numberAt,
} from "./group-lists.js";
import { groupOf, numbersBelow, type PairNumbers } from "./group-rows.js";

interface KeptPair {
	/** Of this month and these dimensions alone. */
	readonly id: number;
	readonly columns: WeakRef<SnapshotColumns>;
	readonly name: string;
	/** Null until they are made. */
	made: PairNumbers | null;
	/** Times asked, less those that another pair would have taken its place. */
	asked: number;
}

/** The pairs that this thread was asked for. */
const kept: KeptPair[] = [];
let lastId = 0;

/** Finds the numbers of a pair of dimensions, or the work that makes them; null: rows are grouped without them. */
export type FindPairs = (
	first: Dimension,
	second: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
) => PairNumbers | PendingWork | null;

/**
 * The numbers of a pair of dimensions; null where it is asked for the first time, others are asked for more often,
 * or no index has its rows. Making them costs O(rows), 15 to 40 ns each, or 4 for few combinations.
 */
export function pairNumbers(
	first: Dimension,
	second: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
): PairNumbers | null {
	const entry = askedPair(first, second, columns);
	if (entry.made !== null || entry.asked < NUMBERED_ASKS) return entry.made;
	const bytes = numberingBytes(first, second, columns);
	// Before room is made for it, at the cost of others.
	if (!canNumber(first, second, columns) || !makeRoom(bytes, entry.asked)) return null;
	return finishWork(numberEntry(entry, first, second, states, columns));
}

/**
 * {@link pairNumbers}, at the first time already: the work of making them, in place of those asked for least often.
 * Null where no index has the rows of the pair, or its numbers would be too large.
 */
export function pairNumbersInSlices(
	first: Dimension,
	second: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
): PairNumbers | PendingWork | null {
	const entry = askedPair(first, second, columns);
	if (entry.made !== null) return entry.made;
	const bytes = numberingBytes(first, second, columns);
	if (!canNumber(first, second, columns) || bytes > roomFor(bytes)) return null;
	return new PendingWork(`pair numbers ${entry.id}`, makeInSlices(), true);

	function* makeInSlices(): SlicedWork<void> {
		makeRoom(bytes, Infinity);
		yield;
		yield* numberEntry(entry, first, second, states, columns);
	}
}

/** The entry of a pair that is asked for once more. */
function askedPair(first: Dimension, second: Dimension, columns: SnapshotColumns): KeptPair {
	const name = `${first.name},${second.name}`;
	let entry = kept.find((each) => each.name === name && each.columns.deref() === columns);
	if (entry === undefined) {
		forgetClosed();
		entry = { id: ++lastId, columns: new WeakRef(columns), name, made: null, asked: 0 };
		kept.push(entry);
	}
	entry.asked++;
	return entry;
}

/** Whether {@link numberEntry} finds what it needs. */
function canNumber(first: Dimension, second: Dimension, columns: SnapshotColumns): boolean {
	return areCellsNumbered(first, second, columns) || hasLeadingLists(first, second, columns);
}

/** Numbers the pairs of an entry and keeps them; null where they have many combinations and no index. */
function* numberEntry(
	entry: KeptPair,
	first: Dimension,
	second: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
): SlicedWork<PairNumbers | null> {
	const made = yield* makeNumbers(first, second, states, columns);
	if (made === null) return null;
	// Others may have been made meanwhile.
	makeRoom(bytesOf(made), Infinity);
	entry.made = made;
	return made;
}

function* makeNumbers(
	first: Dimension,
	second: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
): SlicedWork<PairNumbers | null> {
	if (areCellsNumbered(first, second, columns)) return yield* numberCells(first, second, columns.rows);
	const leading = leadingLists(first, second, states, columns);
	if (leading === null) return null;
	yield;
	return yield* numberPairs(leading, columns.rows, pairsMax(first, second, columns));
}

/** Forgets the pairs of snapshots that are gone. */
function forgetClosed(): void {
	for (let i = kept.length - 1; i >= 0; i--) if (kept[i].columns.deref() === undefined) kept.splice(i, 1);
}

/**
 * Forgets pairs until `bytes` more can be kept for one that was asked for `asked` times, or Infinity: whichever are
 * least often asked for. False where all are asked for more often.
 */
function makeRoom(bytes: number, asked: number): boolean {
	forgetClosed();
	const room = roomFor(bytes);
	if (bytes > room) return false;
	while (keptBytes() + bytes > room) {
		const least = leastAsked();
		if (least === null) return false;
		if (least.asked > asked) {
			// What is no longer asked for makes room in time.
			least.asked--;
			return false;
		}
		forget(least);
	}
	return true;
}

/** Maximum bytes of all pairs while a pair of `bytes` is among them; less than `bytes` if that pair is too large. */
function roomFor(bytes: number): number {
	return Math.max(PAIR_NUMBERS_BYTES_MAX, Math.min(bytes, LARGEST_PAIR_BYTES));
}

/** The pair with numbers that is asked for least often; null: none has numbers. */
function leastAsked(): KeptPair | null {
	const made = kept.filter((each) => each.made !== null);
	return made.length === 0 ? null : made.reduce((a, b) => (b.asked < a.asked ? b : a));
}

function forget(entry: KeptPair): void {
	entry.made = null;
	entry.asked = 0;
}

/** Bytes that this thread keeps. */
export function keptBytes(): number {
	return kept.reduce((sum, { made }) => (made === null ? sum : sum + bytesOf(made)), 0);
}

function bytesOf({ numbers, totals }: PairNumbers): number {
	return numbers.byteLength + 3 * totals.byteLength;
}

/** Bytes that numbering a pair takes at most. */
function numberingBytes(first: Dimension, second: Dimension, columns: SnapshotColumns): number {
	return 4 * (columns.rows + 3 * pairsMax(first, second, columns));
}

/** Most pairs of groups that rows can have. */
function pairsMax(first: Dimension, second: Dimension, { rows }: SnapshotColumns): number {
	return Math.min(rows, first.groupCount * second.groupCount);
}

/** Numbers the pairs of all rows, of which there are at most `pairsMax`. */
export function* numberPairs(
	leading: LeadingLists,
	rowCount: number,
	pairsMax: number,
	sliceRows = SLICE_SIZES.rows,
): SlicedWork<PairNumbers> {
	const numbering = new ListNumbering(leading.inner, rowCount, pairsMax);
	yield;
	for (const list of leading.lists) yield* numberAlongList(list, numbering, sliceRows);
	return yield* inOrderOfRows(numbering, leading.isSwapped, sliceRows);
}

/** Pairs numbered in the order of lists. */
class ListNumbering {
	/** By row. */
	readonly numbers: Uint32Array;
	/** Groups by number. */
	readonly outers: Uint32Array;
	readonly inners: Uint32Array;
	/** How many pairs there are. */
	pairs = 0;
	/** By inner group, the number of its last pair plus one. */
	private readonly lasts: Uint32Array;

	constructor(
		private readonly inner: Dimension,
		rowCount: number,
		pairsMax: number,
	) {
		this.numbers = new Uint32Array(rowCount);
		this.outers = new Uint32Array(pairsMax);
		this.inners = new Uint32Array(pairsMax);
		this.lasts = new Uint32Array(inner.groupCount);
	}

	/** Numbers the rows at [from, to) of a list, which are of one outer group; `start`: number of its first pair. */
	numberRows(outer: number, start: number, rows: Uint32Array | null, from: number, to: number): void {
		const { inner, numbers, outers, inners, lasts } = this;
		let { pairs } = this;
		for (let at = from; at < to; at++) {
			const row = numberAt(rows, at);
			const group = groupOf(inner, row);
			let number = lasts[group] - 1;
			if (number < start) {
				number = pairs++;
				lasts[group] = pairs;
				outers[number] = outer;
				inners[number] = group;
			}
			numbers[row] = number;
		}
		this.pairs = pairs;
	}
}

/** Numbers the rows of the groups of a list. A group counts as a row, since most have few. */
function* numberAlongList(
	{ groups, offsets, rows }: GroupLists,
	numbering: ListNumbering,
	sliceRows: number,
): SlicedWork<void> {
	let left = sliceRows;
	for (let i = 0; i + 1 < offsets.length; i++) {
		const outer = numberAt(groups, i);
		const start = numbering.pairs;
		const end = offsets[i + 1];
		left--;
		for (let at = offsets[i]; at < end; ) {
			const to = Math.min(end, at + Math.max(left, 1));
			numbering.numberRows(outer, start, rows, at, to);
			left -= to - at;
			at = to;
			if (left > 0) continue;
			yield;
			left = sliceRows;
		}
	}
	yield;
}

/** The pairs numbered in the order of their first rows. */
function* inOrderOfRows(
	{ numbers, outers, inners, pairs }: ListNumbering,
	isSwapped: boolean,
	sliceRows: number,
): SlicedWork<PairNumbers> {
	const [firsts, seconds] = isSwapped ? [inners, outers] : [outers, inners];
	/** By number, the new one plus one; 0: none yet. */
	const renumbered = new Uint32Array(pairs);
	const ordered = {
		firsts: new Uint32Array(pairs),
		seconds: new Uint32Array(pairs),
		totals: new Uint32Array(pairs),
	};
	const made = numbersBelow(pairs, numbers.length);
	let next = 0;
	yield* inSlices(numbers.length, sliceRows, (from, to) => {
		for (let row = from; row < to; row++) {
			const number = numbers[row];
			let renewed = renumbered[number];
			if (renewed === 0) {
				ordered.firsts[next] = firsts[number];
				ordered.seconds[next] = seconds[number];
				renewed = ++next;
				renumbered[number] = renewed;
			}
			ordered.totals[renewed - 1]++;
			made[row] = renewed - 1;
		}
	});
	return { numbers: made, ...ordered };
}
