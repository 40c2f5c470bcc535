/**
 * A query as plain data: what a request becomes after validation and scope, and all that the
 * planner sees. Filters are those of formats/filters.ts.
 */

import type { ColumnName, Filters, Geography } from "../formats/index.js";

export type { Filters, Geography } from "../formats/index.js";

export type Order = "asc" | "desc";

export interface Query {
	readonly filters: Filters;
	/** Columns of the sort whitelist, most significant first; ties go by id. */
	readonly sort: readonly ColumnName[];
	readonly order: Order;
	/** 1-based. */
	readonly page: number;
	/** Rows per page. */
	readonly limit: number;
	/** Whether the total is wanted; without it `has_next` follows from the page's fill. */
	readonly count: boolean;
	/** Rows outside are as if they did not exist; null: all rows. */
	readonly geography: Geography | null;
}

/** How rows are written out. */
export interface Projection {
	/** Columns to write, in the order of the column table. */
	readonly columns: readonly ColumnName[];
	/** Whether contact columns are masked (demo and trial keys). */
	readonly masked: boolean;
}

export type RowFormat = "json" | "ndjson" | "csv";

/** Rows that answer a query, as positions in the snapshot. */
export interface Page {
	readonly query: Query;
	/** `YYYY-MM`. */
	readonly snapshot: string;
	/** Row positions in the order asked for. A view that the next query overwrites. */
	readonly rows: Uint32Array;
	/** Rows that match; null where the query did not count. */
	readonly total: number | null;
	readonly hasNext: boolean;
}

/** The query that `/v1/licenses` answers when no parameter is given. */
export const DEFAULT_QUERY: Query = {
	filters: {},
	sort: ["id"],
	order: "asc",
	page: 1,
	limit: 100,
	count: true,
	geography: null,
};
