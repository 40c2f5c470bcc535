/**
 * What HTTP itself must say for a message to be read: where the request comes from, what it carries
 * and what it accepts.
 */

import { quoted } from "../../formats/index.js";
import { decodeQuery } from "../api/parameters/request-query.js";
import { validateParameters } from "../api/parameters/validation.js";
import { noParameters } from "../api/schemas/endpoint-parameters.js";
import type { RequestHead } from "../http/request-head.js";
import { acceptsType } from "../http/weighted-list.js";
import { RPC } from "./protocol.js";
import { RpcError } from "./rpc-error.js";

/** Media ranges that answers are in, the most specific first. */
const JSON_RANGES = ["application/json", "application/*", "*/*"];
const EVENT_RANGES = ["text/event-stream", "text/*", "*/*"];

const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/**
 * Throws RpcError (403) for a request that a page of a foreign origin sends. Pages of this machine
 * and of `origins` may ask; `*`, which lets any page read the API, does not let any page drive tools:
 * a name that is pointed at this machine (DNS rebinding) would make such a page look local.
 */
export function checkOrigin({ origin }: RequestHead, origins: readonly string[]): void {
	if (origin === null || LOOPBACK_ORIGIN.test(origin) || (origin !== "*" && origins.includes(origin))) return;
	throw new RpcError(RPC.invalidRequest, `pages of origin ${quoted(origin)} may not call tools here`, 403);
}

/**
 * Throws ApiError (400) for a query: arguments are in the message, and a key in the query ends up in logs whether or
 * not it is the one that counts.
 */
export function checkQuery({ query }: RequestHead): void {
	if (query !== "") validateParameters(noParameters, decodeQuery(query, undefined, noParameters));
}

/** Throws RpcError (415, 406) unless the body is JSON as it stands and the answer may be JSON. */
export function checkMediaTypes({ accept, contentEncoding, contentType }: RequestHead): void {
	if (!isJson(contentType))
		throw new RpcError(RPC.invalidRequest, "Content-Type must be application/json, in UTF-8", 415);
	if (contentEncoding !== null && contentEncoding.trim().toLowerCase() !== "identity")
		throw new RpcError(RPC.invalidRequest, "Content-Encoding is not accepted; send the body as it is", 415);
	if (!acceptsJson(accept))
		throw new RpcError(
			RPC.invalidRequest,
			"Accept must list application/json (and text/event-stream, by the protocol); answers are JSON",
			406,
		);
}

/** The last values that were accepted: nearly all clients of a thread send the same. */
let lastContentType = "";
let lastAccept = "";

function isJson(contentType: string | null): boolean {
	if (contentType === null) return false;
	if (contentType === lastContentType) return true;
	if (!namesJson(contentType)) return false;
	lastContentType = contentType;
	return true;
}

function namesJson(contentType: string): boolean {
	const [type, ...parameters] = contentType.toLowerCase().split(";");
	if (type.trim() !== "application/json") return false;
	return parameters.every((parameter) => {
		const [name, value = ""] = parameter.trim().split("=");
		return name !== "charset" || /^"?utf-?8"?$/.test(value.trim());
	});
}

/** Throws RpcError (406) unless the answer may be a stream of events. */
export function checkAcceptsEvents({ accept }: RequestHead): void {
	if (accept === null || acceptsType(accept, EVENT_RANGES)) return;
	throw new RpcError(RPC.invalidRequest, "Accept must list text/event-stream: the answer is a stream", 406);
}

/** A request without Accept takes anything (RFC 9110 §12.5.1). */
function acceptsJson(accept: string | null): boolean {
	if (accept === null || accept === lastAccept) return true;
	if (!acceptsType(accept, JSON_RANGES)) return false;
	lastAccept = accept;
	return true;
}
