/**
 * Takes a page of rows that are counted along its order but not found: reads the positions that the page lies at, and tests
 * their rows. Cost O(positions of the page, in whole blocks).
 */

import { invariant, ORDER_COUNT_POSITIONS, type Range } from "../../formats/index.js";
import type { CountedOrder } from "../columns/order-counts.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { keepMatches } from "../select/select-rows.js";
import { PROBE_BLOCK, SOUGHT_POSITIONS_MAX } from "../tuning.js";
import { type IndexScan, openScan } from "./index-scan.js";
import type { PageRequest } from "./page-window.js";

/** Rows [from, to) of the selection in ascending order, all of which are on the page. */
interface PagePart extends Range {
	/** Positions of the order that have them, in whole blocks. */
	readonly positions: Range;
}

/**
 * Writes the page's rows in the order of the plan's one column to `scratch.page`; returns
 * how many, or null where the page spreads over too many positions, or counts are corrupt. Uses `scratch.list`.
 */
export function seekPositions(
	{ plan, offset, limit, columns, scratch }: PageRequest,
	counted: CountedOrder,
): number | null {
	const seek = new PositionSeek(plan, counted, columns, scratch);
	const parts = seek.partsOf(offset, offset + limit);
	const positions = parts.reduce((sum, part) => sum + part.positions.to - part.positions.from, 0);
	if (positions > Math.min(SOUGHT_POSITIONS_MAX, counted.rows)) return null;
	let taken = 0;
	for (const part of parts) {
		// Corrupt counts may promise rows where there are none.
		if (!seek.take(part, taken)) return null;
		taken += part.to - part.from;
	}
	return taken;
}

class PositionSeek {
	private readonly scan: IndexScan;
	private readonly rows: Uint32Array;

	constructor(
		private readonly plan: Plan,
		private readonly counted: CountedOrder,
		private readonly columns: SnapshotColumns,
		private readonly scratch: Scratch,
	) {
		const { order } = plan;
		// The order of the whole month, in which values are counted, also where all rows are of one state.
		this.scan = openScan(order.columns[0], order.order, null, null, columns);
		const { rows } = this.scan;
		invariant(rows !== null, "what is counted is a permutation");
		this.rows = rows;
	}

	/** The parts of rows [from, to) in the page's order. Descending, rows without a value are last as well, and a part of their own. */
	partsOf(from: number, to: number): PagePart[] {
		const { rows } = this.counted;
		const { descending, nullsFrom } = this.scan;
		if (!descending) return [this.part(from, to)];
		const valued = nullsFrom === this.rows.length ? rows : this.before(nullsFrom);
		const parts: PagePart[] = [];
		if (from < valued) parts.push(this.part(valued - Math.min(to, valued), valued - from));
		if (to > valued) parts.push(this.part(rows - (to - valued), rows - Math.max(from - valued, 0)));
		return parts;
	}

	private part(from: number, to: number): PagePart {
		return { from, to, positions: this.counted.positionsOf({ from, to }) };
	}

	/**
	 * Writes the rows of a part, the last first where the order descends, to page[at…); false where its positions have fewer.
	 * Positions are read up to the last of the rows.
	 */
	take({ from, to, positions }: PagePart, at: number): boolean {
		const { list, page } = this.scratch;
		const { descending } = this.scan;
		const end = Math.min(positions.to, this.rows.length);
		let place = this.counted.before(positions.from / ORDER_COUNT_POSITIONS);
		for (let next = positions.from; next < end && place < to; next += PROBE_BLOCK) {
			const found = this.list(next, Math.min(next + PROBE_BLOCK, end));
			const last = Math.min(found, to - place);
			for (let i = Math.max(0, from - place); i < last; i++)
				page[at + (descending ? to - 1 - place - i : place + i - from)] = list[i];
			place += found;
		}
		return place >= to;
	}

	/** The rows of the selection at the first positions of the order. */
	private before(position: number): number {
		const block = Math.floor(position / ORDER_COUNT_POSITIONS);
		return this.counted.before(block) + this.list(block * ORDER_COUNT_POSITIONS, position);
	}

	/** Lists the rows of the selection at positions [from, to); returns how many. */
	private list(from: number, to: number): number {
		const { list, work } = this.scratch;
		list.set(this.rows.subarray(from, to));
		work.add(to - from);
		return keepMatches(this.plan.predicates[0], this.columns, this.scratch, to - from);
	}
}
