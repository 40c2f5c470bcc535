/** Reads in place how many rows of frequent values lie at the first positions of a sort order. */

import { ORDER_COUNT_POSITIONS, SECTION } from "../layout.js";
import type { SectionTable } from "./section-table.js";

export class OrderCounts {
	/** By column, the places of its values by code. */
	private readonly places = new Map<number, Map<number, number>>();

	private constructor(
		/** Pairs of a column's code and a code of it. */
		readonly values: Uint32Array,
		/** For each value, for each block the rows with it up to the block's end. */
		readonly counts: Uint32Array,
		/** Blocks of {@link ORDER_COUNT_POSITIONS} positions, of which the last may have fewer. */
		readonly blocks: number,
	) {
		for (let i = 0; i < values.length; i += 2) {
			const [column, code] = [values[i], values[i + 1]];
			const places = this.places.get(column) ?? new Map<number, number>();
			this.places.set(column, places.set(code, i >>> 1));
		}
	}

	/** Those in the order of the column with this code; null if `sections` have none. Throws FormatError. */
	static open(sections: SectionTable, column: number, rows: number): OrderCounts | null {
		if (!sections.has(SECTION.orderCountValues, column)) return null;
		const values = sections.u32(SECTION.orderCountValues, column);
		const blocks = Math.ceil(rows / ORDER_COUNT_POSITIONS);
		const counts = sections.u32(SECTION.orderCounts, column, (values.length >>> 1) * blocks);
		return new OrderCounts(values, counts, blocks);
	}

	/** Where the rows of a code of a column are counted; -1 if they are not. Cost O(1). */
	find(column: number, code: number): number {
		return this.places.get(column)?.get(code) ?? -1;
	}

	/** The rows of the value at `place` in the first `block` blocks of positions. */
	before(place: number, block: number): number {
		return block === 0 ? 0 : this.counts[place * this.blocks + block - 1];
	}
}
