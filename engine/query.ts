/**
 * A query as plain data: what a request becomes after validation and scope, and all that the
 * planner sees. Names are the API's parameter names (SPEC §4.8).
 */

import type { ColumnName, CountryCode } from "../formats/index.js";

/** Filters of SPEC §4.8, combined with AND. An absent member does not filter. */
export interface Filters {
	/** Upper-case jurisdiction codes; any of them. */
	readonly state?: readonly string[];
	readonly country?: CountryCode;
	/** Case-insensitive prefix (folded, DESIGN §4). */
	readonly last_name?: string;
	/** Case-insensitive prefix. */
	readonly office_name?: string;
	/** Exact, as are the four below. */
	readonly license_number?: string;
	readonly license_status?: string;
	readonly member_type?: string;
	readonly city?: string;
	readonly postal_code?: string;
	/** ISO dates, inclusive. Rows without the date match no bound. */
	readonly issued_after?: string;
	readonly issued_before?: string;
	readonly expires_after?: string;
	readonly expires_before?: string;
	readonly first_issued_after?: string;
	readonly first_issued_before?: string;
}

/** Rows a key may read: those whose country is granted or whose state is granted. */
export interface Geography {
	readonly countries: readonly string[];
	readonly states: readonly string[];
}

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
