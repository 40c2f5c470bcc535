/**
 * The naive scan, column by column (docs/API.md §7.8): look at every row, keep what matches, sort all that is
 * kept. Every distinct value is judged once and every row looked up in the verdicts, so that months of hundreds
 * of thousands of rows can be scanned thousands of times.
 */

import type { Filters, Geography } from "../../engine/query.js";
import { type ColumnName, FILTERS, type Filter } from "../../formats/index.js";
import { compareCodePoints, naiveFold } from "./code-points.js";
import { naiveMatch } from "./naive-names.js";
import type { RowValue } from "./naive-rows.js";

/** A column's distinct values, and which of them each row has. */
export interface NaiveColumn {
	readonly values: readonly RowValue[];
	/** The fold of each value that is text. */
	readonly folds: readonly string[];
	/** Place of each value in sort order; values of equal fold share one, null is infinitely far. */
	readonly ranks: Float64Array;
	/** By row: index into the three above. */
	readonly valueOfRow: Uint32Array;
}

/** The column that has `values`, each once, at the indexes that the rows have. */
export function naiveColumn(values: readonly RowValue[], valueOfRow: Uint32Array): NaiveColumn {
	const folds = values.map((value) => naiveFold(String(value)));
	return { values, folds, ranks: ranksOf(values, folds), valueOfRow };
}

export class NaiveColumns {
	constructor(
		readonly rows: number,
		/** A column by name; the same object each time. */
		readonly column: (name: ColumnName) => NaiveColumn,
	) {}

	/** The value of a row. */
	value(place: number, name: ColumnName): RowValue {
		const { values, valueOfRow } = this.column(name);
		return values[valueOfRow[place]];
	}

	/** Places of the rows that match, ascending: those that each test in turn leaves. */
	matches(filters: Filters, geography: Geography | null): Uint32Array {
		const asked = filters as FilterValues;
		const tests = FILTERS.flatMap((filter) => {
			const value = asked[filter.param];
			return value === undefined ? [] : this.verdicts(filter, value);
		});
		if (geography !== null) tests.push(this.grantVerdicts(geography));
		const places = new Uint32Array(this.rows);
		for (let place = 0; place < this.rows; place++) places[place] = place;
		let count = this.rows;
		for (const { verdicts, valueOfRow } of tests) {
			let kept = 0;
			for (let i = 0; i < count; i++) {
				const place = places[i];
				if (verdicts[valueOfRow[place]] === 1) places[kept++] = place;
			}
			count = kept;
		}
		return places.subarray(0, count);
	}

	/** Places in the order of `columns`, then by place: the least significant first, each order stable. */
	sort(places: Uint32Array, columns: readonly ColumnName[], descending: boolean): Uint32Array {
		let sorted: Uint32Array = places.slice();
		if (descending) sorted.reverse();
		for (const name of [...columns].reverse()) {
			const column = this.column(name);
			const keys = sortKeys(column, descending);
			sorted = sortedBy(sorted, keys, column);
		}
		return sorted;
	}

	/** Places of rows by what their match of `name` costs, then the words besides, then id. */
	bestFirst(places: Uint32Array, name: string, descending: boolean): Uint32Array {
		const { values, valueOfRow } = this.column("member_full_name");
		const known = new Map<number, number>();
		const costOf = (place: number) => {
			const value = valueOfRow[place];
			let cost = known.get(value);
			if (cost === undefined) {
				const match = naiveMatch(name, String(values[value]));
				cost = match === null ? 0 : match.cost * 16 + match.extra;
				known.set(value, cost);
			}
			return cost;
		};
		const sorted = places.slice().sort((a, b) => costOf(a) - costOf(b) || a - b);
		return descending ? sorted.reverse() : sorted;
	}

