/**
 * Queries as a naive scan (docs/API.md §7.8): look at every row, keep what matches, sort, take the page.
 * The engine must give the same rows in the same order.
 */

import type { Filters, Geography, Query } from "../../engine/query.js";
import type { ColumnName } from "../../formats/index.js";
import { type NaiveColumn, NaiveColumns, naiveColumn } from "./naive-columns.js";
import type { NaiveRow, RowValue } from "./naive-rows.js";

export interface NaivePage {
	readonly rows: readonly NaiveRow[];
	readonly total: number | null;
	readonly hasNext: boolean;
}

export class NaiveMonth {
	private readonly columns: NaiveColumns;
	private last: { readonly key: string; readonly places: Uint32Array } | null = null;

	constructor(
		/** `YYYY-MM`. */
		readonly month: string,
		/** In canonical order. */
		readonly rows: readonly NaiveRow[],
	) {
		this.columns = new NaiveColumns(rows.length, columnsOfRows(rows));
	}

	query(query: Query): NaivePage {
		const places = this.sorted(query);
		const end = query.page * query.limit;
		const rows = this.rowsAt(places.subarray(end - query.limit, end));
		return {
			rows,
			total: query.count ? places.length : null,
			hasNext: query.count ? places.length > end : rows.length === query.limit,
		};
	}

	/** Places of every row that matches, in the query's order; that of the query before is remembered, for its pages. */
	private sorted({ filters, geography, sort, order }: Query): Uint32Array {
		const key = JSON.stringify([filters, geography, sort, order]);
		if (this.last?.key !== key)
			this.last = { key, places: placesInOrder(this.columns, { filters, geography, sort, order }) };
		return this.last.places;
	}

	/** Rows that match. */
	count(filters: Filters, geography: Geography | null): number {
		return this.columns.matches(filters, geography).length;
	}

	/** The rows that match, in canonical order. */
	matching(filters: Filters, geography: Geography | null): readonly NaiveRow[] {
		return this.rowsAt(this.columns.matches(filters, geography));
	}

	/** The row at a place of the canonical order. */
	row(place: number): NaiveRow {
		return this.rows[place];
	}

	get rowCount(): number {
		return this.rows.length;
	}

	/** Position of every row with the state and license number. */
	findLicense(state: string, licenseNumber: string): number[] {
		return [...this.rows.keys()].filter((position) => {
			const row = this.rows[position];
			return row.state === state && row.member_state_license_number === licenseNumber;
		});
	}

	private rowsAt(places: Uint32Array): NaiveRow[] {
		return Array.from(places, (place) => this.rows[place]);
	}
}

/** Places of every row that a query matches, in its order. */
function placesInOrder(
	columns: NaiveColumns,
	{ filters, geography, sort, order }: Pick<Query, "filters" | "geography" | "sort" | "order">,
): Uint32Array {
	return inOrder(columns, columns.matches(filters, geography), { filters, sort, order });
}

/** The places of rows that match, in a query's order. */
export function inOrder(
	columns: NaiveColumns,
	places: Uint32Array,
	{ filters, sort, order }: Pick<Query, "filters" | "sort" | "order">,
): Uint32Array {
	const descending = order === "desc";
	return filters.name !== undefined && sort.length === 0
		? columns.bestFirst(places, filters.name, descending)
		: columns.sort(places, sort, descending);
}

/** Whether a grant reads the row. */
export function allows(geography: Geography | null, row: NaiveRow): boolean {
	if (geography === null) return true;
	return geography.countries.includes(String(row.country)) || geography.states.includes(String(row.state));
}

/** The columns of rows, each made when first asked for. */
function columnsOfRows(rows: readonly NaiveRow[]): (name: ColumnName) => NaiveColumn {
	const columns = new Map<ColumnName, NaiveColumn>();
	return (name) => {
		const known = columns.get(name);
		if (known !== undefined) return known;
		const places = new Map<RowValue, number>();
		const valueOfRow = Uint32Array.from(rows, (row) => {
			const place = places.get(row[name]) ?? places.size;
			places.set(row[name], place);
			return place;
		});
		const column = naiveColumn([...places.keys()], valueOfRow);
		columns.set(name, column);
		return column;
	};
}
