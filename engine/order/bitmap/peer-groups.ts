/**
 * Peer groups of a sort order: rows whose values fold alike. Counts a bitmap's rows in a group, and takes
 * them out, in whichever way reads least: as one run of rows if they are contiguous, by the stored
 * bitmaps of the group's values, or position by position.
 */

import {
	type Column,
	columnNamed,
	type Dictionary,
	invariant,
	LISTED_BY_VALUE,
	type Range,
	type StateRun,
} from "../../../formats/index.js";
import type { OrderCuts } from "../../columns/order-cuts.js";
import type { SnapshotColumns } from "../../columns/snapshot-columns.js";
import {
	clearRun,
	copyWords,
	countCommon,
	countRun,
	countWords,
	setCommonRows,
	setRows,
} from "../../kernels/bitmap.js";
import { countMatches, listMatches } from "../../kernels/bitmap-probe.js";
import { firstIndexAtLeast } from "../../kernels/codes.js";
import {
	storeAnd,
	storeAndNot,
	storeAndOr,
	storeDifference,
	trimmedRange,
} from "../../kernels/combine-bitmaps.js";
import { listRun } from "../../kernels/list-rows.js";
import type { OrderPlan } from "../../plan/plan.js";
import type { Scratch } from "../../scratch.js";
import { type RowBitmap, wordsOf } from "../../select/selection.js";
import {
	CLIPPED_POSITIONS_MIN,
	COARSE_FOLDS_MAX,
	COST_NS,
	COUNTED_ROWS_MIN,
	DENSE_ROWS_PER_WORD,
} from "../../tuning.js";
import type { IndexScan } from "../index-scan.js";

/** A bitmap's rows in a peer group, and what counting them cost in nanoseconds. */
export interface PeerCount {
	readonly matches: number;
	readonly cost: number;
}

/** Indexes [from, to) of a list of rows. */
interface RowSlice extends Range {
	readonly rows: Uint32Array;
}

/** What is stored of the values of a peer group: either all of its rows, or nothing. */
interface StoredValues {
	readonly bitmaps: readonly Uint32Array[];
	readonly slices: readonly RowSlice[];
	/** Rows of all slices. */
	readonly rows: number;
}

/** How a peer group is counted: by what is stored of its values, or position by position where that is null. */
interface CountPlan {
	readonly values: StoredValues | null;
	/** In nanoseconds. */
	readonly cost: number;
}

const NOTHING_STORED: StoredValues = { bitmaps: [], slices: [], rows: 0 };

export class PeerGroups {
	constructor(
		private readonly order: Pick<OrderPlan, "columns">,
		/** The one state whose orders are scanned; null where the snapshot's are. */
		private readonly state: StateRun | null,
		private readonly columns: SnapshotColumns,
		private readonly scratch: Scratch,
	) {}

	/** The cuts of the order of sort column `depth`; null where there are none, as of a single state's order. */
	cuts(depth: number): OrderCuts | null {
		if (this.state !== null) return null;
		return this.columns.orderCuts.get(columnNamed(this.order.columns[depth]));
	}

	/** Whether the peers of a sort column are runs of rows, which are counted 32 rows at a time. */
	areRuns(depth: number): boolean {
		return this.order.columns[depth] === "state";
	}

	/** Whether the peer groups of a sort column are so few, and the rows so many, that counting group by group pays. */
	areCoarse(bits: RowBitmap, depth: number): boolean {
		const { folds } = this.columns.dictionary.get(columnNamed(this.order.columns[depth]));
		const isDense = bits.count >= COUNTED_ROWS_MIN && bits.count >= DENSE_ROWS_PER_WORD * wordsOf(bits);
		return isDense && folds <= COARSE_FOLDS_MAX;
	}

	/** Rows of `bits` in a peer group of sort column `depth`. */
	count(bits: RowBitmap, scan: IndexScan, peers: Range, depth: number): PeerCount {
		const size = peers.to - peers.from;
		const { cost, values } = this.plan(bits, scan, peers, depth);
		if (isRun(scan, peers)) {
			this.scratch.work.add(size / 32);
			const first = scan.row(peers.from);
			return { matches: countRun(bits.words, first, first + size), cost };
		}
		if (values === null) {
			const { from, to } = clipToWords(bits, scan, peers);
			this.scratch.work.add(to - from);
			return { matches: countMatches(scan.rows, bits.words, from, to), cost };
		}
		this.scratch.work.add(wordsOf(bits) * values.bitmaps.length + values.rows);
		let matches = 0;
		// A row has one value, so the values of a group are disjoint.
		for (const bitmap of values.bitmaps) matches += countCommon(bits.words, bitmap, bits.from, bits.to);
		for (const { rows, from, to } of values.slices) matches += countMatches(rows, bits.words, from, to);
		return { matches, cost };
	}

