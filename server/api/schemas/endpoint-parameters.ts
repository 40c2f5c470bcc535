/**
 * The parameters of every endpoint as zod schemas, which validate requests and from which OpenAPI and
 * the tool schemas are generated. Filters, sort columns and fields derive from the column table.
 */

import { z } from "zod";
import {
	COLUMNS,
	type Column,
	type ColumnName,
	type CountryCode,
	JURISDICTIONS,
	SORTABLE_COLUMNS,
} from "../../../formats/index.js";
import type { ParameterObject } from "../parameters/validation.js";
import {
	columnList,
	country,
	documented,
	integer,
	isoDate,
	month,
	oneOf,
	type ParameterDoc,
	state,
	stateList,
	text,
	trueOrFalse,
} from "./value-types.js";

export const PAGE_LIMIT_DEFAULT = 100;
export const PAGE_LIMIT_MAX = 1_000;
/** Maximum of `page` × `limit`. */
export const DEPTH_MAX = 50_000;
export const SUGGESTIONS_DEFAULT = 10;
export const SUGGESTIONS_MAX = 20;
export const SUGGEST_PREFIX_MIN = 2;
export const USAGE_DAYS_DEFAULT = 30;
export const USAGE_DAYS_MAX = 90;
export const FORMATS = ["json", "csv", "ndjson"] as const;

const STATE_CODES = JURISDICTIONS.map((j) => j.state);
export const COLUMN_NAMES: readonly ColumnName[] = COLUMNS.map((c) => c.name);
export const SORT_COLUMNS: readonly ColumnName[] = SORTABLE_COLUMNS.map((c) => c.name);
/** `field` of /v1/suggest, by the column it completes over. */
export const SUGGEST_FIELDS: ReadonlyMap<string, ColumnName> = new Map(
	COLUMNS.flatMap((c) => (c.suggest === null ? [] : [[c.suggest, c.name] as const])),
);

const STRING = { type: "string" } as const;

const snapshot = documented(month().optional(), {
	description:
		"Month of the snapshot, YYYY-MM; default: the latest. A prior month needs the history entitlement.",
	schema: { type: "string", pattern: "^\\d{4}-(0[1-9]|1[0-2])$" },
	example: "2026-11",
});

const fields = documented(columnList("column", COLUMN_NAMES).optional(), {
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

const stateListParameter = documented(stateList().optional(), {
	description: "State or province code, or several, comma-separated: rows of any of them.",
	schema: STRING,
	json: { type: "array", items: { type: "string", enum: STATE_CODES }, minItems: 1 },
	example: "CA,TX",
});

/** Schemas of the list endpoint's filters, by parameter name. */
function filterShape(): Record<string, z.ZodType> {
	return Object.fromEntries(COLUMNS.flatMap((column) => filterParameters(column)));
}

function filterParameters(column: Column): [string, z.ZodType][] {
	if (column.filter === null) return [];
	const { param, match } = column.filter;
	if (column.name === "country") return [[param, countryParameter]];
	const about = column.description.replace(/\.$/, "");
	switch (match) {
		case "list":
			return [[param, stateListParameter]];
		case "prefix":
			return [[param, textFilter(`${about}: starts with this, in any letter case.`)]];
		case "exact":
			return [[param, textFilter(exactDescription(column, about))]];
		case "range":
			return [
				[`${param}_after`, dateFilter(`${about}: on this day or after.`)],
				[`${param}_before`, dateFilter(`${about}: on this day or before.`)],
			];
	}
}

function exactDescription(column: Column, about: string): string {
	const vocabulary = column.name === "member_license_status" || column.name === "member_type";
	return vocabulary
		? `${about}: exactly this. The values differ by state; read them from /v1/stats first.`
		: `${about}: exactly this.`;
}

function textFilter(description: string): z.ZodType {
	return documented(text().optional(), {
		description,
		schema: { type: "string", minLength: 1, maxLength: 1000 },
	});
}

function dateFilter(description: string): z.ZodType {
	return documented(isoDate().optional(), {
		description,
		schema: { type: "string", format: "date" },
		example: "2026-01-31",
	});
}

function withDefault(description: string, schema: ParameterDoc["schema"], json?: ParameterDoc["json"]) {
	return json === undefined ? { description, schema } : { description, schema, json };
}

const filters = filterShape();

/** Names of the list endpoint's filters, `zip` aside. */
export const FILTER_NAMES = Object.keys(filters);

/** Pairs of date bounds: `issued_after`, `issued_before`, … */
export const DATE_BOUNDS: readonly { readonly after: string; readonly before: string }[] = COLUMNS.flatMap(
	(c) =>
		c.filter?.match === "range"
			? [{ after: `${c.filter.param}_after`, before: `${c.filter.param}_before` }]
			: [],
);

/** Parameters of `/v1/licenses` after validation; filters as in engine/query.ts. */
export interface LicensesParameters {
	readonly snapshot?: string;
	readonly state?: string[];
	readonly country?: CountryCode;
	readonly zip?: string;
	readonly postal_code?: string;
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
	...filters,
	zip: documented(text().optional(), {
		description: "Alias of postal_code; give one of the two.",
		schema: { type: "string", minLength: 1, maxLength: 1000 },
	}),
	sort: documented(columnList("sort column", SORT_COLUMNS).default(["id"]), {
		description: "Columns to sort by, comma-separated, the most significant first; ties go by id.",
		schema: { type: "string", default: "id" },
		json: { type: "array", items: { type: "string", enum: SORT_COLUMNS }, minItems: 1, default: ["id"] },
		example: "member_last_name,member_first_name",
	}),
	order: documented(
		oneOf("asc", "desc").default("asc"),
		withDefault("Direction of all sort columns; rows without a value come last in both.", {
			type: "string",
			enum: ["asc", "desc"],
			default: "asc",
		}),
	),
	page: documented(
		integer(1, DEPTH_MAX).default(1),
		withDefault("Page, from 1. page × limit may not exceed 50,000.", {
			type: "integer",
			minimum: 1,
			maximum: DEPTH_MAX,
			default: 1,
		}),
	),
	limit: documented(
		integer(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT),
		withDefault("Rows per page.", {
			type: "integer",
			minimum: 1,
			maximum: PAGE_LIMIT_MAX,
			default: PAGE_LIMIT_DEFAULT,
		}),
	),
	fields,
	count: documented(
		trueOrFalse().default(true),
		withDefault(
			"false skips the total: total and total_pages are null, and has_next follows from how full the page is.",
			{ type: "boolean", default: true },
		),
	),
	format: documented(
		oneOf(...FORMATS).default("json"),
		withDefault("Format of the answer.", { type: "string", enum: FORMATS, default: "json" }),
	),
};

export const licensesParameters = z.strictObject(
	licensesShape,
) as unknown as ParameterObject<LicensesParameters>;

export const licenseParameters = z.strictObject({
	id: documented(integer(1, Number.MAX_SAFE_INTEGER), {
		description: "Id of the row.",
		schema: { type: "integer", minimum: 1 },
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
	id: documented(integer(1, Number.MAX_SAFE_INTEGER).optional(), {
		description: "Instead of state and license_number: the id of any row of the license.",
		schema: { type: "integer", minimum: 1 },
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
