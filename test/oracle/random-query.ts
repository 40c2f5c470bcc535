/**
 * Random queries on a random month: every filter, any columns to sort by, both orders, pages at and past
 * the ends, with and without count and grant. Values are mostly the month's own, whole, truncated or in
 * another spelling, so that answers are seldom empty.
 *
 * A query is made from one 32-bit seed and the values to draw from.
 */

import type { Filters, Geography, Projection, Query } from "../../engine/query.js";
import {
	askedNameFault,
	COLUMNS,
	type ColumnName,
	DATE_RANGES,
	type DateRange,
	FILTERS,
	type Filter,
	JURISDICTIONS,
	nameCompounds,
	SORTABLE_COLUMNS,
} from "../../formats/index.js";
import type { Draw } from "./draw.js";
import type { NaiveRow } from "./naive-rows.js";

/** Rows to draw values from. */
export interface RowSource {
	readonly rowCount: number;
	row(place: number): NaiveRow;
}

/** The month that a query is for. */
export interface QuerySource extends RowSource {
	/** Rows that match. */
	count(filters: Filters, geography: Geography | null): number;
}

/** Each filter occurs once in so many queries. */
export interface QueryShape {
	readonly oneFilterIn: number;
	/** Most rows of a page. */
	readonly limitMax: number;
}

const SMALL_SHAPE: QueryShape = { oneFilterIn: 5, limitMax: 1000 };

const SORTS: readonly ColumnName[] = SORTABLE_COLUMNS.map((c) => c.name);

/** A query on `month`, which must have rows. Its page lies mostly inside the answer, often at its ends. */
export function randomQuery(month: QuerySource, draw: Draw, shape: QueryShape = SMALL_SHAPE): Query {
	const filters = randomFilters(new Source(month, draw), draw, shape);
	const asked = {
		filters,
		sort: filters.name !== undefined && draw.oneIn(2) ? [] : randomSort(draw),
		order: draw.pick(["asc", "desc"] as const),
		count: !draw.oneIn(4),
		geography: draw.oneIn(3) ? randomGeography(month, draw) : null,
	};
	return { ...asked, ...randomPage(month.count(asked.filters, asked.geography), draw, shape) };
}

/** A page of `total` rows, mostly inside them and often at their ends. */
export function randomPage(
	total: number,
	draw: Draw,
	{ limitMax }: QueryShape,
): Pick<Query, "page" | "limit"> {
	const wanted = draw.pick([1, 2, 3, 7, 10, 100, 1000, total - 1, total, total + 1]);
	const limit = Math.max(1, Math.min(wanted, limitMax));
	const lastPage = Math.max(1, Math.ceil(total / limit));
	const page = draw.pick([1, 1, 2, draw.below(lastPage) + 1, lastPage, lastPage, lastPage + 1]);
	return { page, limit };
}

/** Columns to sort by, often one or two. */
export function randomSort(draw: Draw): ColumnName[] {
	if (draw.oneIn(6)) return ["id"];
	return Array.from({ length: 1 + draw.below(draw.oneIn(3) ? 4 : 2) }, () => draw.pick(SORTS));
}

/** Source of a query's values: mostly one row, so that all filters together have a match. */
class Source {
	private readonly anchor: NaiveRow;
	private readonly oneOtherIn: number;

	constructor(
		private readonly rows: RowSource,
		private readonly draw: Draw,
	) {
		this.anchor = this.anyRow();
		this.oneOtherIn = draw.pick([2, 10, 1000]);
	}

	private anyRow(): NaiveRow {
		return this.rows.row(this.draw.below(this.rows.rowCount));
	}

	/**
	 * The column's value in the anchor or some other row; where that has none, a text that few columns
	 * have.
	 */
	value(name: ColumnName): string {
		const row = this.draw.oneIn(this.oneOtherIn) ? this.anyRow() : this.anchor;
		return String(row[name] ?? "x");
	}

	/** Whether the anchor lacks such a value. */
	lacks(name: ColumnName): boolean {
		return this.anchor[name] === null;
	}

	/** The column's value in some other row, seldom that of the anchor. */
	other(name: ColumnName): string {
		const value = String(this.anyRow()[name] ?? "x");
		return value === this.anchor[name] && !this.draw.oneIn(6) ? `${value}y` : value;
	}

	/** Columns in which the anchor lacks a value, or has one; seldom any. */
	columns(isMissing: boolean): string[] {
		const names = COLUMNS.map((c) => c.name);
		const fitting = names.filter((name) => (this.anchor[name] === null) === isMissing);
		const from = fitting.length === 0 || this.draw.oneIn(8) ? names : fitting;
		return [...new Set(Array.from({ length: 1 + this.draw.below(2) }, () => this.draw.pick(from)))];
	}

