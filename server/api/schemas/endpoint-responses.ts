/**
 * The bodies of every answer, as zod schemas: OpenAPI and the tools' output schemas are made from
 * them, and the tests hold every answer against them. Shapes as in docs/API.md §7.
 */

import { z } from "zod";
import { NAME_MATCHES, VERIFY_OUTCOMES } from "../../../engine/index.js";
import {
	COLUMN_NAMES,
	COLUMNS,
	COVERAGE_COLUMNS,
	type Column,
	EXPIRATION_BUCKETS,
	SORT_COLUMNS,
} from "../../../formats/index.js";
import { KEY_STATUSES, TIERS } from "../../keys/key.js";
import { ENDPOINTS } from "../../limits/usage-codes.js";
import { ERROR_CODES, type ErrorCode } from "../errors.js";

const MONTH_PATTERN = /^\d{4}-(0[1-9]|1[0-2])$/;

export const month = z.string().regex(MONTH_PATTERN).describe("Month of a snapshot, YYYY-MM.");
export const count = z.int().min(0);
const instant = z.string().describe("ISO 8601 instant in UTC.");
const columnName = z.enum(COLUMN_NAMES);
const countryCode = z.enum(["US", "CA"]);
export const stateCode = z
	.string()
	.regex(/^[A-Z]{2}$/)
	.describe("State or province code.");

function columnValue(column: Column): z.ZodType {
	const value = storedValue(column);
	return (column.nullable ? value.nullable() : value).describe(column.description);
}

function storedValue(column: Column): z.ZodType {
	switch (column.kind) {
		case "id":
			return z.int().min(1);
		case "int":
			return z.int();
		case "date":
			return z.iso.date();
		case "snapshot":
			return z.string().regex(MONTH_PATTERN);
		default:
			return column.name === "country" ? countryCode : z.string();
	}
}

/** A row. Members are optional, since `fields` and a column grant leave some out. */
export const license = z
	.strictObject(Object.fromEntries(COLUMNS.map((c) => [c.name, columnValue(c).optional()])))
	.describe("One license of one snapshot. Columns outside `fields` or the key's grant are left out.");

/** What bounds an answer (docs/API.md §11.10); members that do not apply are left out. */
export const bounds = {
	as_of: z.iso.date().describe("The day the answer describes: the last of the snapshot's month."),
	scope: z
		.strictObject({
			geography: z.strictObject({ countries: z.array(countryCode), states: z.array(stateCode) }).optional(),
			columns: z.array(columnName).optional(),
		})
		.optional()
		.describe("The key's grant, where it narrowed the answer."),
	masked: z.array(columnName).optional().describe("Columns whose values are masked."),
};
const { scope } = bounds;
export const truncated = z.boolean().describe("Whether more matches exist than can be returned.");

/** `meta.hints`: why no row matches, or what is left out. */
export const hint = z.strictObject({
	param: z.string().describe("The filter that no row can meet, or the parameter to change."),
	value: z.string().describe("What was asked for; empty where it is several filters."),
	message: z.string(),
	nearest: z.array(z.string()).describe("Values that exist, nearest first."),
});

/** `meta.match` of a list that was asked for by name. */
const nameMatches = z
	.array(
		z.strictObject({
			word: z.string().describe("A word that was asked for, as it was read."),
			matches: z
				.array(
					z.strictObject({
						to: z.string().describe("A word of names that it matched."),
						by: z.enum(NAME_MATCHES),
						rows: z.int().min(1).describe("Rows of this page."),
					}),
				)
				.describe("Most rows first, at most 10."),
		}),
	)
	.describe("How each word of `name` matched in the rows of this page.");

/** `pagination.next_cursor`. */
export const nextCursor = z
	.string()
	.nullable()
	.optional()
	.describe("Keys with the bulk entitlement: cursor of the next page; null after the last.");

export const licensesResponse = z.strictObject({
	data: z.array(license),
	pagination: z.strictObject({
		page: z.int().min(1),
		limit: z.int().min(1),
		total: count.nullable().describe("Rows that match; null with count=false."),
		total_pages: count.nullable(),
		has_next: z.boolean(),
		has_prev: z.boolean(),
		next_cursor: nextCursor,
	}),
	meta: z.strictObject({
		snapshot: month,
		sort: z.array(z.enum(SORT_COLUMNS)),
		order: z.enum(["asc", "desc"]),
		filters_applied: z.array(z.string()),
		...bounds,
		truncated: truncated.optional(),
		match: nameMatches.optional(),
		hints: z.array(hint).optional(),
	}),
});

export const verifyResponse = z.strictObject({
	data: z
		.array(
			z.strictObject({
				input: z
					.union([z.string(), z.record(z.string(), z.unknown())])
					.describe("The license as it was given."),
				outcome: z
					.enum(VERIFY_OUTCOMES)
					.describe(
						"match; mismatch: the number is another person's; similar: only under another spelling; " +
							"ambiguous: several fit; not_found; out_of_scope: outside the key's geography.",
					),
				rows: z.array(license).describe("The rows that the outcome is about, at most 10."),
				differs: z.array(columnName).describe("Columns in which the first row differs from the input."),
				similar: z.array(z.string()).describe("Numbers that exist, where the one given does not."),
			}),
		)
		.describe("One entry for each license, in the order given."),
	meta: z.strictObject({ snapshot: month, ...bounds }),
});

export const licenseResponse = z.strictObject({
	data: license,
	meta: z.strictObject({ snapshot: month, ...bounds }),
});

const historyScope = z.strictObject({
	mode: z.enum(["latest", "months", "all"]),
	months: z.int().min(1).optional().describe("With mode months: prior months besides the latest."),
});

