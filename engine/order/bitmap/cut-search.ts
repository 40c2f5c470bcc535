/**
 * Finds the cuts of a sort order that enclose a page of a bitmap, by counting the bitmap's rows before a
 * cut: an exponential search around an estimate. Cuts are numbered as the index is scanned: in descending
 * order the values come in reverse, and the rows without a value are last either way.
 *
 * Cost O(words) for each cut that is counted: usually two, given a good estimate of the page's position
 * (estimate-position.ts), and O(log cuts) with any estimate.
 */

import type { Range } from "../../../formats/index.js";
import type { OrderCuts } from "../../columns/order-cuts.js";
import { countCommon } from "../../kernels/bitmap.js";
import { countMatches } from "../../kernels/bitmap-probe.js";
import type { Work } from "../../scratch.js";
import { type RowBitmap, wordsOf } from "../../select/selection.js";
import { COST_NS, CUT_SLACK_ROWS, LARGE_FOLD_ROWS } from "../../tuning.js";
import type { IndexScan } from "../index-scan.js";

/** Positions of the order from one cut to another, and the bitmap's rows before and in them. */
export interface CutSlice extends Range {
	readonly before: number;
	readonly rows: number;
	/** Whether all its rows fold alike. */
	readonly isOneFold: boolean;
}

export class CutSearch {
	/** By cut, in ascending positions, the rows before it, once counted. */
	private readonly below: (number | undefined)[] = [];
	/** Number of the last cut, which all rows are scanned before. */
	private readonly last: number;

	constructor(
		private readonly bits: RowBitmap,
		private readonly scan: IndexScan,
		private readonly cuts: OrderCuts,
		private readonly work: Work,
	) {
		this.last = cuts.positions.length - 1;
	}

	/**
	 * The slices that rows [offset, offset + limit), which exist, overlap, in scan order; the page is estimated
	 * to end `steps` positions into the scan. A first or last slice that is one large fold is separate, as
	 * are the rows without a value; the rest is one slice.
	 */
	slicesOf(offset: number, limit: number, steps: number): CutSlice[] {
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
		return ends.slice(1).map((to, i) => this.slice(ends[i], to));
	}

	private slice(from: number, to: number): CutSlice {
		const positions = this.positions(from, to);
		const before = this.passed(from);
		return {
			from: positions.from,
			to: positions.to,
			before,
			rows: this.passed(to) - before,
			isOneFold: to === from + 1 && this.isOneFold(from),
		};
	}

	/** Whether between a cut and the next there is one fold, with enough rows to be ordered on its own. */
	private isLargeFold(cut: number): boolean {
		const { from, to } = this.positions(cut, cut + 1);
		if (to - from < LARGE_FOLD_ROWS || !this.isOneFold(cut)) return false;
		return this.passed(cut + 1) - this.passed(cut) >= LARGE_FOLD_ROWS;
	}

	/** Positions between two cuts, which are either all of values or all of rows without one. */
	private positions(from: number, to: number): Range {
		const { positions, valued } = this.cuts;
		if (!this.scan.descending || from >= valued) return { from: positions[from], to: positions[to] };
		return { from: positions[valued - to], to: positions[valued - from] };
	}

	/** Whether all rows between a cut and the next fold alike. */
	private isOneFold(cut: number): boolean {
		const { from, to } = this.positions(cut, cut + 1);
		return this.scan.rank(from) === this.scan.rank(to - 1);
	}

	/** A cut with at most `offset` rows before it: `last` or an earlier one. */
	private firstOf(offset: number, last: number): number {
		const passed = this.passed(last);
		if (passed <= offset) return last;
		// Sorting a few rows more is cheaper than counting another cut.
		return passed <= CUT_SLACK_ROWS ? 0 : this.bracket(offset, last, last - 1).from;
	}

	/**
	 * Two cuts, the second at most `high`: at most `rows` rows are before the first and more before the second.
	 * They are adjacent or have few rows between them. Searches around `guess` in steps that double.
	 */
	private bracket(rows: number, high: number, guess: number): Range {
		let from = 0;
		let to = high;
		let probe = guess;
		// Where any two adjacent slices have few rows, finding the right pair suffices.
		const isSparse = 2 * this.bits.count <= CUT_SLACK_ROWS * this.last;
		for (let step = isSparse ? 2 : 1; to - from > 1; step *= 2) {
			if (this.passed(to) - this.passed(from) <= CUT_SLACK_ROWS) break;
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

	/** The cut at or just before the position `steps` into the scan. */
	private cutAt(steps: number): number {
		const { positions, valued } = this.cuts;
		const { descending, from, nullsFrom } = this.scan;
		if (descending) {
			const position = nullsFrom - steps;
			return valued - positions.findIndex((cut) => cut >= position);
		}
		const beyond = positions.findIndex((cut) => cut > from + steps);
		return (beyond === -1 ? positions.length : beyond) - 1;
	}

	/** Rows that are scanned before a cut. */
	private passed(cut: number): number {
		const { valued } = this.cuts;
		if (!this.scan.descending) return this.rowsBelow(cut);
		if (cut > valued) return this.bits.count;
		return this.valuedRows() - this.rowsBelow(valued - cut);
	}

	/** Rows with a value. */
	private valuedRows(): number {
		const { bits, scan, cuts } = this;
		const known = this.below[cuts.valued];
		if (known !== undefined) return known;
		const nulls = scan.to - scan.nullsFrom;
		// A few rows without a value are cheaper to test one by one than to count by bitmap.
		if (nulls * COST_NS.scanStep > wordsOf(bits) * COST_NS.countWord) return this.rowsBelow(cuts.valued);
		const rows = bits.count - countMatches(scan.rows, bits.words, scan.nullsFrom, scan.to);
		this.below[cuts.valued] = rows;
		return rows;
	}

	/** Rows at positions below a cut, numbered by ascending positions. */
	private rowsBelow(cut: number): number {
		const known = this.below[cut];
		if (known !== undefined) return known;
		const { words, count, from, to } = this.bits;
		const bitmap = this.cuts.bitmapAt(cut);
		const rows = bitmap === null ? (cut === 0 ? 0 : count) : countCommon(words, bitmap, from, to);
		this.work.add(bitmap === null ? 0 : to - from);
		this.below[cut] = rows;
		return rows;
	}
}
