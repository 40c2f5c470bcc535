/**
 * Cross-origin requests by configuration (docs/API.md §1.10). Keys travel in headers, never in cookies, so
 * credentials mode is not allowed, and `*` gives a page nothing that its own key would not.
 */

import type { HeaderBlock } from "../../http/transport.js";

export interface CorsPolicy {
	/** `*`, or the origins whose pages may read answers; empty: none. */
	readonly origins: readonly string[];
}

/** Headers that a page may read besides the safelisted ones. */
const EXPOSED =
	"ETag, Link, Content-Disposition, WWW-Authenticate, Retry-After, X-Request-Id, X-Total-Count, X-Page, X-Has-Next, " +
	"X-Next-Cursor, Accept-Ranges, Content-Range, Content-Digest, Repr-Digest, " +
	"RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, RateLimit, X-Quota-Limit, X-Quota-Used";

const ALLOWED_REQUEST_HEADERS =
	"Authorization, X-API-Key, Accept, Content-Type, If-Match, If-None-Match, Range, If-Range, traceparent, " +
	"MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id";

/** How long a browser may keep the answer to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 86_400;

/** What an answer to a request from `origin` says; null: the request names none. */
export function corsHeaders(policy: CorsPolicy, origin: string | null): HeaderBlock {
	const { origins } = policy;
	if (origins.length === 0) return "";
	if (origins[0] === "*") {
		if (origin === null) return "";
		return `\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: ${EXPOSED}`;
	}
	// The response depends on the origin, so Vary is sent for unlisted origins too.
	if (origin === null || !origins.includes(origin)) return "\r\nVary: Origin";
	return `\r\nVary: Origin\r\nAccess-Control-Allow-Origin: ${origin}\r\nAccess-Control-Expose-Headers: ${EXPOSED}`;
}

/** What an answer to a preflight says besides. */
export function preflightHeaders(methods: readonly string[]): HeaderBlock {
	return (
		`\r\nAccess-Control-Allow-Methods: ${methods.join(", ")}` +
		`\r\nAccess-Control-Allow-Headers: ${ALLOWED_REQUEST_HEADERS}` +
		`\r\nAccess-Control-Max-Age: ${PREFLIGHT_SECONDS}`
	);
}
