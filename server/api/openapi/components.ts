/**
 * Components of the OpenAPI document: body schemas (generated from schemas/endpoint-responses.ts),
 * response headers, errors and security schemes.
 */

import { z } from "zod";
import { MISSING_KEY_MESSAGE } from "../../keys/directory.js";
import { ERROR_STATUS, type ErrorCode } from "../errors.js";
import { aggregateResponse } from "../schemas/aggregate-response.js";
import { changesResponse } from "../schemas/changes-response.js";
import * as responses from "../schemas/endpoint-responses.js";
import { exportsResponse } from "../schemas/exports-response.js";
import { officesResponse } from "../schemas/offices-response.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Bodies by their name in the document. */
const BODIES = {
	License: responses.license,
	LicensesResponse: responses.licensesResponse,
	LicenseResponse: responses.licenseResponse,
	HistoryResponse: responses.historyResponse,
	ChangesResponse: changesResponse,
	SnapshotsResponse: responses.snapshotsResponse,
	StatesResponse: responses.statesResponse,
	StatsResponse: responses.statsResponse,
	SuggestResponse: responses.suggestResponse,
	AggregateResponse: aggregateResponse,
	OfficesResponse: officesResponse,
	ExportsResponse: exportsResponse,
	MeResponse: responses.meResponse,
	UsageResponse: responses.usageResponse,
	VerifyResponse: responses.verifyResponse,
	HealthResponse: responses.healthResponse,
	Error: responses.errorResponse,
	Problem: responses.problemResponse,
} as const satisfies Record<string, z.ZodType>;

/** The reference to a body's schema. */
export function bodyReference(body: z.ZodType): JsonSchema {
	const name = Object.entries(BODIES).find(([, schema]) => schema === body)?.[0];
	if (name === undefined) throw new TypeError("this body has no name in the document");
	return { $ref: `#/components/schemas/${name}` };
}

/** `components.schemas`. */
export function bodySchemas(): Record<string, JsonSchema> {
	const registry = z.registry<{ id: string }>();
	for (const [id, schema] of Object.entries(BODIES)) registry.add(schema, { id });
	const { schemas } = z.toJSONSchema(registry, {
		uri: (id) => `#/components/schemas/${id}`,
		override: ({ jsonSchema }) => tidy(jsonSchema),
	});
	return Object.fromEntries(
		Object.entries(schemas).map(([name, { $schema: _schema, $id: _id, id: _name, ...schema }]) => [
			name,
			schema,
		]),
	);
}

/** Leaves out what says the same twice: the pattern of a named format, the bounds of every integer. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
	if (schema.format !== undefined) delete schema.pattern;
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

export const SECURITY_SCHEMES = {
	bearer: { type: "http", scheme: "bearer", description: "Authorization: Bearer <API_KEY> (preferred)." },
	apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "The key in a header of its own." },
} as const;

/** Either way to send a key. */
export const KEYED = [{ bearer: [] }, { apiKey: [] }] as const;

const integerHeader = (description: string) => ({ description, schema: { type: "integer", minimum: 0 } });
const textHeader = (description: string) => ({ description, schema: { type: "string" } });

/** `components.headers`. */
export const HEADERS = {
	"X-Request-Id": textHeader("Identifies this response in the service's log."),
	ETag: textHeader("Weak entity tag, for If-None-Match."),
	"RateLimit-Limit": integerHeader(
		"Requests allowed in the binding window: that of the key with the fewest requests remaining, or of the client's address.",
	),
	"RateLimit-Remaining": integerHeader("Requests remaining in that window."),
	"RateLimit-Reset": integerHeader("Seconds until that window ends."),
	"RateLimit-Policy": textHeader("All limits (draft-ietf-httpapi-ratelimit-headers)."),
	RateLimit: textHeader("Remaining requests of all limits (draft-ietf-httpapi-ratelimit-headers)."),
	"X-Quota-Limit": integerHeader("Requests a month, for keys with a monthly quota."),
	"X-Quota-Used": integerHeader("Requests made this month, for keys with a monthly quota."),
	"Retry-After": integerHeader("Seconds until a request may be accepted."),
	"WWW-Authenticate": textHeader("How to send a key."),
	"X-Total-Count": integerHeader("CSV and NDJSON: rows that match; absent with count=false."),
	Link: textHeader("Lists: the next and the previous page, as rel=next and rel=prev (RFC 8288)."),
	"X-Page": integerHeader("CSV and NDJSON: the page."),
	"X-Has-Next": { description: "CSV and NDJSON: whether rows follow.", schema: { type: "boolean" } },
	"X-Next-Cursor": textHeader(
		"CSV and NDJSON by a cursor: the cursor of the next page; absent after the last.",
	),
	"Content-Disposition": textHeader("CSV and exported files: a file name to save under."),
	"Accept-Ranges": textHeader("bytes: a part of the file may be asked for with Range."),
	"Content-Range": textHeader("The bytes of the file that the body holds, and how many there are."),
	"Content-Digest": textHeader("SHA-256 of the body (RFC 9530)."),
	"Repr-Digest": textHeader("SHA-256 of the whole file (RFC 9530)."),
} as const;

