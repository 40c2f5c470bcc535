/**
 * The parameters of every endpoint as zod schemas, which validate requests and from which OpenAPI and
 * the tool schemas are generated. Filters derive from the table
 * of filters, sort columns and fields from the column table.
 */

import { z } from "zod";
import {
	COLUMN_NAMES,
	COLUMNS,
	type ColumnName,
	type CountryCode,
	columnNamed,
	DEPTH_MAX,
	FILTER_VALUES_MAX,
	FILTERS,
	type Filter,
	FORMATS,
	filterRule,
	findGroupColumn,
	JURISDICTIONS,
	QUERY_RULES,
	type Rule,
	SORT_COLUMNS,
} from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/schema-rule.js";
import type { ParameterObject } from "../parameters/validation.js";
import { bulkLimitParameter, cursorParameter } from "./bulk-parameters.js";
import {
	country,
	documented,
	integer,
	oneOf,
	type ParameterDoc,
	rowIdentifier,
	state,
	text,
} from "./value-types.js";

const SUGGESTIONS_DEFAULT = 10;
const SUGGESTIONS_MAX = 20;
const SUGGEST_PREFIX_MIN = 2;
const USAGE_DAYS_DEFAULT = 30;
const USAGE_DAYS_MAX = 90;

const STATE_CODES = JURISDICTIONS.map((j) => j.state);
/** `field` of /v1/suggest, by the column it completes over. */
export const SUGGEST_FIELDS: ReadonlyMap<string, ColumnName> = new Map(
	COLUMNS.flatMap((c) => (c.suggest === null ? [] : [[c.suggest, c.name] as const])),
);

const STRING = { type: "string" } as const;

export const snapshotParameter = documented(schemaOfRule(QUERY_RULES.snapshot).optional(), {
	description:
		"Month of the snapshot, YYYY-MM; default: the latest. A prior month needs the history entitlement.",
	schema: { type: "string", pattern: "^\\d{4}-(0[1-9]|1[0-2])$" },
	example: "2026-11",
});

export const fields = documented(schemaOfRule(QUERY_RULES.fields, true).optional(), {
	description: "Columns to return, comma-separated, in this order; default: every column the key may read.",
	schema: STRING,
	json: { type: "array", items: { type: "string", enum: COLUMN_NAMES }, minItems: 1 },
	example: "id,member_full_name,member_license_status",
});

const countryParameter = documented(country().optional(), {
	description: "Country: US or CA.",
	schema: { type: "string", enum: ["US", "CA"] },
	example: "US",
});

export const oneState = documented(state().optional(), {
	description: "State or province code.",
	schema: { type: "string", enum: STATE_CODES },
	example: "CA",
});

/** A filter's schema. */
function filterSchema(filter: Filter): z.ZodType {
	const { kind } = filter;
	if (kind === "country") return countryParameter;
	const description = filterDescription(filter);
	const rule = filterRule(filter);
	if (kind === "from" || kind === "to") return dateFilter(rule, description);
	if (kind === "state")
		return listFilter(rule, `${description} Comma-separated or repeated.`, STATE_CODES, "CA,TX");
	if (filter.column === null)
		return listFilter(rule, `${description} Comma-separated or repeated.`, COLUMN_NAMES);
	const groups = kind === "group" ? findGroupColumn(filter.column)?.groups : undefined;
	const item = groups === undefined ? TEXT_SCHEMA : ({ type: "string", enum: groups } as const);
	if (!filter.repeatable) return documented(schemaOfRule(rule).optional(), { description, schema: item });
	const several = { type: "array", items: item, minItems: 1, maxItems: FILTER_VALUES_MAX } as const;
	return documented(schemaOfRule(rule).optional(), {
		description,
		schema: several,
		json: { anyOf: [item, several] },
	});
}

