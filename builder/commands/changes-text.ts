/** Questions for changes as arguments of builder commands: query strings of /v1/changes, parsed by the API's rules. */

import {
	CHANGE_KINDS,
	type ChangeKind,
	type ChangesQuery,
	FILTERED_ROWS,
	type FilteredRow,
} from "../../engine/index.js";
import {
	CHANGE_FIELDS,
	type ColumnName,
	columnListRule,
	monthRule,
	oneOfRule,
	PAGE_LIMIT_DEFAULT,
	QUERY_RULES,
	TRACKED_COLUMNS,
	wordListRule,
} from "../../formats/index.js";
import { BuildError } from "../errors.js";
import { readFilters } from "./query-text.js";

export interface AskedChanges {
	/** `YYYY-MM`; null for the newest before `to`. */
	readonly from: string | null;
	/** `YYYY-MM`; null for the newest. */
	readonly to: string | null;
	readonly query: ChangesQuery;
}

const TRACKED = TRACKED_COLUMNS.map(({ name }) => name);

const RULES = {
	from: monthRule,
	to: monthRule,
	kind: wordListRule("kind", CHANGE_KINDS),
	field: columnListRule("tracked column", CHANGE_FIELDS),
	filters_on: oneOfRule(...FILTERED_ROWS),
	limit: QUERY_RULES.limit,
};

interface Values {
	readonly from?: string;
	readonly to?: string;
	readonly kind?: ChangeKind[];
	readonly field?: ColumnName[];
	readonly filters_on?: FilteredRow;
	readonly limit?: number;
}

/** Parses a query string with filters, `from`, `to`, `kind`, `field`, `filters_on` and `limit`. Throws {@link BuildError} `bad_query`. */
export function parseChangesText(text: string): AskedChanges {
	const { values, filters } = readFilters(text, RULES);
	const { from = null, to = null, kind, field, limit = PAGE_LIMIT_DEFAULT } = values as Values;
	const { filters_on: filtersOn = "newer" } = values as Values;
	if (from !== null && to !== null && from >= to)
		throw new BuildError("bad_query", `from ${from} is not before to ${to}`);
	const kinds = kind ?? (field === undefined ? CHANGE_KINDS : (["changed"] as const));
	const fields = field ?? TRACKED;
	const query = { filters, filtersOn, geography: null, kinds, fields, after: null, limit };
	return { from, to, query };
}