export type HeaderName = keyof typeof HEADERS;

/** References to shared headers, by name. */
export function headerReferences(names: readonly HeaderName[]): Record<string, JsonSchema> {
	return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers of every response; the quota's where the key has one. */
export const LIMIT_HEADERS: readonly HeaderName[] = [
	"X-Request-Id",
	"RateLimit-Limit",
	"RateLimit-Remaining",
	"RateLimit-Reset",
	"RateLimit-Policy",
	"RateLimit",
	"X-Quota-Limit",
	"X-Quota-Used",
];

/** `components.responses`: one error response for each status. */
export const ERROR_RESPONSES = {
	BadRequest: errorResponse(400, "A parameter breaks its rule; the message names both.", LIMIT_HEADERS, {
		code: "invalid_parameter",
		message: 'limit must be a whole number from 1 to 1,000; got "0"',
		param: "limit",
	}),
	Unauthorized: errorResponse(
		401,
		"The key is missing, invalid, revoked or expired (unauthorized), or paused (key_suspended).",
		[...LIMIT_HEADERS, "WWW-Authenticate"],
		{ code: "unauthorized", message: MISSING_KEY_MESSAGE },
	),
	Forbidden: errorResponse(403, "Outside the key's geography, columns or history.", LIMIT_HEADERS, {
		code: "scope_denied",
		message: "state TX is outside this key's geography: states CA",
		param: "state",
	}),
	NotFound: errorResponse(404, "No such snapshot or row.", LIMIT_HEADERS, {
		code: "not_found",
		message: "no license row has the id 32299999999",
		param: "id",
	}),
	Gone: errorResponse(410, "A snapshot that the cursor goes on in is no longer loaded.", LIMIT_HEADERS, {
		code: "snapshot_gone",
		message: "snapshot 2026-09, which the cursor goes on in, is no longer loaded",
		param: "cursor",
	}),
	PreconditionFailed: errorResponse(412, "The file is another one than If-Match names.", LIMIT_HEADERS, {
		code: "precondition_failed",
		message: "the file is another one than If-Match names; download it from the start",
	}),
	RangeNotSatisfiable: errorResponse(
		416,
		"The file ends before the range that was asked for.",
		[...LIMIT_HEADERS, "Content-Range"],
		{ code: "range_not_satisfiable", message: "the file has 19102004 bytes; the range begins after them" },
	),
	TooManyRequests: errorResponse(
		429,
		"Over the per-minute or per-day limit (rate_limited), the monthly quota (quota_exceeded) or a trial's limits (trial_limit).",
		[...LIMIT_HEADERS, "Retry-After"],
		{ code: "rate_limited", message: "The limit of 600 requests per minute is reached; retry in 12 s." },
	),
	InternalError: errorResponse(500, "A fault of the service.", LIMIT_HEADERS, {
		code: "internal_error",
		message: "the service failed; its log knows the request as 3mYqZk3vQ1x8Hc0B",
	}),
	NotImplemented: errorResponse(
		501,
		"The snapshot was built by a version that did not store what the request asks for.",
		LIMIT_HEADERS,
		{
			code: "not_supported",
			message: "this snapshot was built before names were indexed; ask a newer one, or use last_name",
			param: "name",
		},
	),
	Unavailable: errorResponse(
		503,
		"Nothing to answer from, or too much to do, at the moment.",
		[...LIMIT_HEADERS, "Retry-After"],
		{
			code: "unavailable",
			message: "no snapshot is loaded",
		},
	),
} as const;

export type ErrorResponseName = keyof typeof ERROR_RESPONSES;

function errorResponse(
	status: number,
	description: string,
	headers: readonly HeaderName[],
	example: { readonly code: ErrorCode; readonly message: string; readonly param?: string },
) {
	const codes = Object.entries(ERROR_STATUS).flatMap(([code, s]) => (s === status ? [code] : []));
	return {
		description: `${description} Codes: ${codes.join(", ")}.`,
		headers: headerReferences(headers),
		content: {
			"application/json": { schema: { $ref: "#/components/schemas/Error" }, example: { error: example } },
			"application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
		},
	};
}

/** Status of each error response, as a key of an operation's `responses`. */
export const ERROR_STATUSES: Readonly<Record<ErrorResponseName, string>> = {
	BadRequest: "400",
	Unauthorized: "401",
	Forbidden: "403",
	NotFound: "404",
	Gone: "410",
	PreconditionFailed: "412",
	RangeNotSatisfiable: "416",
	TooManyRequests: "429",
	InternalError: "500",
	NotImplemented: "501",
	Unavailable: "503",
};
