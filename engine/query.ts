/**
 * A query as plain data: a request after validation and scope, and everything that the planner sees.
 * Filters are those of formats/domain/filters.ts.
 */

import type { ColumnName, Filters, Geography } from "../formats/index.js";

export type { Filters, Geography } from "../formats/index.js";

export type Order = "asc" | "desc";

export interface Query {
	readonly filters: Filters;
	/** Sortable columns, most significant first; ties are broken by id. */
	readonly sort: readonly ColumnName[];
	readonly order: Order;
	/** 1-based. */
	readonly page: number;
	/** Rows per page. */
	readonly limit: number;
	/** Whether to count the matches; without it `hasNext` is inferred from the page being full. */
	readonly count: boolean;
	/** Rows outside of it are invisible; null for all rows. */
	readonly geography: Geography | null;
}

/** How rows are written out. */
export interface Projection {
	/** Columns to write, at least one, in this order, each once. */
	readonly columns: readonly ColumnName[];
	/** What the columns are called, one name for each, of characters that JSON does not escape; absent: their own names. */
	readonly names?: readonly string[];
	/** Whether contact columns are masked (docs/API.md §4). */
	readonly masked: boolean;
}

export type RowFormat = "json" | "ndjson" | "csv";

/** The page that answers a query. */
export interface Page {
	readonly query: Query;
	/** `YYYY-MM`. */
	readonly snapshot: string;
	/** Row numbers in sort order. A view that the next query overwrites. */
	readonly rows: Uint32Array;
	/** Matching rows; null where the query did not count. */
	readonly total: number | null;
	readonly hasNext: boolean;
	/** `pagination.next_cursor`, of characters that JSON does not escape; absent: it is left out. */
	readonly nextCursor?: string | null;
}

/** The query of `/v1/licenses` without parameters. */
export const DEFAULT_QUERY: Query = {
	filters: {},
	sort: ["id"],
	order: "asc",
	page: 1,
	limit: 100,
	count: true,
	geography: null,
};

/** Whether two lists name the same columns: many keys and queries have the same ones, each a list of its own. Cost O(columns). */
export function areSameColumns(columns: readonly ColumnName[], others: readonly ColumnName[]): boolean {
	if (columns === others) return true;
	if (columns.length !== others.length) return false;
	for (let i = 0; i < columns.length; i++) if (columns[i] !== others[i]) return false;
	return true;
}
