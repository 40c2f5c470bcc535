/**
 * Pages of queries: by page number, or after a row. A query is planned, its rows are selected and ordered; a license number
 * that one row has needs none of that.
 */

import { invariant, type RowStore, type SnapshotFiles } from "../formats/index.js";
import { EngineError } from "./errors.js";
import { orderPage } from "./order/order-page.js";
import { rowsAfter } from "./order/rows-after.js";
import type { PlanningContext } from "./plan/context.js";
import { queryOf } from "./plan/filter-queries.js";
import { planQuery } from "./plan/plan-query.js";
import type { Page, Query } from "./query.js";
import { PAGE_ROWS_MAX, type Scratch } from "./scratch.js";
import { LoneNumbers } from "./select/lone-numbers.js";
import { selectPage } from "./select/select-page.js";
import { selectBitmap } from "./select/selection-bitmap.js";

export class Pages {
	private readonly loneNumbers: LoneNumbers;

	/** `month`: `YYYY-MM`. `store`: the month's stored rows; null: it has none. */
	constructor(
		private readonly month: string,
		files: SnapshotFiles,
		store: RowStore | null,
		private readonly context: PlanningContext,
		private readonly scratch: Scratch,
	) {
		this.loneNumbers = new LoneNumbers(files, context.columns.states, store);
	}

	/** As `Snapshot.query`. Throws {@link EngineError} `limit_too_large`. */
	from(query: Query, offset: number): Page {
		if (query.limit > PAGE_ROWS_MAX) {
			throw new EngineError("limit_too_large", `limit is ${query.limit}, at most ${PAGE_ROWS_MAX}`);
		}
		invariant(query.page >= 1 && query.limit >= 1, "page and limit are positive");
		const row = offset === 0 ? this.loneNumbers.find(query) : -1;
		if (row !== -1) {
			this.scratch.page[0] = row;
			return this.pageOf(query, 0, 1, 1);
		}
		const { columns } = this.context;
		const plan = planQuery(query, this.context);
		const selection = selectPage(plan, columns, this.scratch);
		const taken = orderPage(plan, selection, { offset, limit: query.limit }, columns, this.scratch);
		return this.pageOf(query, offset, taken, selection.count);
	}

	/** The page of the `taken` rows in scratch memory, of `count` that match. */
	private pageOf(query: Query, offset: number, taken: number, count: number): Page {
		return {
			query,
			snapshot: this.month,
			rows: this.scratch.page.subarray(0, taken),
			total: query.count ? count : null,
			hasNext: query.count ? offset + taken < count : taken === query.limit,
		};
	}

	/** As `Snapshot.queryAfter`. */
	after(query: Query, after: number | null, passed: number, memory?: Uint32Array): Page {
		if (query.sort.length === 0) return this.matchesAfter(query, passed, memory);
		const { columns } = this.context;
		const { order } = planQuery(query, this.context);
		const { filters, geography } = query;
		const unsorted = planQuery(queryOf(filters, geography), this.context);
		const selected = selectBitmap(unsorted, columns, this.scratch);
		const out = roomFor(Math.min(query.limit + 1, selected.count), memory);
		const rows = rowsAfter({ order, selected, after, out, columns, scratch: this.scratch });
		return {
			query,
			snapshot: this.month,
			rows: rows.subarray(0, query.limit),
			total: query.count ? selected.count : null,
			hasNext: rows.length > query.limit,
		};
	}

	/** Rows from the `passed`-th on by best match: a histogram of all matches finds any place at the same cost. */
	private matchesAfter(query: Query, passed: number, memory?: Uint32Array): Page {
		const page = this.from({ ...query, count: true }, passed);
		const rows = roomFor(page.rows.length, memory);
		rows.set(page.rows);
		return { ...page, query, rows, total: query.count ? page.total : null };
	}
}

/** Room for `count` rows: in `memory` if that suffices, else of its own. */
function roomFor(count: number, memory?: Uint32Array): Uint32Array {
	return memory !== undefined && memory.length >= count ? memory.subarray(0, count) : new Uint32Array(count);
}
