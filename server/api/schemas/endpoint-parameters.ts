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
	FILTERS,
	type Filter,
	FORMATS,
	filterRule,
	findGroupColumn,
	JURISDICTIONS,
	PAGE_LIMIT_DEFAULT,
	PAGE_LIMIT_MAX,
	QUERY_RULES,
	type Rule,
	SORT_COLUMNS,
} from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/rule.js";
import type { ParameterObject } from "../parameters/validation.js";
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

export const SUGGESTIONS_DEFAULT = 10;
export const SUGGESTIONS_MAX = 20;
export const SUGGEST_PREFIX_MIN = 2;
export const USAGE_DAYS_DEFAULT = 30;
export const USAGE_DAYS_MAX = 90;

const STATE_CODES = JURISDICTIONS.map((j) => j.state);
/** `field` of /v1/suggest, by the column it completes over. */
export const SUGGEST_FIELDS: ReadonlyMap<string, ColumnName> = new Map(
	COLUMNS.flatMap((c) => (c.suggest === null ? [] : [[c.suggest, c.name] as const])),
);

const STRING = { type: "string" } as const;

const snapshot = documented(schemaOfRule(QUERY_RULES.snapshot).optional(), {
	description:
		"Month of the snapshot, YYYY-MM; default: the latest. A prior month needs the history entitlement.",
	schema: { type: "string", pattern: "^\\d{4}-(0[1-9]|1[0-2])$" },
	example: "2026-11",
});

const fields = documented(schemaOfRule(QUERY_RULES.fields, true).optional(), {
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

const oneState = documented(state().optional(), {
	description: "State or province code.",
	schema: { type: "string", enum: STATE_CODES },
	example: "CA",
});

/** A filter's schema, by the filter's kind. */
function filterSchema(filter: Filter): z.ZodType {
	const column = columnNamed(filter.column);
	const about = column.description.replace(/\.$/, "");
	switch (filter.kind) {
		case "country":
			return countryParameter;
		case "state":
			return documented(schemaOfRule<unknown>(filterRule(filter), true).optional(), {
				description: "State or province code, or several, comma-separated: rows of any of them.",
				schema: STRING,
				json: { type: "array", items: { type: "string", enum: STATE_CODES }, minItems: 1 },
				example: "CA,TX",
			});
		case "prefix":
			return textFilter(filterRule(filter), `${about}: starts with this, in any letter case.`);
		case "exact":
			return textFilter(filterRule(filter), exactDescription(filter, about));
		case "from":
			return dateFilter(filterRule(filter), `${about}: on this day or after.`);
		case "group":
			return documented(schemaOfRule(filterRule(filter)).optional(), {
				description: `${about}: this group. The groups mean the same in every state.`,
				schema: { type: "string", enum: findGroupColumn(filter.column)?.groups },
			});
		case "to":
			return dateFilter(filterRule(filter), `${about}: on this day or before.`);
	}
}

function exactDescription({ column }: Filter, about: string): string {
	const vocabulary = column === "member_license_status" || column === "member_type";
	return vocabulary
		? `${about}: exactly this. The values differ by state; read them from /v1/stats first.`
		: `${about}: exactly this.`;
}

const TEXT_SCHEMA = { type: "string", minLength: 1, maxLength: 1000 } as const;

function textFilter(rule: Rule<unknown>, description: string): z.ZodType {
	return documented(schemaOfRule(rule).optional(), { description, schema: TEXT_SCHEMA });
}

function dateFilter(rule: Rule<unknown>, description: string): z.ZodType {
	return documented(schemaOfRule(rule).optional(), {
		description,
		schema: { type: "string", format: "date" },
		example: "2026-01-31",
	});
}

/** Schemas of the filters by parameter name, and after them those of the aliases. */
function filterShape(): Record<string, z.ZodType> {
	const filters = FILTERS.map((filter) => [filter.param, filterSchema(filter)] as const);
	const aliases = FILTERS.flatMap((filter) => filter.aliases.map((alias) => aliasSchema(alias, filter)));
	return Object.fromEntries([...filters, ...aliases]);
}

function aliasSchema(alias: string, filter: Filter): [string, z.ZodType] {
	const { param } = filter;
	return [alias, textFilter(filterRule(filter), `Alias of ${param}; give one of the two.`)];
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
	readonly format: (typeof FORMATS)[number];
	readonly [filter: string]: unknown;
}

const licensesShape = {
	snapshot,
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
	limit: documented(
		schemaOfRule(QUERY_RULES.limit).default(PAGE_LIMIT_DEFAULT),
		withDefault("Rows per page.", {
			type: "integer",
			minimum: 1,
			maximum: PAGE_LIMIT_MAX,
			default: PAGE_LIMIT_DEFAULT,
		}),
	),
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

export const statesParameters = z.strictObject({ country: countryParameter, snapshot });

export const statsParameters = z.strictObject({
	snapshot,
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
	snapshot,
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