/** What a filter keeps, in words for both a query string and a tool's arguments. */
function filterDescription(filter: Filter): string {
	const { kind, column, repeatable } = filter;
	const about = column === null ? "" : columnNamed(column).description.replace(/\.$/, "");
	const several = repeatable ? ` Several values: rows of any of them, at most ${FILTER_VALUES_MAX}.` : "";
	switch (kind) {
		case "state":
			return "State or province code, or several: rows of any of them.";
		case "country":
			return "Country: US or CA.";
		case "prefix":
			return `${about}: starts with this, in any letter case.${several}`;
		case "fold":
			return `${about}: this as a whole, in any letter case.`;
		case "name":
			return (
				`${about}: every word given matches a word of the name, in any order: the same but for case, ` +
				"marks, apostrophes, dots and hyphens; a nickname; one letter misspelled in 4 to 7, two in 8 or " +
				"more; the last word also as a prefix. Without `sort`, best match first."
			);
		case "exact":
			return `${exactDescription(filter, about)}${several}`;
		case "group":
			return `${about}: this group. The groups mean the same in every state.${several}`;
		case "not":
			return `${about}: anything but this, rows without one included. Several values: none of them, at most ${FILTER_VALUES_MAX}.`;
		case "present":
			return "Columns that a row must have a value in.";
		case "missing":
			return "Columns that a row must have no value in.";
		case "from":
			return `${about}: on this day or after.`;
		case "to":
			return `${about}: on this day or before.`;
	}
}

function exactDescription({ column, spellings }: Filter, about: string): string {
	if (spellings !== null)
		return `${about}: this, with or without its space or hyphen; a ZIP code does not match ZIP+4 codes, postal_prefix does.`;
	const vocabulary = column === "member_license_status" || column === "member_type";
	return vocabulary
		? `${about}: exactly this. The values differ by state; read them from /v1/stats first.`
		: `${about}: exactly this.`;
}

const TEXT_SCHEMA = { type: "string", minLength: 1, maxLength: 1000 } as const;

function listFilter(
	rule: Rule<unknown>,
	description: string,
	words: readonly string[],
	example?: string,
): z.ZodType {
	const json = { type: "array", items: { type: "string", enum: words }, minItems: 1 } as const;
	return documented(schemaOfRule(rule, true).optional(), {
		description,
		schema: STRING,
		json,
		...(example === undefined ? {} : { example }),
	});
}

function dateFilter(rule: Rule<unknown>, description: string): z.ZodType {
	return documented(schemaOfRule(rule).optional(), {
		description,
		schema: { type: "string", format: "date" },
		example: "2026-01-31",
	});
}

/** Schemas of the filters by parameter name, and after them those of the aliases. */
export function filterShape(): Record<string, z.ZodType> {
	const filters = FILTERS.map((filter) => [filter.param, filterSchema(filter)] as const);
	const aliases = FILTERS.flatMap((filter) => filter.aliases.map((alias) => aliasSchema(alias, filter)));
	return Object.fromEntries([...filters, ...aliases]);
}

function aliasSchema(alias: string, filter: Filter): [string, z.ZodType] {
	const description = `Alias of ${filter.param}; give one of the two.`;
	const several = { type: "array", items: TEXT_SCHEMA, minItems: 1, maxItems: FILTER_VALUES_MAX } as const;
	const json = { anyOf: [TEXT_SCHEMA, several] };
	const schema = schemaOfRule(filterRule(filter)).optional();
	return [alias, documented(schema, { description, schema: several, json })];
}

function withDefault(description: string, schema: ParameterDoc["schema"], json?: ParameterDoc["json"]) {
	return json === undefined ? { description, schema } : { description, schema, json };
}

/** Parameters of `/v1/licenses` after validation; filters as in engine/query.ts. */
export interface LicensesParameters {
	readonly snapshot?: string;
	readonly state?: string[];
	readonly country?: CountryCode;
	readonly sort: ColumnName[];
	readonly order: "asc" | "desc";
	readonly page: number;
	readonly limit: number;
	readonly fields?: ColumnName[];
	readonly count: boolean;
	readonly cursor?: string;
	readonly format: (typeof FORMATS)[number];
	readonly [filter: string]: unknown;
}