export const historyResponse = z.strictObject({
	data: z.strictObject({
		rows: z.array(license).describe("The license in each snapshot that has it, newest first."),
		present_in: z.array(month),
		missing_in: z.array(month),
		changes: z
			.array(
				z.strictObject({
					from_snapshot: month,
					to_snapshot: month,
					field: columnName,
					from: z.string().nullable(),
					to: z.string().nullable(),
				}),
			)
			.describe(
				"Tracked fields that differ between two consecutive snapshots with the license, newest first.",
			),
	}),
	meta: z.strictObject({
		snapshots: z.array(month).describe("Snapshots that were looked through, newest first."),
		matches: z
			.array(z.strictObject({ snapshot: month, rows: z.int().min(1) }))
			.describe(
				"Rows with this state and license number in each snapshot; `rows` holds the one with the lowest id.",
			),
		...bounds,
		hints: z.array(hint).optional(),
	}),
});

export const snapshotsResponse = z.strictObject({
	data: z.array(
		z.strictObject({
			snapshot: month,
			rows: count.describe("Rows of the snapshot that the key's geography grants."),
			latest: z.boolean(),
			accessible: z.boolean().describe("Whether the key may read it."),
			built_at: instant.nullable(),
		}),
	),
	meta: z.strictObject({ history: historyScope, scope }),
});

export const statesResponse = z.strictObject({
	data: z.array(
		z.strictObject({ state: stateCode, name: z.string(), country: countryCode.optional(), rows: count }),
	),
	meta: z.strictObject({
		snapshot: month,
		total: count.describe("Sum of the rows listed."),
		hints: z.array(hint).optional(),
		...bounds,
	}),
});

const vocabulary = z
	.array(z.strictObject({ value: z.string(), rows: count, states: z.record(z.string(), count).optional() }))
	.describe("Every value, most rows first; `states` counts them by state.");

const coverage = z.strictObject({ rows: count, share: z.number().min(0).max(1) });

/** Aggregates of columns outside the key's grant are left out. */
export const statsResponse = z.strictObject({
	data: z.strictObject({
		rows: count,
		countries: z.array(z.strictObject({ country: countryCode, rows: count })).optional(),
		license_status: vocabulary.optional(),
		member_type: vocabulary.optional(),
		contact_coverage: z
			.strictObject(Object.fromEntries(COVERAGE_COLUMNS.map((name) => [name, coverage.optional()])))
			.optional()
			.describe("Rows with a value in each contact column."),
		expiration: z
			.strictObject(Object.fromEntries(EXPIRATION_BUCKETS.map((name) => [name, count])))
			.optional()
			.describe("Rows by days from the last day of the snapshot's month to expiry."),
	}),
	meta: z.strictObject({ snapshot: month, hints: z.array(hint).optional(), ...bounds }),
});

export const suggestResponse = z.strictObject({
	data: z.array(z.strictObject({ value: z.string(), rows: count })).describe("Most rows first."),
	meta: z.strictObject({
		snapshot: month,
		field: z.string(),
		q: z.string(),
		...bounds,
		more: z.boolean().describe("Whether more values start with q than limit allows."),
		truncated,
		hints: z.array(hint).optional(),
	}),
});

export const meResponse = z.strictObject({
	data: z.strictObject({
		id: z.string(),
		name: z.string(),
		tier: z.enum(TIERS),
		status: z.enum([...KEY_STATUSES, "expired"]),
		created_at: instant,
		expires_at: instant.nullable(),
		rate_limits: z.strictObject({
			per_minute: z.int().min(1).nullable(),
			per_day: z.int().min(1).nullable(),
		}),
		quota: z.strictObject({ limit: z.int().min(1), used: count, resets_at: instant }).nullable(),
		scope: z.strictObject({
			geography: z
				.strictObject({ countries: z.array(countryCode), states: z.array(stateCode) })
				.nullable()
				.describe("Rows whose country or state is listed; null: unrestricted."),
			columns: z.array(columnName).nullable().describe("Columns the key reads; null: unrestricted."),
			history: historyScope,
			bulk: z
				.boolean()
				.optional()
				.describe("Whether the key reads whole results: cursors, streams and exports. Absent: it does not."),
		}),
	}),
});

const isoDay = z.iso.date();

export const usageResponse = z.strictObject({
	data: z.strictObject({
		days: z.int().min(1),
		from: isoDay,
		to: isoDay,
		total: count,
		by_day: z.array(z.strictObject({ date: isoDay, requests: count })),
		by_endpoint: z.array(z.strictObject({ endpoint: z.enum(ENDPOINTS), requests: count })),
	}),
});

export const healthResponse = z.strictObject({
	status: z.literal("ok"),
	version: z.literal("v1"),
	snapshot: month.nullable().describe("The latest snapshot; null where none is published."),
	snapshots: count,
	database: z.literal("ok"),
});

/** An error as problem details (RFC 9457). */
export const problemResponse = z.strictObject({
	type: z.string().describe("urn:rollcall:problem: and the code."),
	title: z.string().describe("The status in words."),
	status: z.int(),
	detail: z.string().describe("The message."),
	instance: z.string().describe("urn:rollcall:request: and the id in X-Request-Id."),
	code: z.enum(ERROR_CODES as readonly [ErrorCode, ...ErrorCode[]]),
	param: z.string().optional().describe("The parameter at fault, where there is one."),
	trace_id: z.string().optional().describe("The trace id of the request's traceparent, where it had one."),
});

export const errorResponse = z.strictObject({
	error: z.strictObject({
		code: z.enum(ERROR_CODES as readonly [ErrorCode, ...ErrorCode[]]),
		message: z.string(),
		param: z.string().optional().describe("The parameter at fault, where there is one."),
		trace_id: z.string().optional().describe("The trace id of the request's traceparent, where it had one."),
	}),
});
