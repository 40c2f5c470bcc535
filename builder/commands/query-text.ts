/** Queries as the builder's commands take them: the query string of /v1/licenses. */

import {
	DEFAULT_QUERY,
	type Filters,
	type Library,
	openLibrary,
	type Query,
	type Snapshot,
} from "../../engine/index.js";
import { COLUMNS, type ColumnName, isIsoDate, SORTABLE_COLUMNS } from "../../formats/index.js";
import { BuildError } from "../errors.js";

export interface AskedQuery {
	/** `YYYY-MM`; null for the newest. */
	readonly month: string | null;
	readonly query: Query;
}

const FILTER_NAMES = new Set(
	COLUMNS.flatMap(({ filter }) => {
		if (filter === null) return [];
		return filter.match === "range" ? [`${filter.param}_after`, `${filter.param}_before`] : [filter.param];
	}),
);

/** The query that a query string names. Throws {@link BuildError} `bad_query`. */
export function parseQueryText(text: string): AskedQuery {
	const filters: Record<string, string | string[]> = {};
	let query = DEFAULT_QUERY;
	let month: string | null = null;
	for (const [name, value] of new URLSearchParams(text)) {
		if (name === "snapshot") month = value;
		else if (name === "sort") query = { ...query, sort: sortColumns(value) };
		else if (name === "order") query = { ...query, order: value === "desc" ? "desc" : "asc" };
		else if (name === "page" || name === "limit")
			query = { ...query, [name]: Math.max(1, Number(value) || 1) };
		else if (name === "state") filters.state = value.toUpperCase().split(",");
		else if (FILTER_NAMES.has(name)) filters[name] = checkDate(name, value);
		else throw new BuildError("bad_query", `${name} is no parameter of a query`);
	}
	return { month, query: { ...query, filters: filters as Filters } };
}

/** The published month that a query asks. Throws {@link BuildError} `not_published`, FormatError for a damaged one. */
export function openAsked(dataFolder: string, month: string | null): Snapshot {
	const library: Library = openLibrary({ dataFolder });
	const snapshot = month === null ? library.latest : library.find(month);
	if (snapshot !== null && snapshot !== undefined) return snapshot;
	const failed = library.failed.find((f) => month === null || f.month === month);
	if (failed !== undefined) throw failed.error;
	throw new BuildError("not_published", `${month ?? "no month"} is published in ${dataFolder}`);
}

function sortColumns(value: string): ColumnName[] {
	return value.split(",").map((name) => {
		const column = SORTABLE_COLUMNS.find((c) => c.name === name);
		if (column === undefined) throw new BuildError("bad_query", `${name} cannot be sorted by`);
		return column.name;
	});
}

function checkDate(name: string, value: string): string {
	if (/_(after|before)$/.test(name) && !isIsoDate(value)) {
		throw new BuildError("bad_query", `${name} is ${value}, expected a date YYYY-MM-DD`);
	}
	return value;
}
