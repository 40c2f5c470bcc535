/**
 * Pair numbers: one number for each pair of groups in two dimensions that a row of the month has, in the order of
 * their first rows. A GROUP BY two dimensions of many rows is then one by a single number, whose counters are
 * close together in memory, since rows are stored by state; what most of the rows have in common is subtracted
 * from stored totals as for one dimension (group-bitmap.ts).
 *
 * They are made when a pair is asked for again, so that a pair asked once costs no memory. Memory: one to four bytes
 * a row, and twelve a pair; a thread keeps at most {@link PAIR_NUMBERS_BYTES_MAX}, of those asked for most often.
 */

import type { StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { NUMBERED_ASKS, PAIR_NUMBERS_BYTES_MAX } from "../tuning.js";
import type { Dimension } from "./dimensions.js";
import { hasLeadingLists, type LeadingLists, leadingLists, numberAt } from "./group-lists.js";
import { groupOf, type PairNumbers } from "./group-rows.js";

interface KeptPair {
	readonly columns: WeakRef<SnapshotColumns>;
	readonly name: string;
	/** Null until they are made. */
	made: PairNumbers | null;
	/** Times asked, less those that another pair would have taken its place. */
	asked: number;
}

/** The pairs that this thread was asked for. */
const kept: KeptPair[] = [];

/**
 * The numbers of a pair of dimensions; null where it is asked for the first time, others are asked for more often,
 * or no index has its rows. Making them costs O(rows), 15 to 40 ns each.
 */
export function pairNumbers(
	first: Dimension,
	second: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
): PairNumbers | null {
	const name = `${first.name},${second.name}`;
	let entry = kept.find((each) => each.name === name && each.columns.deref() === columns);
	if (entry === undefined) {
		forgetClosed();
		entry = { columns: new WeakRef(columns), name, made: null, asked: 0 };
		kept.push(entry);
	}
	entry.asked++;
	if (entry.made !== null || entry.asked < NUMBERED_ASKS) return entry.made;
	// Before room is made for it, at the cost of others.
	if (!hasLeadingLists(first, second, columns)) return null;
	const pairsMax = Math.min(columns.rows, first.groupCount * second.groupCount);
	if (!makeRoom(numberingBytes(columns.rows, pairsMax), entry)) return null;
	const leading = leadingLists(first, second, states, columns);
	if (leading !== null) entry.made = numberPairs(leading, columns.rows, pairsMax);
	return entry.made;
}

/** Forgets the pairs of snapshots that are gone. */
function forgetClosed(): void {
	for (let i = kept.length - 1; i >= 0; i--) if (kept[i].columns.deref() === undefined) kept.splice(i, 1);
}

/** Forgets pairs until `bytes` more can be kept; false where all are asked for too often. */
function makeRoom(bytes: number, asking: KeptPair): boolean {
	forgetClosed();
	while (keptBytes() + bytes > PAIR_NUMBERS_BYTES_MAX) {
		const made = kept.filter((each) => each.made !== null);
		if (made.length === 0) return false;
		const least = made.reduce((a, b) => (b.asked < a.asked ? b : a));
		if (least.asked > asking.asked) {
			// What is no longer asked for makes room in time.
			least.asked--;
			return false;
		}
		least.made = null;
		least.asked = 0;
	}
	return true;
}

/** Bytes that this thread keeps. */
export function keptBytes(): number {
	return kept.reduce((sum, { made }) => {
		return made === null ? sum : sum + made.numbers.byteLength + 3 * made.totals.byteLength;
	}, 0);
}

/** Bytes that numbering the pairs of `rows` rows takes at most, of which there are at most `pairsMax`. */
function numberingBytes(rows: number, pairsMax: number): number {
	return 4 * (rows + 3 * pairsMax);
}

/** Numbers the pairs of all rows, of which there are at most `pairsMax`. */
export function numberPairs(leading: LeadingLists, rowCount: number, pairsMax: number): PairNumbers {
	const numbers = new Uint32Array(rowCount);
	const outers = new Uint32Array(pairsMax);
	const inners = new Uint32Array(pairsMax);
	const pairs = numberAlongLists(leading, numbers, outers, inners);
	const [firsts, seconds] = leading.isSwapped ? [inners, outers] : [outers, inners];
	return inOrderOfRows(numbers, firsts, seconds, pairs);
}

/** Numbers pairs in the order of the lists, and writes their groups; returns how many there are. */
function numberAlongLists(
	{ lists, inner }: LeadingLists,
	numbers: Uint32Array,
	outers: Uint32Array,
	inners: Uint32Array,
): number {
	/** By inner group, the number of its last pair plus one. */
	const lasts = new Uint32Array(inner.groupCount);
	let pairs = 0;
	for (const { groups, offsets, rows } of lists) {
		for (let i = 0; i + 1 < offsets.length; i++) {
			const outer = numberAt(groups, i);
			const start = pairs;
			const end = offsets[i + 1];
			for (let at = offsets[i]; at < end; at++) {
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
		}
	}
	return pairs;
}

/** The numbers of pairs in the order of their first rows. `numbers` is changed. */
function inOrderOfRows(
	numbers: Uint32Array,
	firsts: Uint32Array,
	seconds: Uint32Array,
	pairs: number,
): PairNumbers {
	/** By number, the new one plus one; 0: none yet. */
	const renumbered = new Uint32Array(pairs);
	const ordered = {
		firsts: new Uint32Array(pairs),
		seconds: new Uint32Array(pairs),
		totals: new Uint32Array(pairs),
	};
	let next = 0;
	for (let row = 0; row < numbers.length; row++) {
		const number = numbers[row];
		let renewed = renumbered[number];
		if (renewed === 0) {
			ordered.firsts[next] = firsts[number];
			ordered.seconds[next] = seconds[number];
			renewed = ++next;
			renumbered[number] = renewed;
		}
		ordered.totals[renewed - 1]++;
		numbers[row] = renewed - 1;
	}
	if (pairs <= 1 << 8) return { numbers: Uint8Array.from(numbers), ...ordered };
	return { numbers: pairs <= 1 << 16 ? Uint16Array.from(numbers) : numbers, ...ordered };
}
