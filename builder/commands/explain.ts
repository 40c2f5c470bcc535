/** `builder explain`: how the engine would answer a query. */

import { Command } from "commander";
import { DEFAULT_QUERY, type Filters, formatPlan, openLibrary, type Query } from "../../engine/index.js";
import { COLUMNS, type ColumnName, isIsoDate, SORTABLE_COLUMNS } from "../../formats/index.js";
import { printJson } from "../command-line.js";
import { BuildError } from "../errors.js";

export function explainCommand(): Command {
	return new Command("explain")
		.description("print how a query would be answered")
		.argument("<query>", "query string of /v1/licenses, such as 'state=CA&sort=office_name'")
		.requiredOption("--data <dir>", "data folder")
		.option("--json", "print one JSON document", false)
		.action((text: string, flags: { data: string; json: boolean }) => {
			const { month, query } = parseQuery(text);
			const library = openLibrary({ dataFolder: flags.data });
			const snapshot = month === null ? library.latest : library.find(month);
			if (snapshot === null || snapshot === undefined) {
				throw new BuildError("not_published", `${month ?? "no month"} is published in ${flags.data}`);
			}
			const plan = snapshot.explain(query);
			if (flags.json) printJson(plan);
			else process.stdout.write(formatPlan(plan));
		});
}

const FILTER_NAMES = new Set(
	COLUMNS.flatMap(({ filter }) => {
		if (filter === null) return [];
		return filter.match === "range" ? [`${filter.param}_after`, `${filter.param}_before`] : [filter.param];
	}),
);

/** The query that a query string names. Throws {@link BuildError} `bad_query`. */
function parseQuery(text: string): { month: string | null; query: Query } {
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
		else throw new BuildError("bad_query", `${name} is no parameter that explain knows`);
	}
	return { month, query: { ...query, filters: filters as Filters } };
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
