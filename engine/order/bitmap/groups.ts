/**
 * Groups of a sort order: the rows whose values fold alike. How many of them a bitmap has, and which,
 * by the way that reads least: as one run of rows where they lie together, by stored bitmaps of their
 * values, or row by row.
 */

import {
	type Column,
	columnNamed,
	type Dictionary,
	invariant,
	LISTED_BY_VALUE,
	type StateRun,
} from "../../../formats/index.js";
import type { OrderCuts } from "../../columns/order-cuts.js";
import type { SnapshotColumns } from "../../columns/snapshot-columns.js";
import {
	andWords,
	clearRun,
	commonDifference,
	commonWords,
	copyWords,
	countCommon,
	countRun,
	countWords,
	differenceWords,
	orCommonWords,
	setCommonRows,
	setRows,
} from "../../kernels/bitmap.js";
import { firstIndexAtLeast } from "../../kernels/codes.js";
import { countMatches } from "../../kernels/match-rows.js";
import { COST_NS } from "../../plan/costs.js";
import type { OrderPlan } from "../../plan/plan.js";
import type { Scratch } from "../../scratch.js";
import type { Stretch, Walk } from "../walk.js";
import type { Piece } from "./cut-search.js";

/** A column with no more folds has groups that are counted one by one. */
const COARSE_FOLDS_MAX = 256;

/** Of so many rows on, and of so many a word, groups are counted: fewer are listed sooner, which takes each word once. */
const COUNTED_ROWS_MIN = 16_384;
const DENSE_ROWS_PER_WORD = 0.75;

/** Of a group with fewer positions, all are looked at: to find those of some rows costs about as much. */
const CLIPPED_POSITIONS_MIN = 1024;

/** Words [fromWord, toWord) of a bitmap. */
export interface WordRange {
	readonly fromWord: number;
	readonly toWord: number;
}

/** Rows as a bitmap that is zero outside of its range of words. */
export interface RowBits extends WordRange {
	readonly words: Uint32Array;
	readonly count: number;
}

/** How many rows of a bitmap a group has, and what telling it cost in nanoseconds. */
export interface GroupCount {
	readonly matches: number;
	readonly cost: number;
}

/** Rows [from, to) of a list. */
interface Slice {
	readonly rows: Uint32Array;
	readonly from: number;
	readonly to: number;
}

/** The values of a group: together they are it, or nothing is stored. */
interface StoredValues {
	readonly bitmaps: readonly Uint32Array[];
	readonly slices: readonly Slice[];
	/** Rows of all slices. */
	readonly rows: number;
}

/** How a group is counted: by what is stored of its values, or row by row where that is null. */
interface CountPlan {
	readonly values: StoredValues | null;
	/** In nanoseconds. */
	readonly cost: number;
}

const NOTHING_STORED: StoredValues = { bitmaps: [], slices: [], rows: 0 };

export class Groups {
	constructor(
		private readonly order: OrderPlan,
		/** The one state whose orders are walked; null where the snapshot's are. */
		private readonly state: StateRun | null,
		private readonly columns: SnapshotColumns,
		private readonly scratch: Scratch,
	) {}

	/** The cuts of the order of sort column `depth`; null where there are none, as of a state's order. */
	cuts(depth: number): OrderCuts | null {
		if (this.state !== null) return null;
		return this.columns.orderCuts.get(columnNamed(this.order.columns[depth]));
	}

	/** Whether the groups of a sort column are runs of rows, which are counted at a word for every 32. */
	areRuns(depth: number): boolean {
		return this.order.columns[depth] === "state";
	}

	/** Whether the groups of a sort column are so few, and the rows so many, that they can be counted one by one. */
	areCoarse({ count, fromWord, toWord }: RowBits, depth: number): boolean {
		const { folds } = this.columns.dictionary.get(columnNamed(this.order.columns[depth]));
		const isDense = count >= COUNTED_ROWS_MIN && count >= DENSE_ROWS_PER_WORD * (toWord - fromWord);
		return isDense && folds <= COARSE_FOLDS_MAX;
	}