	/** Writes the rows of `bits` in a part of a peer group to `list`, ascending; returns how many. */
	list(bits: RowBitmap, scan: IndexScan, part: Range, list: Uint32Array): number {
		const { from, to } = part;
		if (from === to || !isRun(scan, part)) return this.listSpan(bits, scan, part, list);
		this.scratch.work.add((to - from) / 32);
		const first = scan.row(from);
		return listRun(bits.words, first, first + to - from, list, 0);
	}

	/** Writes the rows of `bits` at positions of any peer groups to `list`, in the order of the scan; returns how many. */
	listSpan(bits: RowBitmap, scan: IndexScan, { from, to }: Range, list: Uint32Array): number {
		this.scratch.work.add(to - from);
		return listMatches(scan.rows, bits.words, from, to, list, 0);
	}

	/** Nanoseconds to count the peer groups of a scan's first `steps` positions; stops adding up past `most`. */
	costOfCounting(bits: RowBitmap, scan: IndexScan, depth: number, steps: number, most: number): number {
		let cost = 0;
		let left = steps;
		for (const slice of scan.slices()) {
			let peers = scan.firstPeers(slice);
			for (; peers !== null && left > 0 && cost <= most; peers = scan.nextPeers(peers, slice)) {
				cost += this.plan(bits, scan, peers, depth).cost;
				left -= peers.to - peers.from;
			}
		}
		return cost;
	}

	/** How a peer group is counted. */
	private plan(bits: RowBitmap, scan: IndexScan, peers: Range, depth: number): CountPlan {
		const size = peers.to - peers.from;
		if (isRun(scan, peers)) return { values: null, cost: (size / 32) * COST_NS.countWord };
		const words = wordsOf(bits);
		const values = this.storedValues(scan, peers, depth);
		const byBitmap = values.bitmaps.length * words * COST_NS.countWord + values.rows * COST_NS.scanStep;
		// Of a large group, only the positions whose rows may be in the bitmap are read.
		const share = size < CLIPPED_POSITIONS_MIN ? 1 : (words * 32) / (scan.to - scan.from);
		const byRow = size * Math.min(1, share) * COST_NS.scanStep;
		if (values.bitmaps.length === 0 || byBitmap > byRow) return { values: null, cost: byRow };
		return { values, cost: byBitmap };
	}

	/** The rows of `bits` at positions [from, to), both of which are cuts, as {@link narrow}. */
	between(
		bits: RowBitmap,
		cuts: OrderCuts,
		slice: Range & { readonly rows: number },
		depth: number,
	): RowBitmap {
		const words = this.scratch.peerBitmap(depth);
		const isTaken = this.takeBetween(words, bits, cuts, slice);
		invariant(isTaken, "both ends of the slice are cuts");
		return this.trimmed(words, bits, slice.rows);
	}

	/**
	 * The rows of `bits` in a peer group as a bitmap, valid until the next of that depth. `matches` is
	 * their number, if known.
	 */
	narrow(bits: RowBitmap, scan: IndexScan, peers: Range, depth: number, matches: number | null): RowBitmap {
		const words = this.scratch.peerBitmap(depth);
		if (isRun(scan, peers)) return this.trimmed(words, takeRun(words, bits, scan, peers), matches);
		this.intersect(words, bits, scan, peers, depth);
		return this.trimmed(words, bits, matches);
	}

	/** A bitmap written within some words, narrowed to the first and last word that has a row: peers often lie in a few states. */
	private trimmed(words: Uint32Array, written: Range, matches: number | null): RowBitmap {
		this.scratch.work.add(wordsOf(written));
		words.fill(0, 0, written.from);
		words.fill(0, written.to);
		const { from, to } = trimmedRange(words, written.from, written.to);
		return { words, count: matches ?? countWords(words, from, to), from, to };
	}

