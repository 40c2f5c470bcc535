/**
 * Queries as arguments of builder commands: query strings of /v1/licenses, parsed by the API's rules
 * (formats/domain/filters.ts, formats/parameters/).
 */

import { DEFAULT_QUERY, type Query } from "../../engine/index.js";
import {
	type ColumnName,
	decodeQuery,
	depthFault,
	FILTERS,
	FILTERS_BY_NAME,
	type Filters,
	filterFault,
	filterRule,
	ParameterError,
	QUERY_RULES,
	type RawParameters,
	type Rule,
	RuleViolation,
	unknownParametersText,
} from "../../formats/index.js";
import { BuildError } from "../errors.js";

export interface AskedQuery {
	/** `YYYY-MM`; null for the newest. */
	readonly month: string | null;
	readonly query: Query;
}

type QueryParameter = keyof typeof QUERY_RULES;

/** Parameters that select and order rows. Each command adds the paging and format parameters that it allows. */
const ROW_PARAMETERS: readonly QueryParameter[] = ["snapshot", "sort", "order"];

/**
 * Parses a query string with filters, `snapshot`, `sort`, `order` and the parameters in `also`. Throws
 * {@link BuildError} `bad_query` with the API's message.
 */
export function parseQueryText(text: string, also: readonly QueryParameter[] = []): AskedQuery {
	const allowed = [...ROW_PARAMETERS, ...also];
	const rules = Object.fromEntries(allowed.map((name) => [name, QUERY_RULES[name] as Rule<unknown>]));
	const { values, filters } = readFilters(text, rules);
	const { snapshot, sort, order, page, limit, count } = values as Values;
	const query: Query = {
		...DEFAULT_QUERY,
		filters,
		// An empty list sorts rows that match a name by best match.
		sort: sort ?? (filters.name === undefined ? DEFAULT_QUERY.sort : []),
		order: order ?? DEFAULT_QUERY.order,
		page: page ?? DEFAULT_QUERY.page,
		limit: limit ?? DEFAULT_QUERY.limit,
		count: count ?? DEFAULT_QUERY.count,
	};
	const tooDeep = depthFault(query.page, query.limit);
	if (tooDeep !== null) throw new BuildError("bad_query", tooDeep);
	return { month: snapshot ?? null, query };
}

interface Values {
	readonly snapshot?: string;
	readonly sort?: ColumnName[];
	readonly order?: "asc" | "desc";
	readonly page?: number;
	readonly limit?: number;
	readonly count?: boolean;
}

/**
 * Parses a query string with filters and the parameters of `rules`: typed values by the names given, and the
 * filters among them. Throws {@link BuildError} `bad_query`.
 */
export function readFilters(
	text: string,
	rules: Readonly<Record<string, Rule<unknown>>>,
): { readonly values: Readonly<Record<string, unknown>>; readonly filters: Filters } {
	const values = readValues(decode(text, rules), rules);
	const fault = filterFault(values);
	if (fault !== null) throw new BuildError("bad_query", fault.message);
	return { values, filters: filtersOf(values) };
}

function decode(text: string, rules: Readonly<Record<string, Rule<unknown>>>): RawParameters {
	const isList = (name: string) => Object.hasOwn(rules, name) && rules[name].list !== undefined;
	try {
		return decodeQuery(text, undefined, undefined, isList);
	} catch (error) {
		if (!(error instanceof ParameterError)) throw error;
		const { param, message } = error;
		throw param === null || FILTERS_BY_NAME.has(param) || Object.hasOwn(rules, param)
			? new BuildError("bad_query", message)
			: unknownParameter(param, rules);
	}
}

function unknownParameter(name: string, rules: Readonly<Record<string, Rule<unknown>>>): BuildError {
	const known = [...Object.keys(rules), ...FILTERS_BY_NAME.keys()];
	return new BuildError("bad_query", unknownParametersText([name], known));
}

/** Each parameter's typed value, by the name or alias given. */
function readValues(
	given: RawParameters,
	rules: Readonly<Record<string, Rule<unknown>>>,
): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	given.names.forEach((name, i) => {
		const filter = FILTERS_BY_NAME.get(name);
		const rule = filter === undefined ? rules[name] : filterRule(filter);
		if (rule === undefined) throw unknownParameter(name, rules);
		const value = rule(given.values[i]);
		if (value instanceof RuleViolation) throw new BuildError("bad_query", `${name} ${value.message}`);
		values[name] = value;
	});
	return values;
}

/** The filters among `values`, with aliases resolved, in the order of the filter table. */
function filtersOf(values: Readonly<Record<string, unknown>>): Filters {
	return Object.fromEntries(
		FILTERS.flatMap(({ param, aliases }) => {
			const name = [param, ...aliases].find((each) => values[each] !== undefined);
			return name === undefined ? [] : [[param, values[name]]];
		}),
	);
}
