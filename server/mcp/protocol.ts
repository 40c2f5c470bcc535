/**
 * The words of the Model Context Protocol that this server speaks: its two modes, error codes and the
 * envelopes of JSON-RPC 2.0.
 *
 * The protocol has two modes, and one path serves both, distinguished by what each request carries:
 * - `handshake`, revisions up to 2025-11-25: a client opens with `initialize`. Nothing is kept of
 *   it here, so there are no sessions.
 * - `stateless`, revision 2026-07-28: every request carries its version and the client's
 *   capabilities in `params._meta`, mirrored in headers.
 */

import type { Implementation } from "@modelcontextprotocol/sdk/types.js";

export type ProtocolMode = "handshake" | "stateless";

export const HANDSHAKE_VERSION_LATEST = "2025-11-25";
/**
 * Versions a client may agree on by `initialize`, newest first. In 2025-03-26 servers must accept batches, which
 * this one does not.
 */
export const HANDSHAKE_VERSIONS: readonly string[] = [
	HANDSHAKE_VERSION_LATEST,
	"2025-06-18",
	"2024-11-05",
	"2024-10-07",
];
/** Versions a request may claim in its `_meta`, newest first. */
export const STATELESS_VERSIONS: readonly string[] = ["2026-07-28"];

/** Members of `_meta` that make a request stateless. */
export const META_VERSION = "io.modelcontextprotocol/protocolVersion";
export const META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const META_CLIENT = "io.modelcontextprotocol/clientInfo";
/** Member of `_meta` that names the stream that a message belongs to. */
export const META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const META_SERVER = "io.modelcontextprotocol/serverInfo";

/** Codes of JSON-RPC errors. Frozen by the protocol. */
export const RPC = {
	parseError: -32700,
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internalError: -32603,
	/** Of the handshake mode alone. */
	resourceNotFound: -32002,
	/** Headers that are missing or say something else than the body; of the stateless mode. */
	headerMismatch: -32020,
	unsupportedVersion: -32022,
} as const;

export type RequestId = string | number;

/** What a response that is an error says. */
export interface RpcFault {
	readonly code: number;
	readonly message: string;
	readonly data?: Readonly<Record<string, unknown>> | undefined;
}

export const SERVER_INFO = {
	name: "rollcall",
	title: "Rollcall: real-estate license records",
	version: "1.0.0",
} as const satisfies Implementation;

/** How long, and shared among whom, a client of the stateless mode may keep a result. */
export interface CacheHint {
	readonly ttlMs: number;
	readonly cacheScope: "public" | "private";
}

const STATELESS_META = { [META_SERVER]: SERVER_INFO };
/** What every result of the stateless mode begins with. */
const STATELESS_MEMBERS = membersWith({});

function membersWith(meta: Readonly<Record<string, unknown>>): string {
	return `"resultType":"complete","_meta":${JSON.stringify({ ...STATELESS_META, ...meta })}`;
}

/**
 * The response that carries `result`, which is the text of a JSON object; `meta`: further members of the
 * stateless mode's `_meta`. Cost: one concatenation, so that a result rendered as text is never parsed.
 */
export function resultResponse(
	mode: ProtocolMode,
	id: RequestId,
	result: string,
	cache: CacheHint | null,
	meta: Readonly<Record<string, unknown>> | null = null,
): string {
	const start = `${RESPONSE_START}${idText(id)},"result":`;
	if (mode === "handshake") return `${start}${result}}`;
	const hint = cache === null ? "" : `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.cacheScope}"`;
	const rest = result === "{}" ? "}" : `,${result.slice(1)}`;
	const members = meta === null ? STATELESS_MEMBERS : membersWith(meta);
	return `${start}{${members}${hint}${rest}}`;
}

/** What a response begins with, up to its id; after the id follows {@link membersStart}. */
export const RESPONSE_START = '{"jsonrpc":"2.0","id":';

/** {@link resultResponse} of a result that is not to be kept, from the id up to the result's own members. REQUIRES: it has some. */
export function membersStart(mode: ProtocolMode): string {
	return mode === "handshake" ? HANDSHAKE_START : STATELESS_START;
}

const HANDSHAKE_START = ',"result":{';
const STATELESS_START = `${HANDSHAKE_START}${STATELESS_MEMBERS},`;

/** The id as JSON. */
export function idText(id: RequestId): string {
	return typeof id === "number" ? String(id) : JSON.stringify(id);
}

/** The response that carries `error`; `id` is null if it could not be read. */
export function errorResponse(id: RequestId | null, { code, message, data }: RpcFault): string {
	const error = data === undefined ? { code, message } : { code, message, data };
	return JSON.stringify({ jsonrpc: "2.0", id, error });
}
