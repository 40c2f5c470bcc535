/**
 * The OpenAPI 3.1 document, made from what the service runs by: operations, parameter schemas and
 * response schemas. Examples are real answers from the demo's data (generated/examples.ts).
 */

import type { z } from "zod";
import type { AnyOperation } from "../operation-table.js";
import { healthResponse } from "../schemas/endpoint-responses.js";
import { EXPORTS_EXAMPLE } from "../schemas/exports-response.js";
import { type ParameterDoc, parameterDocs } from "../schemas/value-types.js";
import {
	bodyReference,
	bodySchemas,
	ERROR_RESPONSES,
	ERROR_STATUSES,
	type ErrorResponseName,
	HEADERS,
	type HeaderName,
	headerReferences,
	KEYED,
	LIMIT_HEADERS,
	SECURITY_SCHEMES,
} from "./components.js";
import { EXAMPLES } from "./generated/examples.js";
import { TOOL_SERVER_PATH } from "./tool-server.js";

/** Version of the machine-readable description (docs/API.md §10.1). */
const DOCUMENT_VERSION = "1.0.0";

const TAGS = [
	{ name: "Licenses", description: "Rows: queried, one by one, and over time." },
	{ name: "Snapshots", description: "What is loaded, and its aggregates." },
	{ name: "Key", description: "The calling key: what it may do and what it did." },
	{ name: "Extensions", description: "What goes beyond the core API, under the same rules." },
	{ name: "Service", description: "Whether the service is alive." },
	{ name: "Tools", description: "The same API for agents, over the Model Context Protocol." },
] as const;

/** The document for `operations`. Cost: some milliseconds; made once. */
export function openapiDocument(operations: readonly AnyOperation[]) {
	return {
		openapi: "3.1.0",
		info: {
			title: "Rollcall",
			version: DOCUMENT_VERSION,
			summary: "Monthly snapshots of real-estate license records of the United States and Canada.",
			description: INTRODUCTION,
			license: { name: "Proprietary" },
			contact: { name: "The operator of this service" },
		},
		servers: [{ url: "/", description: "This service." }],
		tags: TAGS,
		security: KEYED,
		paths: {
			"/v1/health": healthPath(),
			...Object.fromEntries(operations.map((operation) => [operation.endpoint, pathOf(operation)])),
			"/mcp": TOOL_SERVER_PATH,
		},
		components: {
			securitySchemes: SECURITY_SCHEMES,
			schemas: bodySchemas(),
			headers: HEADERS,
			responses: ERROR_RESPONSES,
		},
	};
}

const INTRODUCTION = `Read-only queries over monthly snapshots of license records.

Send the key as \`Authorization: Bearer <API_KEY>\` or as \`X-API-Key\`. A key may be limited to some
countries or states and to some columns; answers are narrowed to its grant, and asking outside it is
\`scope_denied\`. Every key reads the latest snapshot; earlier ones need the history entitlement.

Statuses and types differ by state and match exactly: read the values from \`/v1/stats\` first.
Unknown, repeated and empty parameters are errors that name the parameter and the rule.`;

function healthPath() {
	return {
		get: {
			operationId: "getHealth",
			tags: ["Service"],
			summary: "Tell whether the service can answer",
			description: "Needs no key.",
			security: [],
			responses: {
				"200": {
					description: "The service is alive and its database answers.",
					headers: headerReferences(LIMIT_HEADERS),
					content: json(healthResponse, EXAMPLES["/v1/health"]),
				},
				...errors(["BadRequest", "InternalError", "Unavailable"]),
			},
		},
	};
}

function pathOf(operation: AnyOperation) {
	const { operationId, tag, summary, description } = operation;
	return {
		get: {
			operationId,
			tags: [tag],
			summary,
			description,
			parameters: parametersOf(operation),
			responses: responsesOf(operation),
		},
	};
}

function parametersOf({ parameters, pathParameter }: AnyOperation) {
	return Object.entries(parameters.shape).map(([name, schema]) => {
		const doc = parameterDocs.get(schema);
		if (doc === undefined) throw new TypeError(`parameter ${name} is not documented`);
		const inPath = pathParameter?.split("/").includes(name) === true;
		const required = inPath || !schema.safeParse(undefined).success;
		return {
			name,
			in: inPath ? "path" : "query",
			required,
			description: doc.description,
			...serialisation(doc, required),
		};
	});
}

/**
 * Schema and form of a parameter. A list is one value with commas: `style: form` without `explode`; one
 * that is a list in a query string too is repeated.
 * Examples of optional parameters belong to the schema, since pages to try requests in send an
 * example of the parameter itself unasked.
 */
