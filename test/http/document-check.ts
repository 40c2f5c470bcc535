/**
 * Checks answers against the published OpenAPI document: status, content type and headers are
 * documented, and a JSON body conforms to its schema.
 */

import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openapiDocument } from "../../server/api/openapi/document.js";
import { OPERATIONS } from "../../server/api/operation-table.js";

interface Described {
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly content?: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
}

type Reference = { readonly $ref: string };

interface PathItem {
	readonly [method: string]: { readonly responses: Readonly<Record<string, Described | Reference>> };
}

/** As a client receives it: plain JSON. */
export const DOCUMENT = JSON.parse(JSON.stringify(openapiDocument(OPERATIONS))) as {
	readonly openapi: string;
	readonly info: { readonly version: string };
	readonly paths: Readonly<Record<string, PathItem>>;
	readonly components: {
		readonly schemas: Readonly<Record<string, object>>;
		readonly responses: Readonly<Record<string, Described>>;
		readonly headers: Readonly<Record<string, object>>;
	};
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: "openapi", ...DOCUMENT });
const compiled = new Map<object, ValidateFunction>();

/** Throws unless `value` conforms to `schema`, whose references point into the document. */
export function assertFits(schema: object, value: unknown, what: string): void {
	const validate = compiled.get(schema) ?? ajv.compile(absolute(schema));
	compiled.set(schema, validate);
	assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
}

/** `schema` with its references rebased to the document. */
function absolute(schema: object): object {
	return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
}

/** Headers of HTTP itself or of every answer, which the document need not repeat. */
const COMMON_HEADERS = new Set([
	...[
		"connection",
		"content-encoding",
		"content-length",
		"content-type",
		"date",
		"keep-alive",
		"uwebsockets",
	],
	...["cache-control", "vary", "x-request-id", "allow", "transfer-encoding"],
	...["x-content-type-options", "referrer-policy", "content-security-policy"],
	...["access-control-allow-origin", "access-control-expose-headers"],
]);

/** The answer as the document describes it; undefined for a path or method that it lacks. */
export function describedAnswer(method: string, path: string, status: number): Described | undefined {
	const operation = findPath(path)?.[method.toLowerCase()];
	if (operation === undefined) return undefined;
	const described = operation.responses[String(status)];
	assert.ok(described !== undefined, `${method} ${path} answers ${status}, which is not documented`);
	return "$ref" in described
		? DOCUMENT.components.responses[described.$ref.split("/").at(-1) ?? ""]
		: described;
}

function findPath(path: string): PathItem | undefined {
	const bare = path.split("?", 1)[0];
	const exact = DOCUMENT.paths[bare];
	if (exact !== undefined) return exact;
	if (/^\/v1\/exports\/[^/]+\/[^/]+$/.test(bare)) return DOCUMENT.paths["/v1/exports/{snapshot}/{file}"];
	return /^\/v1\/licenses\/[^/]+$/.test(bare) ? DOCUMENT.paths["/v1/licenses/{id}"] : undefined;
}

/** Throws unless the document describes the answer. */
export function checkAnswer(
	method: string,
	path: string,
	status: number,
	headers: Headers,
	text: string,
): void {
	const described = describedAnswer(method === "HEAD" ? "GET" : method, path, status);
	if (described === undefined) return;
	const names = new Set(Object.keys(described.headers ?? {}).map((name) => name.toLowerCase()));
	for (const name of headers.keys())
		assert.ok(
			COMMON_HEADERS.has(name) || names.has(name) || isLimit(name),
			`${path} sends ${name}, undocumented`,
		);
	if (text === "" && described.content === undefined) return;
	const type = (headers.get("content-type") ?? "").split(";", 1)[0];
	const media = described.content?.[type];
	assert.ok(media !== undefined, `${path} answers ${status} as ${type}, which is not documented`);
	if (/^application\/(problem\+)?json$/.test(type) && method !== "HEAD")
		assertFits(media.schema, JSON.parse(text), `${method} ${path} ${status}`);
}

/** Answers to a known key have limit headers, refusals included. */
function isLimit(name: string): boolean {
	return name.startsWith("ratelimit") || name.startsWith("x-quota");
}
