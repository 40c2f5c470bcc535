/**
 * The rows of some values by their place in a sort order: sums of the stored counts of each (formats/SNAPSHOT.md). A page
 * deep in the order is then found at its own positions, without finding the rows before it.
 */

import {
	type Column,
	firstWhere,
	ORDER_COUNT_POSITIONS,
	type OrderCounts,
	type Range,
} from "../../formats/index.js";
import { SUMMED_VALUES_MAX } from "../tuning.js";
import { countRows } from "./runs.js";

export class CountedOrder {
	/** Rows that have one of the values. */
	readonly rows: number;

	private constructor(
		private readonly counts: OrderCounts,
		/** Where the rows of each value are counted. */
		private readonly places: readonly number[],
	) {
		this.rows = this.before(counts.blocks);
	}

	/**
	 * Those of `codes` of a column; null where not all are counted: rare ones, other columns, or too many. Cost O(codes).
	 */
	static of(counts: OrderCounts, column: Column, codes: readonly Range[]): CountedOrder | null {
		if (countRows(codes) > SUMMED_VALUES_MAX) return null;
		const places: number[] = [];
		for (const { from, to } of codes)
			for (let code = from; code < to; code++) {
				const place = counts.find(column.code, code);
				if (place === -1) return null;
				places.push(place);
			}
		return new CountedOrder(counts, places);
	}

	/** The rows in the first `block` blocks. Cost O(values). */
	before(block: number): number {
		let rows = 0;
		for (const place of this.places) rows += this.counts.before(place, block);
		return rows;
	}

	/** The positions, of whole blocks, of the rows that have [from, to) of all rows before them. Cost O(values × log blocks). */
	positionsOf({ from, to }: Range): Range {
		const { blocks } = this.counts;
		const first = Math.max(0, firstWhere(0, blocks, (block) => this.before(block) > from) - 1);
		// Most pages end near where they begin.
		let step = 1;
		while (first + step < blocks && this.before(first + step) < to) step *= 2;
		const end = firstWhere(
			first + (step >>> 1),
			Math.min(blocks, first + step),
			(block) => this.before(block) >= to,
		);
		return { from: first * ORDER_COUNT_POSITIONS, to: end * ORDER_COUNT_POSITIONS };
	}
}
