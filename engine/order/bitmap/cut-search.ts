/**
 * Where a page of a bitmap lies between the cuts of a sort order, as that is walked: downwards the values
 * come in reverse, and the rows without a value last either way.
 *
 * Cost O(words) for each cut that is counted: two as a rule, where a sample of the rows tells about where
 * the page lies (page-forecast.ts), and O(log cuts) whatever it tells.
 */

import type { OrderCuts } from "../../columns/order-cuts.js";
import { countCommon } from "../../kernels/bitmap.js";
import { countMatches } from "../../kernels/match-rows.js";
import { COST_NS } from "../../plan/costs.js";
import type { Work } from "../../scratch.js";
import type { Stretch, Walk } from "../walk.js";
import type { RowBits } from "./groups.js";

/** A piece of the order from one cut to another, half-open, and the rows of the bitmap before and in it. */
export interface Piece extends Stretch {
	readonly before: number;
	readonly rows: number;
	/** Whether all its rows fold alike. */
	readonly isOneFold: boolean;
}

/** Fewer rows of equal value are ordered among others as soon. */
const LARGE_FOLD_ROWS = 16_384;

/** So few rows that lie before a page are ordered with it, wherever they lie. */
const FEW_ROWS = 8192;

export class CutSearch {
	/** Rows below cuts that have been counted. */
	private readonly below: (number | undefined)[] = [];
	/** Number of the last cut as they are walked: all rows lie before it. */
	private readonly last: number;

	constructor(
		private readonly bits: RowBits,
		private readonly walk: Walk,
		private readonly cuts: OrderCuts,
		private readonly work: Work,
	) {
		this.last = cuts.positions.length - 1;
	}

	/**
	 * The pieces that rows [offset, offset + limit), which there are, lie in, as they are walked; the page
	 * should end by `steps` of the walk. A first or last piece that is one large fold stands for itself, as do
	 * the rows without a value; the others are one.
	 */
	piecesOf(offset: number, limit: number, steps: number): Piece[] {
		const { from, to: end } = this.bracket(offset + limit - 1, this.last, this.cutAt(steps));
		const first = this.firstOf(offset, from);
		const ends = [first];
		const cutAt = (cut: number) => {
			if (cut > ends[ends.length - 1]) ends.push(cut);
		};
		if (this.isLargeFold(first)) cutAt(first + 1);
		if (this.cuts.valued < end) cutAt(this.cuts.valued);
		if (this.isLargeFold(end - 1)) cutAt(end - 1);
		cutAt(end);
		return ends.slice(1).map((to, i) => this.piece(ends[i], to));
	}

	/** The piece between two cuts by number as they are walked. */
	private piece(from: number, to: number): Piece {
		const before = this.passed(from);
		const isOneFold = to === from + 1 && this.isOneFold(from);
		return { ...this.stretch(from, to), before, rows: this.passed(to) - before, isOneFold };
	}

	/** Whether there is one fold between a cut and the next, with so many rows that these are ordered for themselves. */
	private isLargeFold(cut: number): boolean {
		const { from, to } = this.stretch(cut, cut + 1);
		if (to - from < LARGE_FOLD_ROWS || !this.isOneFold(cut)) return false;
		return this.passed(cut + 1) - this.passed(cut) >= LARGE_FOLD_ROWS;
	}

	/** Positions between two cuts, as they are walked, either all of values or all of rows without one. */
	private stretch(from: number, to: number): Stretch {
		const { positions, valued } = this.cuts;
		if (!this.walk.descending || from >= valued) return { from: positions[from], to: positions[to] };
		return { from: positions[valued - to], to: positions[valued - from] };
	}

	/** Whether all rows between a cut and the next fold alike. */
	private isOneFold(cut: number): boolean {
		const { from, to } = this.stretch(cut, cut + 1);
		return this.walk.rank(from) === this.walk.rank(to - 1);
	}

	/** A cut that at most `offset` rows are walked before, `last` or one before it. */
	private firstOf(offset: number, last: number): number {
		const passed = this.passed(last);
		if (passed <= offset) return last;
		// A few rows more are ordered sooner than another cut is counted.
		return passed <= FEW_ROWS ? 0 : this.bracket(offset, last, last - 1).from;
	}

	/**
	 * Two cuts, up to `high`, the first of which at most `rows` rows are walked before and the second more:
	 * next to one another, or with few rows between. Looks around `guess` first, in steps that double.
	 */
	private bracket(rows: number, high: number, guess: number): { from: number; to: number } {
		let from = 0;
		let to = high;
		let probe = guess;
		// Where two pieces have few rows, it is enough to know that it is one of them.
		const isSparse = 2 * this.bits.count <= FEW_ROWS * this.last;
		for (let step = isSparse ? 2 : 1; to - from > 1; step *= 2) {
			if (this.passed(to) - this.passed(from) <= FEW_ROWS) break;
			probe = Math.min(to - 1, Math.max(from + 1, probe));
			if (this.passed(probe) <= rows) {
				from = probe;
				probe += step;
			} else {
				to = probe;
				probe -= step;
			}
		}
		return { from, to };
	}

	/** The cut after which the walk is `steps` in, or the one before that. */
	private cutAt(steps: number): number {
		const { positions, valued } = this.cuts;
		const { descending, from, nullsFrom } = this.walk;
		if (descending) {
			const position = nullsFrom - steps;
			return valued - positions.findIndex((cut) => cut >= position);
		}
		const beyond = positions.findIndex((cut) => cut > from + steps);
		return (beyond === -1 ? positions.length : beyond) - 1;
	}

	/** Rows that are walked before a cut. */
	private passed(cut: number): number {
		const { valued } = this.cuts;
		if (!this.walk.descending) return this.rowsBelow(cut);
		if (cut > valued) return this.bits.count;
		return this.valuedRows() - this.rowsBelow(valued - cut);
	}

	private valuedRows(): number {
		const { bits, walk, cuts } = this;
		const known = this.below[cuts.valued];
		if (known !== undefined) return known;
		const nulls = walk.to - walk.nullsFrom;
		// Few rows without a value are counted one by one.
		if (nulls * COST_NS.walkStep > (bits.toWord - bits.fromWord) * COST_NS.countWord)
			return this.rowsBelow(cuts.valued);
		const rows = bits.count - countMatches(walk.rows, bits.words, walk.nullsFrom, walk.to);
		this.below[cuts.valued] = rows;
		return rows;
	}

	private rowsBelow(cut: number): number {
		const known = this.below[cut];
		if (known !== undefined) return known;
		const { words, count, fromWord, toWord } = this.bits;
		const bitmap = this.cuts.bitmapAt(cut);
		const rows = bitmap === null ? (cut === 0 ? 0 : count) : countCommon(words, bitmap, fromWord, toWord);
		this.work.add(bitmap === null ? 0 : toWord - fromWord);
		this.below[cut] = rows;
		return rows;
	}
}
