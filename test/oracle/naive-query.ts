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

/** A column's distinct values, and which of them each row has. */
interface NaiveColumn {
	readonly values: readonly RowValue[];
	/** The fold of each value that is text. */
	readonly folds: readonly string[];
	/** Place of each value in sort order; values of equal fold share one, null is infinitely far. */
	readonly ranks: Float64Array;
	/** By row: index into the three above. */
	readonly valueOfRow: Uint32Array;
}

export class NaiveMonth {
	private readonly columns = new Map<ColumnName, NaiveColumn>();
	private last: { readonly key: string; readonly places: Uint32Array } | null = null;

	constructor(
		/** `YYYY-MM`. */
		readonly month: string,
		/** In canonical order. */
		readonly rows: readonly NaiveRow[],
	) {}

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
		if (this.last?.key !== key) {
			const places = this.matches(filters, geography);
			const { name } = filters;
			const descending = order === "desc";
			const sorted =
				name !== undefined && sort.length === 0
					? this.bestFirst(places, name, descending)
					: this.sort(places, sort, descending);
			this.last = { key, places: sorted };
		}
		return this.last.places;
	}

	/** Places of rows by what their match costs, then the words besides, then id. */
	private bestFirst(places: Uint32Array, name: string, descending: boolean): Uint32Array {
		const matches = new Map(
			Array.from(places, (place) => [place, naiveMatch(name, String(this.rows[place].member_full_name))]),
		);
		const sorted = places
			.slice()
			.sort(
				(a, b) =>
					(matches.get(a)?.cost ?? 0) - (matches.get(b)?.cost ?? 0) ||
					(matches.get(a)?.extra ?? 0) - (matches.get(b)?.extra ?? 0) ||
					a - b,
			);
		return descending ? sorted.reverse() : sorted;
	}

	/** Rows that match. */
	count(filters: Filters, geography: Geography | null): number {
		return this.matches(filters, geography).length;
	}

	/** The rows that match, in canonical order. */
	matching(filters: Filters, geography: Geography | null): readonly NaiveRow[] {
		return this.rowsAt(this.matches(filters, geography));
	}

	/** Places of the rows that match, ascending. Every value of a column is judged once, and every row looked at. */
	private matches(filters: Filters, geography: Geography | null): Uint32Array {
		const asked = filters as FilterValues;
		const tests = FILTERS.filter(({ param }) => asked[param] !== undefined).map((filter) =>
			this.rowTest(filter, asked[filter.param]),
		);
		const places = new Uint32Array(this.rows.length);
		let count = 0;
		for (let place = 0; place < this.rows.length; place++)
			if (allows(geography, this.rows[place]) && tests.every((test) => test(place))) places[count++] = place;
		return places.subarray(0, count);
	}

	/** Whether the row at a place meets a filter: with one of several values, and with none of `not`. */
	private rowTest({ kind, column }: Filter, asked: FilterValue): (place: number) => boolean {
		const wanted = typeof asked === "string" ? [asked] : (asked ?? []);
		if (column === null) {
			const names = wanted as readonly ColumnName[];
			return (place) => names.every((name) => (this.rows[place][name] !== null) === (kind === "present"));
		}
		const { values, folds, valueOfRow } = this.column(column);
		const verdicts = values.map((value, i) =>
			kind === "not"
				? value === null || !wanted.includes(String(value))
				: value !== null &&
					wanted.some(
						(each) =>
							matches(kind, value, folds[i], each) ||
							(column === "member_postal_code" && kind === "exact" && isSamePostalCode(String(value), each)),
					),
		);
		return (place) => verdicts[valueOfRow[place]];
	}

	private rowsAt(places: Uint32Array): NaiveRow[] {
		return Array.from(places, (place) => this.rows[place]);
	}

	/** Position of every row with the state and license number. */
	findLicense(state: string, licenseNumber: string): number[] {
		return [...this.rows.keys()].filter((position) => {
			const row = this.rows[position];
			return row.state === state && row.member_state_license_number === licenseNumber;
		});
	}

	private sort(places: Uint32Array, columns: readonly ColumnName[], descending: boolean): Uint32Array {
		const direction = descending ? -1 : 1;
		const keys = columns.map((name) => {
			const { ranks, valueOfRow } = this.column(name);
			return { ranks, valueOfRow };
		});
		return places.slice().sort((a, b) => {
			for (const { ranks, valueOfRow } of keys) {
				const [left, right] = [ranks[valueOfRow[a]], ranks[valueOfRow[b]]];
				if (left === right) continue;
				// Rows without a value are last in either direction.
				if (left === Number.POSITIVE_INFINITY) return 1;
				if (right === Number.POSITIVE_INFINITY) return -1;
				return direction * (left - right);
			}
			return direction * (a - b);
		});
	}

	private column(name: ColumnName): NaiveColumn {
		const known = this.columns.get(name);
		if (known !== undefined) return known;
		const places = new Map<RowValue, number>();
		const valueOfRow = Uint32Array.from(this.rows, (row) => {
			const place = places.get(row[name]) ?? places.size;
			places.set(row[name], place);
			return place;
		});
		const values = [...places.keys()];
		const folds = values.map((value) => naiveFold(String(value)));
		const column = { values, folds, ranks: ranksOf(values, folds), valueOfRow };
		this.columns.set(name, column);
		return column;
	}
}

/** Place of every value in sort order: numbers by size, text by the code points of its fold. */
function ranksOf(values: readonly RowValue[], folds: readonly string[]): Float64Array {
	const compare = (a: number, b: number) => {
		const [left, right] = [values[a], values[b]];
		if (typeof left === "number" && typeof right === "number") return left - right;
		return compareCodePoints(folds[a], folds[b]);
	};
	const order = [...values.keys()].filter((i) => values[i] !== null).sort(compare);
	const ranks = new Float64Array(values.length).fill(Number.POSITIVE_INFINITY);
	order.forEach((value, i) => {
		const tied = i > 0 && compare(order[i - 1], value) === 0;
		ranks[value] = tied ? ranks[order[i - 1]] : i;
	});
	return ranks;
}

/** Whether a grant reads the row. */
export function allows(geography: Geography | null, row: NaiveRow): boolean {
	if (geography === null) return true;
	return geography.countries.includes(String(row.country)) || geography.states.includes(String(row.state));
}

type FilterValue = string | readonly string[] | undefined;
type FilterValues = Readonly<Record<string, FilterValue>>;

/** Whether two texts are one ZIP+4 or Canadian code, whatever their case and what divides them. */
function isSamePostalCode(a: string, b: string): boolean {
	const [left, right] = [a, b].map((code) => {
		const plain = code.toUpperCase().replace(/^(\d{5})-(\d{4})$/, "$1$2");
		return plain.replace(/^([A-Z]\d[A-Z])[ -](\d[A-Z]\d)$/, "$1$2");
	});
	return left === right && /^(\d{9}|[A-Z]\d[A-Z]\d[A-Z]\d)$/.test(left);
}

function matches(kind: Filter["kind"], value: string | number, fold: string, asked: string): boolean {
	switch (kind) {
		case "prefix":
			return fold.startsWith(naiveFold(asked));
		case "name":
			return naiveMatch(asked, String(value)) !== null;
		case "fold":
			return fold === naiveFold(asked);
		case "from":
			return String(value) >= asked;
		case "to":
			return String(value) <= asked;
		default:
			return value === asked;
	}
}