	/** By value of a column, whether it meets a filter: is one of several values, and with `not` none of them. */
	private verdicts({ kind, column }: Filter, asked: FilterValue): Verdicts[] {
		const wanted = typeof asked === "string" ? [asked] : asked;
		if (column === null)
			return (wanted as readonly ColumnName[]).map((name) => {
				const { values, valueOfRow } = this.column(name);
				const verdicts = new Uint8Array(values.length);
				for (let i = 0; i < values.length; i++)
					verdicts[i] = Number((values[i] !== null) === (kind === "present"));
				return { verdicts, valueOfRow };
			});
		const { values, folds, valueOfRow } = this.column(column);
		const excluded = new Set(wanted);
		const foldsWanted = wanted.map(naiveFold);
		const isMet = (value: RowValue, fold: string) =>
			kind === "not"
				? value === null || !excluded.has(String(value))
				: value !== null &&
					wanted.some(
						(each, i) =>
							matches(kind, value, fold, each, foldsWanted[i]) ||
							(column === "member_postal_code" && kind === "exact" && isSamePostalCode(String(value), each)),
					);
		const verdicts = new Uint8Array(values.length);
		for (let i = 0; i < values.length; i++) verdicts[i] = Number(isMet(values[i], folds[i]));
		return [{ verdicts, valueOfRow }];
	}

	/** By state, whether a grant reads its rows. */
	private grantVerdicts({ countries, states }: Geography): Verdicts {
		const { values, valueOfRow } = this.column("state");
		const country = this.column("country");
		const verdicts = Uint8Array.from(values, (value) => Number(states.includes(String(value))));
		const isGranted = country.values.map((value) => countries.includes(String(value)));
		for (let place = 0; place < this.rows; place++) {
			if (isGranted[country.valueOfRow[place]]) verdicts[valueOfRow[place]] = 1;
		}
		return { verdicts, valueOfRow };
	}
}

/** Keys of a column's values, ascending and descending, once made. */
const knownKeys = new WeakMap<Float64Array, Map<boolean, Uint32Array>>();

/** Values in sort order, rows without a value last in either direction. */
function sortKeys({ ranks, values }: NaiveColumn, descending: boolean): Uint32Array {
	const known = knownKeys.get(ranks) ?? new Map<boolean, Uint32Array>();
	knownKeys.set(ranks, known);
	let keys = known.get(descending);
	if (keys === undefined) {
		const last = values.length;
		keys = new Uint32Array(last);
		for (let i = 0; i < last; i++)
			keys[i] = ranks[i] === Number.POSITIVE_INFINITY ? last : descending ? last - 1 - ranks[i] : ranks[i];
		known.set(descending, keys);
	}
	return keys;
}

/** Places by the keys of their values, those of one key in the order given: a counting sort. */
function sortedBy(places: Uint32Array, keys: Uint32Array, { valueOfRow, values }: NaiveColumn): Uint32Array {
	const keyOfPlace = new Uint32Array(places.length);
	for (let i = 0; i < places.length; i++) keyOfPlace[i] = keys[valueOfRow[places[i]]];
	const ends = new Uint32Array(values.length + 2);
	for (let i = 0; i < places.length; i++) ends[keyOfPlace[i] + 1]++;
	for (let key = 1; key < ends.length; key++) ends[key] += ends[key - 1];
	const sorted = new Uint32Array(places.length);
	for (let i = 0; i < places.length; i++) sorted[ends[keyOfPlace[i]]++] = places[i];
	return sorted;
}

/** Whether each value of a column is wanted, 1 or 0, and the value of each row. */
interface Verdicts {
	readonly verdicts: Uint8Array;
	readonly valueOfRow: Uint32Array;
}

type FilterValue = string | readonly string[];
type FilterValues = Readonly<Record<string, FilterValue | undefined>>;

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

/** Whether two texts are one ZIP+4 or Canadian code, whatever their case and what divides them. */
function isSamePostalCode(a: string, b: string): boolean {
	const [left, right] = [a, b].map((code) => {
		const plain = code.toUpperCase().replace(/^(\d{5})-(\d{4})$/, "$1$2");
		return plain.replace(/^([A-Z]\d[A-Z])[ -](\d[A-Z]\d)$/, "$1$2");
	});
	return left === right && /^(\d{9}|[A-Z]\d[A-Z]\d[A-Z]\d)$/.test(left);
}

function matches(
	kind: Filter["kind"],
	value: string | number,
	fold: string,
	asked: string,
	askedFold: string,
): boolean {
	switch (kind) {
		case "prefix":
			return fold.startsWith(askedFold);
		case "name":
			return naiveMatch(asked, String(value)) !== null;
		case "fold":
			return fold === askedFold;
		case "from":
			return String(value) >= asked;
		case "to":
			return String(value) <= asked;
		default:
			return value === asked;
	}
}