const licensesShape = {
	snapshot: snapshotParameter,
	...filterShape(),
	sort: documented(schemaOfRule(QUERY_RULES.sort, true).default(["id"]), {
		description: "Columns to sort by, comma-separated, the most significant first; ties go by id.",
		schema: { type: "string", default: "id" },
		json: { type: "array", items: { type: "string", enum: SORT_COLUMNS }, minItems: 1, default: ["id"] },
		example: "member_last_name,member_first_name",
	}),
	order: documented(
		schemaOfRule(QUERY_RULES.order).default("asc"),
		withDefault("Direction of all sort columns; rows without a value come last in both.", {
			type: "string",
			enum: ["asc", "desc"],
			default: "asc",
		}),
	),
	page: documented(
		schemaOfRule(QUERY_RULES.page).default(1),
		withDefault("Page, from 1. page × limit may not exceed 50,000.", {
			type: "integer",
			minimum: 1,
			maximum: DEPTH_MAX,
			default: 1,
		}),
	),
	limit: bulkLimitParameter,
	fields,
	count: documented(
		schemaOfRule(QUERY_RULES.count).default(true),
		withDefault(
			"false skips the total: total and total_pages are null, and has_next follows from how full the page is.",
			{ type: "boolean", default: true },
		),
	),
	format: documented(
		schemaOfRule(QUERY_RULES.format).default("json"),
		withDefault("Format of the answer.", { type: "string", enum: FORMATS, default: "json" }),
	),
	cursor: cursorParameter,
};

export const licensesParameters = z.strictObject(
	licensesShape,
) as unknown as ParameterObject<LicensesParameters>;

export const licenseParameters = z.strictObject({
	id: documented(rowIdentifier(), {
		description: "Id of the row.",
		schema: { type: "integer" },
	}),
	fields,
});

export const historyParameters = z.strictObject({
	state: documented(state().optional(), {
		description: "State or province code; together with license_number.",
		schema: { type: "string", enum: STATE_CODES },
		example: "CA",
	}),
	license_number: documented(text().optional(), {
		description: "License number, exactly; together with state.",
		schema: { type: "string", minLength: 1, maxLength: 1000 },
		example: "01234567",
	}),
	id: documented(rowIdentifier().optional(), {
		description: "Instead of state and license_number: the id of any row of the license.",
		schema: { type: "integer" },
	}),
	fields,
});

export const statesParameters = z.strictObject({ country: countryParameter, snapshot: snapshotParameter });

export const statsParameters = z.strictObject({
	snapshot: snapshotParameter,
	state: documented(state().optional(), {
		description: "State or province code: the aggregates of its rows alone.",
		schema: { type: "string", enum: STATE_CODES },
		example: "CA",
	}),
});

export const suggestParameters = z.strictObject({
	field: documented(oneOf(...SUGGEST_FIELDS.keys()), {
		description: "What to complete.",
		schema: { type: "string", enum: [...SUGGEST_FIELDS.keys()] },
		example: "city",
	}),
	q: documented(text(SUGGEST_PREFIX_MIN), {
		description: "What the value starts with, in any letter case.",
		schema: { type: "string", minLength: SUGGEST_PREFIX_MIN, maxLength: 1000 },
		example: "San",
	}),
	state: oneState,
	snapshot: snapshotParameter,
	limit: documented(
		integer(1, SUGGESTIONS_MAX).default(SUGGESTIONS_DEFAULT),
		withDefault("Maximum suggestions to return.", {
			type: "integer",
			minimum: 1,
			maximum: SUGGESTIONS_MAX,
			default: SUGGESTIONS_DEFAULT,
		}),
	),
});

export const usageParameters = z.strictObject({
	days: documented(
		integer(1, USAGE_DAYS_MAX).default(USAGE_DAYS_DEFAULT),
		withDefault("Days to report, including today.", {
			type: "integer",
			minimum: 1,
			maximum: USAGE_DAYS_MAX,
			default: USAGE_DAYS_DEFAULT,
		}),
	),
});

export const noParameters = z.strictObject({});
