/**
 * Documentation, which requires no key: the OpenAPI document at /openapi.json and an interactive reference at
 * /docs (Swagger UI). A page loads everything from this service; its content security policy forbids anything
 * else.
 */

import { existsSync, readFileSync } from "node:fs";
import { JSON_TYPE } from "../api/operation.js";
import { decodeQuery } from "../api/parameters/request-query.js";
import { validateParameters } from "../api/parameters/validation.js";
import { entityTag, fingerprint } from "../api/responses/entity-tag.js";
import type { Response } from "../api/responses/response.js";
import { StaticFile } from "../api/responses/static-file.js";
import { OPERATION_METHODS, type Route } from "../api/router.js";
import { noParameters } from "../api/schemas/endpoint-parameters.js";
import { REFERENCE_PAGE, REFERENCE_SCRIPT, REFERENCE_STYLE } from "./reference-page.js";

/** What the page may do: run its scripts and styles, send requests to this service, and show embedded images. */
const PAGE_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const TYPES = {
	html: "text/html; charset=utf-8",
	css: "text/css; charset=utf-8",
	js: "text/javascript; charset=utf-8",
} as const;

/**
 * The routes; `document` makes the OpenAPI document as plain data. Each file is made or read by its first
 * request, since a start should not wait for what few clients ask for. Cost of a first request: up to 40 ms.
 */
export function documentationRoutes(document: () => unknown): Route[] {
	return [
		asset("/openapi.json", JSON_TYPE, () => JSON.stringify(document())),
		asset("/docs", TYPES.html, () => REFERENCE_PAGE),
		asset("/docs/reference.js", TYPES.js, () => REFERENCE_SCRIPT),
		asset("/docs/reference.css", TYPES.css, () => REFERENCE_STYLE),
		...swaggerAssets(),
	];
}

/** Swagger UI's files, which `npm run compile` copies here; absent where it was not run: the API works without. */
function swaggerAssets(): Route[] {
	const files = [
		["swagger-ui-bundle.js", TYPES.js],
		["swagger-ui.css", TYPES.css],
	] as const;
	return files
		.map(([name, type]) => ({ name, type, address: new URL(`browser/${name}`, import.meta.url) }))
		.filter(({ address }) => existsSync(address))
		.map(({ name, type, address }) => asset(`/docs/${name}`, type, () => readFileSync(address)));
}

/** A constant file, made by its first request. Takes no parameters, so that it has one address in caches. */
function asset(path: string, type: string, content: () => Uint8Array | string): Route {
	let made: { readonly tag: string; readonly file: StaticFile } | null = null;
	const make = () => {
		const bytes = content();
		const text = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("latin1");
		return { tag: entityTag("docs", fingerprint(path), fingerprint(text)), file: new StaticFile(bytes) };
	};
	return {
		path,
		access: "keyless",
		methods: OPERATION_METHODS,
		serve(request, _exchange, response: Response) {
			validateParameters(noParameters, decodeQuery(request.query, undefined, noParameters));
			made ??= make();
			return response.page(made.tag, type, made.file, PAGE_POLICY);
		},
	};
}
