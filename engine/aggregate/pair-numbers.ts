/**
 * Pair numbers: one number for each pair of groups in two dimensions that a row of the month has, in the order of
 * their first rows. A GROUP BY two dimensions of many rows is then one by a single number, whose counters are
 * close together in memory, since rows are stored by state; what most of the rows have in common is subtracted
 * from stored totals as for one dimension (group-bitmap.ts).
 *
 * They are made while a pair is asked for, some rows at each time, so that no query waits for all of them; until
 * then its rows are sorted. Memory: two or four bytes a row, and twelve a pair; a thread keeps at most
 * {@link PAIR_NUMBERS_BYTES_MAX}, of those asked for most often.
 */

import type { Codes } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { NUMBERED_ROWS, PAIR_NUMBERS_BYTES_MAX } from "../tuning.js";
import type { Dimension } from "./dimensions.js";
import type { GroupPairs } from "./group-rows.js";

export interface PairNumbers extends GroupPairs {
	/** Number by row. */
	readonly numbers: Codes;
	/** Rows of the month by number. */
	readonly totals: Uint32Array;
}

interface KeptPair {
	readonly columns: WeakRef<SnapshotColumns>;
	readonly name: string;
	/** The result, or what is made of it so far. */
	made: PairNumbers | PairNumbering;
	/** Times asked, less those that another pair would have taken its place. */
	asked: number;
}

/** What this thread keeps and makes. */
const kept: KeptPair[] = [];

/** The numbers of a pair of dimensions; null where they are not made yet, or others are asked for more often. */
export function pairNumbers(
	first: Dimension,
	second: Dimension,
	columns: SnapshotColumns,
): PairNumbers | null {
	const name = `${first.name},${second.name}`;
	let entry = kept.find((each) => each.name === name && each.columns.deref() === columns);
	if (entry === undefined) {
		const pairsMax = Math.min(columns.rows, first.groupCount * second.groupCount);
		if (!makeRoom(numberingBytes(columns.rows, pairsMax))) return null;
		const made = new PairNumbering(columns.rows, pairsMax);
		entry = { columns: new WeakRef(columns), name, made, asked: 0 };
		kept.push(entry);
	}
	entry.asked++;
	if (entry.made instanceof PairNumbering)
		entry.made = entry.made.advance(first, second, NUMBERED_ROWS) ?? entry.made;
	return entry.made instanceof PairNumbering ? null : entry.made;
}

/** Forgets pairs until `bytes` more can be kept; false where all are asked for too often. */
function makeRoom(bytes: number): boolean {
	while (kept.length > 0 && keptBytes() + bytes > PAIR_NUMBERS_BYTES_MAX) {
		const isGone = ({ columns }: KeptPair) => columns.deref() === undefined;
		const least = kept.find(isGone) ?? kept.reduce((a, b) => (b.asked < a.asked ? b : a));
		if (!isGone(least) && least.asked > 1) {
			// What is no longer asked for makes room in time.
			least.asked--;
			return false;
		}
		kept.splice(kept.indexOf(least), 1);
	}
	return bytes <= PAIR_NUMBERS_BYTES_MAX;
}

/** Bytes that this thread keeps. */
export function keptBytes(): number {
	return kept.reduce((sum, { made }) => {
		const bytes =
			made instanceof PairNumbering ? made.bytes : made.numbers.byteLength + 3 * made.totals.byteLength;
		return sum + bytes;
	}, 0);
}

/** Bytes that numbering the pairs of `rows` rows takes, of which there are at most `pairsMax`. */
function numberingBytes(rows: number, pairsMax: number): number {
	return 4 * (rows + 3 * pairsMax + slotsFor(pairsMax));
}

/** Slots of a hash table that is at most two thirds full. */
function slotsFor(pairsMax: number): number {
	return 2 ** Math.ceil(Math.log2(1.5 * pairsMax + 1));
}

/** Numbers the pairs of rows, some at a time. */
export class PairNumbering {
	private readonly numbers: Uint32Array;
	private readonly firsts: Uint32Array;
	private readonly seconds: Uint32Array;
	private readonly totals: Uint32Array;
	/** A hash table with open addressing of numbers plus one; 0: empty. */
	private readonly slots: Uint32Array;
	private pairs = 0;
	private row = 0;

	/** `pairsMax`: the most pairs that the rows can have. */
	constructor(rows: number, pairsMax: number) {
		this.numbers = new Uint32Array(rows);
		this.firsts = new Uint32Array(pairsMax);
		this.seconds = new Uint32Array(pairsMax);
		this.totals = new Uint32Array(pairsMax);
		this.slots = new Uint32Array(slotsFor(pairsMax));
	}

	get bytes(): number {
		return numberingBytes(this.numbers.length, this.totals.length);
	}

	/** Numbers up to `rows` more rows; the result where those were the last. Cost O(rows), 40 to 150 ns each. */
	advance(first: Dimension, second: Dimension, rows: number): PairNumbers | null {
		const { numbers } = this;
		const { codes: codesA, groupOfCode: groupsA } = first;
		const { codes: codesB, groupOfCode: groupsB } = second;
		const end = Math.min(numbers.length, this.row + rows);
		for (let row = this.row; row < end; row++) {
			const a = groupsA === null ? codesA[row] : groupsA[codesA[row]];
			const b = groupsB === null ? codesB[row] : groupsB[codesB[row]];
			const number = this.numberOf(a, b);
			this.totals[number]++;
			numbers[row] = number;
		}
		this.row = end;
		return end < numbers.length ? null : this.result();
	}

	private numberOf(a: number, b: number): number {
		const { slots, firsts, seconds } = this;
		const mask = slots.length - 1;
		const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
		let at = (mixed ^ (mixed >>> 15)) & mask;
		for (let slot = slots[at]; slot !== 0; slot = slots[at]) {
			if (firsts[slot - 1] === a && seconds[slot - 1] === b) return slot - 1;
			at = (at + 1) & mask;
		}
		const number = this.pairs++;
		slots[at] = number + 1;
		firsts[number] = a;
		seconds[number] = b;
		return number;
	}

	private result(): PairNumbers {
		const { numbers, firsts, seconds, totals, pairs } = this;
		return {
			numbers: pairs <= 1 << 16 ? Uint16Array.from(numbers) : numbers,
			firsts: firsts.slice(0, pairs),
			seconds: seconds.slice(0, pairs),
			totals: totals.slice(0, pairs),
		};
	}
}
