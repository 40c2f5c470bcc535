/**
 * Queries as a naive scan (docs/API.md §7.8): look at every row, keep what matches, sort, take the page.
 * The engine must give the same rows in the same order.
 */

import type { Filters, Geography, Query } from "../../engine/query.js";
import { type ColumnName, FILTERS, type Filter } from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "./code-points.js";
import { naiveMatch } from "./naive-names.js";
import type { NaiveRow, RowValue } from "./naive-rows.js";

export interface NaivePage {
	readonly rows: readonly NaiveRow[];
	readonly total: number | null;
	readonly hasNext: boolean;
}

export class NaiveMonth {
	private readonly ranks = new Map<ColumnName, Map<RowValue, number>>();

	constructor(
		/** `YYYY-MM`. */
		readonly month: string,
		/** In canonical order. */
		readonly rows: readonly NaiveRow[],
	) {}

	query(query: Query): NaivePage {
		const matches = this.matches(query.filters, query.geography);
		const { name } = query.filters;
		const sorted =
			name !== undefined && query.sort.length === 0
				? bestFirst(matches, name, query.order === "desc")
				: this.sort(matches, query.sort, query.order === "desc");
		const end = query.page * query.limit;
		const rows = sorted.slice(end - query.limit, end);
		return {
			rows,
			total: query.count ? matches.length : null,
			hasNext: query.count ? matches.length > end : rows.length === query.limit,
		};
	}

	/** Rows that match. */
	count(filters: Filters, geography: Geography | null): number {
		return this.matches(filters, geography).length;
	}

	/** The rows that match, in canonical order. */
	matching(filters: Filters, geography: Geography | null): readonly NaiveRow[] {
		return this.matches(filters, geography);
	}

	private matches(filters: Filters, geography: Geography | null): NaiveRow[] {
		const values = filters as FilterValues;
		const asked = FILTERS.filter(({ param }) => values[param] !== undefined);
		return this.rows.filter(
			(row) => allows(geography, row) && asked.every((filter) => meets(filter, row, values[filter.param])),
		);
	}

	/** Position of every row with the state and license number. */
	findLicense(state: string, licenseNumber: string): number[] {
		return [...this.rows.keys()].filter((position) => {
			const row = this.rows[position];
			return row.state === state && row.member_state_license_number === licenseNumber;
		});
	}

	private sort(
		matches: readonly NaiveRow[],
		columns: readonly ColumnName[],
		descending: boolean,
	): NaiveRow[] {
		const direction = descending ? -1 : 1;
		const ranks = columns.map((column) => [column, this.rankOf(column)] as const);
		const keyed = matches.map((row) => ({
			row,
			key: ranks.map(([column, rank]) => rank.get(row[column]) ?? null),
		}));
		keyed.sort((a, b) => {
			for (let i = 0; i < columns.length; i++) {
				const [left, right] = [a.key[i], b.key[i]];
				if (left === right) continue;
				if (left === null) return 1;
				if (right === null) return -1;
				return direction * (left - right);
			}
			return direction * (Number(a.row.id) - Number(b.row.id));
		});
		return keyed.map(({ row }) => row);
	}

	/** Rank of every value of a column in sort order; values of equal fold share one, null has none. */
	private rankOf(column: ColumnName): Map<RowValue, number> {
		const known = this.ranks.get(column);
		if (known !== undefined) return known;
		const distinct = [...new Set(this.rows.map((row) => row[column]))].filter((value) => value !== null);
		distinct.sort(compareValues);
		const ranks = new Map<RowValue, number>();
		distinct.forEach((value, i) => {
			const tied = i > 0 && compareValues(distinct[i - 1], value) === 0;
			ranks.set(value, tied ? (ranks.get(distinct[i - 1]) ?? 0) : i);
		});
		this.ranks.set(column, ranks);
		return ranks;
	}
}

/** Rows by what their match costs, then the words besides, then id. */
function bestFirst(rows: readonly NaiveRow[], name: string, descending: boolean): NaiveRow[] {
	const keyed = rows.map((row) => ({ row, match: naiveMatch(name, row.member_full_name as string) }));
	keyed.sort(
		(a, b) =>
			(a.match?.cost ?? 0) - (b.match?.cost ?? 0) ||
			(a.match?.extra ?? 0) - (b.match?.extra ?? 0) ||
			Number(a.row.id) - Number(b.row.id),
	);
	return (descending ? keyed.reverse() : keyed).map(({ row }) => row);
}

/** Sort order of two values that are not null: numbers by size, text by the code points of its fold. */
function compareValues(a: RowValue, b: RowValue): number {
	if (typeof a === "number" && typeof b === "number") return a - b;
	return compareCodePoints(naiveFold(String(a)), naiveFold(String(b)));
}

/** Whether a grant reads the row. */
export function allows(geography: Geography | null, row: NaiveRow): boolean {
	if (geography === null) return true;
	return geography.countries.includes(String(row.country)) || geography.states.includes(String(row.state));
}

type FilterValue = string | readonly string[] | undefined;
type FilterValues = Readonly<Record<string, FilterValue>>;

/** Whether a row meets a filter: with one of several values, and with none of `not`. */
function meets({ kind, column }: Filter, row: NaiveRow, asked: FilterValue): boolean {
	const values = typeof asked === "string" ? [asked] : (asked ?? []);
	if (column === null) {
		return values.every((name) => (row[name as ColumnName] !== null) === (kind === "present"));
	}
	const value = row[column];
	if (kind === "not") return value === null || !values.includes(String(value));
	return value !== null && values.some((each) => matches(kind, value, each));
}

function matches(kind: Filter["kind"], value: string | number, asked: string): boolean {
	switch (kind) {
		case "prefix":
			return naiveFold(String(value)).startsWith(naiveFold(asked));
		case "name":
			return naiveMatch(asked, String(value)) !== null;
		case "fold":
			return naiveFold(String(value)) === naiveFold(asked);
		case "from":
			return String(value) >= asked;
		case "to":
			return String(value) <= asked;
		default:
			return value === asked;
	}
}
