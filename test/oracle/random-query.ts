/**
 * Random queries on a random month: every filter, any columns to sort by, both orders, pages at and
 * past the ends, with and without count and grant. Values are mostly the month's own, whole, cut
 * short or spelled otherwise, so that answers are seldom empty.
 *
 * A query is made from one 32-bit seed and what there is to draw from.
 */

import type { Filters, Geography, Projection, Query } from "../../engine/query.js";
import { COLUMNS, type ColumnName, JURISDICTIONS, SORTABLE_COLUMNS } from "../../formats/index.js";
import type { Draw } from "./draw.js";
import type { NaiveRow } from "./naive-rows.js";

/** A filter is asked for once in so many. */
export interface QueryShape {
	readonly oneFilterIn: number;
	/** Most rows of a page. */
	readonly limitMax: number;
}

export const SMALL_SHAPE: QueryShape = { oneFilterIn: 5, limitMax: 1000 };

const SORTS: readonly ColumnName[] = SORTABLE_COLUMNS.map((c) => c.name);

/** A query on `rows`, which must not be empty. */
export function randomQuery(rows: readonly NaiveRow[], draw: Draw, shape: QueryShape = SMALL_SHAPE): Query {
	const limit = draw.pick([1, 2, 3, 7, 10, 100, rows.length - 1, rows.length, rows.length + 1]);
	const limited = Math.max(1, Math.min(limit, shape.limitMax));
	const lastPage = Math.ceil(rows.length / limited);
	return {
		filters: randomFilters(rows, draw, shape),
		sort: randomSort(draw),
		order: draw.pick(["asc", "desc"]),
		page: draw.pick([1, 1, 1, 2, 3, draw.below(lastPage) + 1, lastPage, lastPage + 1]),
		limit: limited,
		count: !draw.oneIn(4),
		geography: draw.oneIn(3) ? randomGeography(rows, draw) : null,
	};
}

function randomSort(draw: Draw): ColumnName[] {
	if (draw.oneIn(6)) return ["id"];
	return Array.from({ length: 1 + draw.below(draw.oneIn(3) ? 4 : 2) }, () => draw.pick(SORTS));
}

function randomFilters(rows: readonly NaiveRow[], draw: Draw, shape: QueryShape): Filters {
	const filters: Record<string, string | string[]> = {};
	for (const { name, filter } of COLUMNS) {
		if (filter === null) continue;
		if (filter.match === "range") {
			addRange(
				filters,
				filter.param,
				[0, 1].map(() => someValue(rows, name, draw)),
				draw,
				shape,
			);
		} else if (draw.oneIn(shape.oneFilterIn)) {
			filters[filter.param] =
				filter.match === "list" ? someStates(rows, draw) : asked(rows, name, filter.match, draw);
		}
	}
	return filters;
}

function addRange(
	filters: Record<string, string | string[]>,
	param: string,
	values: readonly string[],
	draw: Draw,
	shape: QueryShape,
): void {
	if (!draw.oneIn(shape.oneFilterIn)) return;
	const [after, before] = values.map((value) => shiftDate(value, draw)).sort();
	const kind = draw.below(4);
	if (kind !== 0) filters[`${param}_after`] = after;
	if (kind !== 1) filters[`${param}_before`] = before;
}

/** `date` or a day beside it; any text that is no date becomes one. */
function shiftDate(date: string, draw: Draw): string {
	const time = Date.parse(date);
	if (Number.isNaN(time)) return draw.pick(["2026-11-30", "0001-01-01", "9999-12-31"]);
	const days = draw.pick([0, 0, 0, -1, 1, 400]);
	const shifted = new Date(time + days * 86_400_000);
	return shifted.getUTCFullYear() < 1 || shifted.getUTCFullYear() > 9999
		? date
		: shifted.toISOString().slice(0, 10);
}

/** A value of the column in some row; where that has none, a text that few columns have. */
function someValue(rows: readonly NaiveRow[], name: ColumnName, draw: Draw): string {
	return String(draw.pick(rows)[name] ?? "x");
}

function asked(rows: readonly NaiveRow[], name: ColumnName, match: "exact" | "prefix", draw: Draw): string {
	if (name === "country") return draw.pick(["US", "US", "CA"]);
	const value = someValue(rows, name, draw);
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

function someStates(rows: readonly NaiveRow[], draw: Draw): string[] {
	const known = Array.from({ length: 1 + draw.below(4) }, () => String(draw.pick(rows).state));
	return draw.oneIn(5) ? [...known, draw.pick(JURISDICTIONS).state] : known;
}

/** A grant of some countries and some states, now and then of nothing. */
export function randomGeography(rows: readonly NaiveRow[], draw: Draw): Geography {
	return {
		countries: draw.oneIn(2) ? [] : [draw.pick(["US", "CA"])],
		states: draw.oneIn(4) ? [] : someStates(rows, draw),
	};
}

/** Some columns or all of them, masked or not. */
export function randomProjection(draw: Draw): Projection {
	const names = COLUMNS.map((c) => c.name);
	const chosen = draw.oneIn(2) ? names : draw.some(names, names.length);
	const columns = names.filter((name) => chosen.includes(name));
	return { columns: columns.length === 0 ? ["id"] : columns, masked: draw.oneIn(2) };
}