function serialisation({ schema, json: list, example }: ParameterDoc, required: boolean) {
	// A list by itself is repeated: its items may have commas.
	if (schema.type === "array")
		return { style: "form", explode: true, schema, ...(required ? { example } : {}) };
	const isList = list?.type === "array";
	const value = isList && typeof example === "string" ? example.split(",") : example;
	const form = isList ? { style: "form", explode: false } : {};
	const described = isList ? list : schema;
	if (value === undefined) return { ...form, schema: described };
	if (required) return { ...form, schema: described, example: value };
	return { ...form, schema: { ...described, examples: [value] } };
}

function responsesOf(operation: AnyOperation) {
	const { endpoint, response, revalidated } = operation;
	if (response === "file") return fileResponses(operation);
	const headers: HeaderName[] = revalidated ? ["ETag", ...LIMIT_HEADERS] : [...LIMIT_HEADERS];
	const content = json(response, endpoint === "/v1/exports" ? EXPORTS_EXAMPLE : EXAMPLES[endpoint]);
	const known = revalidated
		? { "304": { description: "The client's copy is good.", headers: headerReferences(headers) } }
		: {};
	return {
		"200": {
			description: "OK",
			headers: headerReferences([...headers, ...(LIST_HEADERS[endpoint] ?? [])]),
			content: endpoint in LIST_HEADERS ? { ...content, ...ROW_FORMATS } : content,
		},
		...known,
		...errors(errorsOf(operation)),
	};
}

/** Responses of an operation that sends a file. */
function fileResponses(operation: AnyOperation) {
	const headers: HeaderName[] = [
		"ETag",
		...LIMIT_HEADERS,
		"Accept-Ranges",
		"Repr-Digest",
		"Content-Disposition",
	];
	const media = { schema: { type: "string", format: "binary" } };
	const content = { "application/vnd.apache.parquet": media, "application/gzip": media };
	return {
		"200": {
			description: "The file.",
			headers: headerReferences([...headers, "Content-Digest"]),
			content,
		},
		"206": {
			description: "The bytes of the file that Range asks for.",
			headers: headerReferences([...headers, "Content-Range"]),
			content,
		},
		"304": {
			description: "The client's copy is good.",
			headers: headerReferences(["ETag", ...LIMIT_HEADERS]),
		},
		...errors([...errorsOf(operation), "PreconditionFailed", "RangeNotSatisfiable"]),
	};
}

/** Headers of operations that answer in CSV and NDJSON, too. */
const LIST_HEADERS: Readonly<Record<string, readonly HeaderName[]>> = {
	"/v1/licenses": ["Link", "X-Total-Count", "X-Page", "X-Has-Next", "X-Next-Cursor", "Content-Disposition"],
	"/v1/changes": ["X-Total-Count", "X-Has-Next", "X-Next-Cursor", "Content-Disposition"],
};

const ROW_FORMATS = {
	"text/csv": {
		schema: { type: "string", description: "A header line and one line a row (RFC 4180)." },
		example: EXAMPLES.csv,
	},
	"application/x-ndjson": {
		schema: { type: "string", description: "One JSON object a line, as of the schema License." },
		example: EXAMPLES.ndjson,
	},
};

/** Whether an operation reads rows or months, and so may be refused them. */
function errorsOf({ parameters, pathParameter, endpoint }: AnyOperation): ErrorResponseName[] {
	const scoped = Object.keys(parameters.shape).some((name) => name !== "days");
	// Indexes that snapshots of earlier versions lack: of words of names, and of spellings of license numbers.
	const indexed = ["name", "license"].some((name) => name in parameters.shape);
	const found = pathParameter !== null || ["snapshot", "from", "id"].some((name) => name in parameters.shape);
	return [
		"BadRequest",
		"Unauthorized",
		...(scoped || endpoint === "/v1/states" ? (["Forbidden"] as const) : []),
		...(found ? (["NotFound"] as const) : []),
		...("cursor" in parameters.shape ? (["Gone"] as const) : []),
		"TooManyRequests",
		"InternalError",
		...(indexed ? (["NotImplemented"] as const) : []),
		"Unavailable",
	];
}

function errors(names: readonly ErrorResponseName[]) {
	return Object.fromEntries(
		names.map((name) => [ERROR_STATUSES[name], { $ref: `#/components/responses/${name}` }]),
	);
}

function json(body: z.ZodType, example: unknown) {
	return { "application/json": { schema: bodyReference(body), example } };
}