	/** Writes the rows of `bits` in a peer group that is no run to `target`, within the words of `bits`. */
	private intersect(
		target: Uint32Array,
		bits: RowBitmap,
		scan: IndexScan,
		peers: Range,
		depth: number,
	): void {
		const { words, from: fromWord, to: toWord } = bits;
		const { bitmaps, slices } = this.storedValues(scan, peers, depth);
		const [bitmap, ...others] = bitmaps;
		const cuts = others.length + slices.length > 0 || bitmap === undefined ? this.cuts(depth) : null;
		if (cuts !== null && this.takeBetween(target, bits, cuts, peers)) return;
		if (bitmap === undefined) {
			target.fill(0, fromWord, toWord);
			setRows(target, scan.rows as Uint32Array, peers.from, peers.to);
			storeAnd(target, target, words, fromWord, toWord);
			return;
		}
		storeAnd(target, words, bitmap, fromWord, toWord);
		for (const other of others) storeAndOr(target, words, other, fromWord, toWord);
		for (const { rows, from, to } of slices) setCommonRows(target, words, rows, from, to);
	}

	/** If both ends of a slice of positions are cuts, writes the rows of a bitmap in it to `target`, within its words. Returns whether they are. */
	private takeBetween(target: Uint32Array, bits: RowBitmap, cuts: OrderCuts, slice: Range): boolean {
		const { words, from, to } = bits;
		const lower = cuts.find(slice.from);
		const upper = cuts.find(slice.to);
		if (lower === null || upper === null) return false;
		const below = cuts.bitmapAt(lower);
		const above = cuts.bitmapAt(upper);
		if (above !== null && below !== null) storeAndNot(target, words, above, below, from, to);
		else if (above !== null) storeAnd(target, words, above, from, to);
		else if (below !== null) storeDifference(target, words, below, from, to);
		else copyWords(target, words, from, to);
		return true;
	}

	/** Bitmaps of the frequent values of a peer group, and if there are any, slices of postings of the others. */
	private storedValues(scan: IndexScan, peers: Range, depth: number): StoredValues {
		const column: Column = columnNamed(this.order.columns[depth]);
		const stored = this.columns.bitmaps.get(column);
		const dictionary = this.columns.dictionary.get(column);
		const bitmaps: Uint32Array[] = [];
		const rare: number[] = [];
		for (const code of codesOfRank(dictionary, scan.rank(peers.from))) {
			const bitmap = stored?.find(code) ?? null;
			if (bitmap === null) rare.push(code);
			else bitmaps.push(bitmap);
		}
		if (bitmaps.length === 0 || rare.length === 0) return { bitmaps, slices: [], rows: 0 };
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

/** Of a large peer group, whose rows ascend, the positions whose rows lie among a bitmap's words. */
export function clipToWords(bits: Range, { rows }: IndexScan, peers: Range): Range {
	if (rows === null || peers.to - peers.from < CLIPPED_POSITIONS_MIN) return peers;
	const from = firstIndexAtLeast(rows, peers.from, peers.to, bits.from << 5);
	return { from, to: firstIndexAtLeast(rows, from, peers.to, bits.to << 5) };
}

/** Writes the rows of a bitmap in a peer group that is a run to `target`; returns the words that were written. */
function takeRun(target: Uint32Array, bits: RowBitmap, scan: IndexScan, peers: Range): Range {
	const first = scan.row(peers.from);
	const end = first + peers.to - peers.from;
	const from = Math.max(bits.from, first >>> 5);
	const to = Math.max(from, Math.min(bits.to, ((end - 1) >>> 5) + 1));
	copyWords(target, bits.words, from, to);
	clearRun(target, from << 5, Math.min(first, to << 5));
	clearRun(target, Math.max(end, from << 5), to << 5);
	return { from, to };
}

/** Whether a peer group's rows, which ascend, are contiguous. Corrupt rows past the last are no run: bitmaps have no words for them. */
function isRun({ rows }: IndexScan, { from, to }: Range): boolean {
	if (rows === null) return true;
	const last = rows[to - 1];
	return last - rows[from] === to - 1 - from && last < rows.length;
}

function codesOfRank(dictionary: Dictionary, rank: number): number[] {
	if (rank >= dictionary.folds) return [dictionary.distinct];
	const { from, to } = dictionary.codesOfRanks({ from: rank, to: rank + 1 });
	return Array.from({ length: to - from }, (_, i) => from + i);
}