	/** Rows of `bits` in a group of the order of sort column `depth`. */
	count(bits: RowBits, walk: Walk, group: Stretch, depth: number): GroupCount {
		const size = group.to - group.from;
		const { cost, values } = this.plan(bits, walk, group, depth);
		if (isRun(walk, group)) {
			this.scratch.work.add(size / 32);
			const first = walk.row(group.from);
			return { matches: countRun(bits.words, first, first + size), cost };
		}
		if (values === null) {
			const { from, to } = within(bits, walk, group);
			this.scratch.work.add(to - from);
			return { matches: countMatches(walk.rows, bits.words, from, to), cost };
		}
		this.scratch.work.add((bits.toWord - bits.fromWord) * values.bitmaps.length + values.rows);
		let matches = 0;
		// A row has one value, so the values of a group share no row.
		for (const bitmap of values.bitmaps)
			matches += countCommon(bits.words, bitmap, bits.fromWord, bits.toWord);
		for (const { rows, from, to } of values.slices) matches += countMatches(rows, bits.words, from, to);
		return { matches, cost };
	}

	/** What counting the groups of a walk's first `steps` costs, in nanoseconds; no more is looked at than costs `most`. */
	costOfCounting(bits: RowBits, walk: Walk, depth: number, steps: number, most: number): number {
		let cost = 0;
		let left = steps;
		for (const stretch of walk.stretches()) {
			let group = walk.firstGroup(stretch);
			for (; group !== null && left > 0 && cost <= most; group = walk.nextGroup(group, stretch)) {
				cost += this.plan(bits, walk, group, depth).cost;
				left -= group.to - group.from;
			}
		}
		return cost;
	}

	/** How a group that is no run is counted, by stored values or row by row, and what it costs in nanoseconds. */
	private plan(bits: RowBits, walk: Walk, group: Stretch, depth: number): CountPlan {
		const size = group.to - group.from;
		if (isRun(walk, group)) return { values: null, cost: (size / 32) * COST_NS.countWord };
		const words = bits.toWord - bits.fromWord;
		const values = this.storedValues(walk, group, depth);
		const byBitmap = values.bitmaps.length * words * COST_NS.countWord + values.rows * COST_NS.walkStep;
		// Of a large group, only the rows that lie among the words are looked at.
		const share = size < CLIPPED_POSITIONS_MIN ? 1 : (words * 32) / (walk.to - walk.from);
		const byRow = size * Math.min(1, share) * COST_NS.walkStep;
		if (values.bitmaps.length === 0 || byBitmap > byRow) return { values: null, cost: byRow };
		return { values, cost: byBitmap };
	}

	/** The rows of `bits` in a piece of the order, as {@link narrow}; its ends are `cuts`. */
	between(bits: RowBits, cuts: OrderCuts, { from, to, rows }: Piece, depth: number): RowBits {
		const words = this.scratch.groupBitmap(depth);
		const isTaken = this.takeBetween(words, bits, cuts, from, to);
		invariant(isTaken, "a piece lies between two cuts");
		return this.trimmed(words, bits, rows);
	}

	/**
	 * The rows of `bits` in a group as a bitmap, which is valid until the next of that depth. `matches` is
	 * how many they are, where it is known.
	 */
	narrow(bits: RowBits, walk: Walk, group: Stretch, depth: number, matches: number | null): RowBits {
		const words = this.scratch.groupBitmap(depth);
		if (isRun(walk, group)) return this.trimmed(words, takeRun(words, bits, walk, group), matches);
		this.intersect(words, bits, walk, group, depth);
		return this.trimmed(words, bits, matches);
	}

	/**
	 * A bitmap that has been written within some words, within the first and the last of them that has any row:
	 * a group often lies in a few states.
	 */
	private trimmed(words: Uint32Array, written: WordRange, matches: number | null): RowBits {
		this.scratch.work.add(written.toWord - written.fromWord);
		words.fill(0, 0, written.fromWord);
		words.fill(0, written.toWord);
		let { fromWord, toWord } = written;
		while (fromWord < toWord && words[fromWord] === 0) fromWord++;
		while (toWord > fromWord && words[toWord - 1] === 0) toWord--;
		return { words, count: matches ?? countWords(words, fromWord, toWord), fromWord, toWord };
	}