	states(): string[] {
		const known = Array.from({ length: this.draw.below(4) }, () => String(this.anyRow().state));
		const unknown = this.draw.oneIn(5) ? [this.draw.pick(JURISDICTIONS).state] : [];
		return [...known, ...unknown, this.value("state")];
	}
}

function randomFilters(source: Source, draw: Draw, shape: QueryShape): Filters {
	const filters: Record<string, string | string[]> = {};
	// Extensions half as often, so that a query has no more filters than it can meet.
	const isDrawn = (column: ColumnName | null, isExtension = false) =>
		draw.oneIn(shape.oneFilterIn * (isExtension ? 2 : 1)) &&
		(column === null || !source.lacks(column) || draw.oneIn(6));
	for (const filter of FILTERS) {
		const { column, kind } = filter;
		if (kind === "from" || kind === "to") continue;
		// What excludes rows takes other values than the anchor's, whether or not that has one.
		const isWanted = isDrawn(kind === "not" ? null : column, filter.extension);
		if (isWanted) filters[filter.param] = randomValue(filter, source, draw);
	}
	for (const range of DATE_RANGES) {
		if (isDrawn(range.column)) Object.assign(filters, randomRange(range, source, draw));
	}
	return filters;
}

function randomValue({ column, kind, repeatable }: Filter, source: Source, draw: Draw): string | string[] {
	if (column === null) return source.columns(kind === "missing");
	if (kind === "name") return askedName(source.value(column), draw);
	if (kind === "state") return source.states();
	if (kind === "not") return several(() => source.other(column), draw);
	const value = () => asked(source.value(column), kind === "prefix" ? "prefix" : "exact", draw);
	return repeatable && draw.oneIn(3) ? several(value, draw) : value();
}

/** One value, or up to a few, as the API passes them on. */
function several(value: () => string, draw: Draw): string | string[] {
	const values = [...new Set(Array.from({ length: 1 + draw.below(4) }, value))];
	return values.length === 1 ? values[0] : values;
}

/** Some words of a name, cut short, respelled, in another order, or one of them several times. */
function askedName(name: string, draw: Draw): string {
	const words = name.split(/[ ,]+/).filter(() => !draw.oneIn(4));
	if (words.length > 0 && draw.oneIn(6))
		words.push(...Array<string>(1 + draw.below(3)).fill(draw.pick(words)));
	const text = (draw.oneIn(2) ? words.reverse() : words).join(draw.oneIn(6) ? ", " : " ");
	const cut = draw.oneIn(3) ? Array.from(text).slice(0, -1).join("") : text;
	const respelled = draw.oneIn(3) ? respell(cut, draw) : cut;
	return askedNameFault(nameCompounds(respelled)) === null ? respelled : "x";
}

function randomRange({ column, from, to }: DateRange, source: Source, draw: Draw): Record<string, string> {
	const bounds = [source.value(column), source.value(column)].map((date) => shiftDate(date, draw));
	const [after, before] = bounds.sort();
	const kind = draw.below(3);
	return { ...(kind === 0 ? {} : { [from]: after }), ...(kind === 1 ? {} : { [to]: before }) };
}

/** `date` or an adjacent day; text that is not a date becomes one. */
function shiftDate(date: string, draw: Draw): string {
	const time = Date.parse(date);
	if (Number.isNaN(time)) return draw.pick(["2026-11-30", "0001-01-01", "9999-12-31"]);
	const shifted = new Date(time + draw.pick([0, 0, 0, -1, 1, 400]) * 86_400_000);
	const year = shifted.getUTCFullYear();
	return year < 1 || year > 9999 ? date : shifted.toISOString().slice(0, 10);
}

function asked(value: string, match: "exact" | "prefix", draw: Draw): string {
	if (draw.oneIn(12)) return respell(value, draw);
	if (match === "exact") return value;
	const cut = Array.from(value).slice(0, 1 + draw.below(4));
	return draw.oneIn(3) ? respell(cut.join(""), draw) : cut.join("");
}

function respell(text: string, draw: Draw): string {
	return draw.pick([
		text.toUpperCase(),
		text.toLowerCase(),
		text.normalize("NFD"),
		text.normalize("NFC"),
		`${text}z`,
	]);
}

/** A grant of some countries and some states, sometimes of nothing. */
export function randomGeography(rows: RowSource, draw: Draw): Geography {
	return {
		countries: draw.oneIn(2) ? [] : [draw.pick(["US", "CA"])],
		states: draw.oneIn(4) ? [] : new Source(rows, draw).states(),
	};
}

/** Some columns or all of them, masked or not. */
export function randomProjection(draw: Draw): Projection {
	const names = COLUMNS.map((c) => c.name);
	const chosen = draw.oneIn(2) ? names : draw.some(names, names.length);
	const columns = names.filter((name) => chosen.includes(name));
	return { columns: columns.length === 0 ? ["id"] : columns, masked: draw.oneIn(2) };
}