	/** Writes the rows of `bits` in a group that is no run to `target`, which is right within the words of `bits`. */
	private intersect(target: Uint32Array, bits: RowBits, walk: Walk, group: Stretch, depth: number): void {
		const { words, fromWord, toWord } = bits;
		const { bitmaps, slices } = this.storedValues(walk, group, depth);
		const [bitmap, ...others] = bitmaps;
		const cuts = others.length + slices.length > 0 || bitmap === undefined ? this.cuts(depth) : null;
		if (cuts !== null && this.takeBetween(target, bits, cuts, group.from, group.to)) return;
		if (bitmap === undefined) {
			target.fill(0, fromWord, toWord);
			setRows(target, walk.rows as Uint32Array, group.from, group.to);
			andWords(target, words, fromWord, toWord);
			return;
		}
		commonWords(target, words, bitmap, fromWord, toWord);
		for (const other of others) orCommonWords(target, words, other, fromWord, toWord);
		for (const { rows, from, to } of slices) setCommonRows(target, words, rows, from, to);
	}

	/** Writes the rows of a bitmap at positions [from, to) to `target`, within its words, if both are cuts; whether they are. */
	private takeBetween(
		target: Uint32Array,
		{ words, fromWord, toWord }: RowBits,
		cuts: OrderCuts,
		from: number,
		to: number,
	): boolean {
		const lower = cuts.find(from);
		const upper = cuts.find(to);
		if (lower === null || upper === null) return false;
		const below = cuts.bitmapAt(lower);
		const above = cuts.bitmapAt(upper);
		if (above !== null && below !== null) commonDifference(target, words, above, below, fromWord, toWord);
		else if (above !== null) commonWords(target, words, above, fromWord, toWord);
		else if (below !== null) differenceWords(target, words, below, fromWord, toWord);
		else copyWords(target, words, fromWord, toWord);
		return true;
	}

	/** What is stored of a group's values: bitmaps of the frequent ones, the rows of the others where there are bitmaps. */
	private storedValues(walk: Walk, group: Stretch, depth: number): StoredValues {
		const column: Column = columnNamed(this.order.columns[depth]);
		const stored = this.columns.bitmaps.get(column);
		const dictionary = this.columns.dictionary.get(column);
		const bitmaps: Uint32Array[] = [];
		const rare: number[] = [];
		for (const code of codesOfRank(dictionary, walk.rank(group.from))) {
			const bitmap = stored?.find(code) ?? null;
			if (bitmap === null) rare.push(code);
			else bitmaps.push(bitmap);
		}
		if (bitmaps.length === 0 || rare.length === 0) return { bitmaps, slices: [], rows: 0 };
		// Only columns that are filtered by their exact values list the rows of each.
		if (!LISTED_BY_VALUE.has(column.name)) return NOTHING_STORED;
		const { offsets, rows } = this.columns.postings.get(column);
		const slices = rare.map((code) => ({
			rows,
			from: offsets[code],
			to: Math.min(offsets[code + 1], rows.length),
		}));
		return { bitmaps, slices, rows: slices.reduce((sum, { from, to }) => sum + to - from, 0) };
	}
}

/** The positions of a group, whose rows ascend, that may be in a bitmap: of a large one, those of rows among its words. */
export function within({ fromWord, toWord }: RowBits, { rows }: Walk, group: Stretch): Stretch {
	if (rows === null || group.to - group.from < CLIPPED_POSITIONS_MIN) return group;
	const from = firstIndexAtLeast(rows, group.from, group.to, fromWord << 5);
	return { from, to: firstIndexAtLeast(rows, from, group.to, toWord << 5) };
}

/** Writes the rows of a bitmap in a group that is a run to `target`; the words that these lie in. */
function takeRun(target: Uint32Array, bits: RowBits, walk: Walk, group: Stretch): WordRange {
	const first = walk.row(group.from);
	const end = first + group.to - group.from;
	const fromWord = Math.max(bits.fromWord, first >>> 5);
	const toWord = Math.max(fromWord, Math.min(bits.toWord, ((end - 1) >>> 5) + 1));
	copyWords(target, bits.words, fromWord, toWord);
	clearRun(target, fromWord << 5, Math.min(first, toWord << 5));
	clearRun(target, Math.max(end, fromWord << 5), toWord << 5);
	return { fromWord, toWord };
}

/** Whether a group's rows, which ascend, lie one after the other. */
function isRun({ rows }: Walk, { from, to }: Stretch): boolean {
	return rows === null || rows[to - 1] - rows[from] === to - 1 - from;
}

function codesOfRank(dictionary: Dictionary, rank: number): number[] {
	if (rank >= dictionary.folds) return [dictionary.distinct];
	const { low, high } = dictionary.codesOfRanks({ low: rank, high: rank + 1 });
	return Array.from({ length: high - low }, (_, i) => low + i);
}
