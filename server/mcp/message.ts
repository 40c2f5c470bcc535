/**
 * Parses the bytes of a body into one JSON-RPC message, and determines its mode from the message and the
 * headers. Every fault here is a protocol error with status 400: a defect of the client's software that an agent
 * cannot correct by changing arguments.
 */

import { isUtf8 } from "node:buffer";
import { quoted } from "../../formats/index.js";
import type { RequestHead } from "../http/request-head.js";
import { isObject, isRequestId, type JsonObject, mirroredName } from "./json-rpc.js";
import { shapeFault } from "./json-shape.js";
import { MessageForms } from "./message-forms.js";
import {
	HANDSHAKE_VERSIONS,
	META_CAPABILITIES,
	META_CLIENT,
	META_VERSION,
	type ProtocolMode,
	type RequestId,
	RPC,
	STATELESS_VERSIONS,
} from "./protocol.js";
import { RpcError } from "./rpc-error.js";

export interface RequestMessage {
	readonly kind: "request";
	readonly id: RequestId;
	readonly method: string;
	readonly params: JsonObject;
}

/** A message without an answer: a notification, or an unsolicited response. */
export interface OneWayMessage {
	readonly kind: "one-way";
	readonly params: JsonObject;
}

export type Message = RequestMessage | OneWayMessage;

const NO_PARAMS: JsonObject = {};

const forms = new MessageForms();

/**
 * Parses a body. Throws RpcError for one that is not JSON, or too complex (json-shape.ts). The value may be overwritten
 * by the next call. Cost O(bytes).
 */
export function parseBody(body: Buffer): unknown {
	const known = forms.find(body);
	if (known !== undefined) return known;
	const parsed = parseAnew(body);
	forms.offer(body);
	return parsed;
}

function parseAnew(body: Buffer): unknown {
	if (!isUtf8(body)) throw new RpcError(RPC.parseError, "the body is not UTF-8", 400);
	const fault = shapeFault(body);
	if (fault !== null) throw new RpcError(RPC.invalidRequest, fault, 400);
	try {
		return JSON.parse(body.toString("utf8"));
	} catch {
		// The parser's own message may quote the body, which must not be echoed.
		const what = body.length === 0 ? "the body is empty" : "the body is not JSON";
		throw new RpcError(RPC.parseError, `${what}; send one JSON-RPC 2.0 message`, 400);
	}
}

/** Reads a parsed message. Throws RpcError if it is not one. */
export function readMessage(parsed: unknown): Message {
	if (Array.isArray(parsed))
		throw invalid("batches are not accepted; send each message as a request of its own");
	if (!isObject(parsed)) throw invalid("a message is a JSON object");
	if (parsed.jsonrpc !== "2.0") throw invalid('jsonrpc must be "2.0"');
	if (parsed.method === undefined && ("result" in parsed || "error" in parsed))
		return { kind: "one-way", params: NO_PARAMS };
	if (typeof parsed.method !== "string") throw invalid("method must be text");
	if (parsed.params !== undefined && !isObject(parsed.params)) throw invalid("params must be an object");
	const params = parsed.params ?? NO_PARAMS;
	if (!("id" in parsed)) return { kind: "one-way", params };
	if (!isRequestId(parsed.id)) throw invalid("id must be text or a whole number");
	return { kind: "request", id: parsed.id, method: parsed.method, params };
}

/** The mode of `message`. Throws RpcError for an unsupported version or mismatched headers. */
export function modeOf(message: Message, head: RequestHead): ProtocolMode {
	const header = head.mcpProtocolVersion?.trim() ?? null;
	const meta = isObject(message.params._meta) ? message.params._meta : NO_PARAMS;
	const claim = meta[META_VERSION];
	const stateless = header !== null && STATELESS_VERSIONS.includes(header);
	if (message.kind === "one-way") {
		if (!stateless && claim === undefined) requireHandshakeVersion(header);
		return stateless || claim !== undefined ? "stateless" : "handshake";
	}
	if (claim !== undefined) {
		checkStateless(message, meta, header, head);
		return "stateless";
	}
	if (message.method === "initialize") {
		if (stateless)
			throw mismatch(`initialize belongs to earlier versions than MCP-Protocol-Version ${quoted(header)}`);
		return "handshake";
	}
	if (stateless)
		throw new RpcError(
			RPC.invalidParams,
			`params._meta lacks ${META_VERSION}, which version ${header} requires`,
			400,
		);
	requireHandshakeVersion(header);
	return "handshake";
}

/** Clients repeat the negotiated version in each request; those before 2025-06-18 do not. */
function requireHandshakeVersion(header: string | null): void {
	if (header === null || HANDSHAKE_VERSIONS.includes(header)) return;
	throw unsupportedVersion(header, [...STATELESS_VERSIONS, ...HANDSHAKE_VERSIONS]);
}

function checkStateless(
	message: RequestMessage,
	meta: JsonObject,
	header: string | null,
	head: RequestHead,
): void {
	const claim = meta[META_VERSION];
	if (typeof claim !== "string") throw badMeta(META_VERSION, "must be text");
	if (!isObject(meta[META_CAPABILITIES])) throw badMeta(META_CAPABILITIES, "must be an object");
	if (meta[META_CLIENT] !== undefined && !isObject(meta[META_CLIENT]))
		throw badMeta(META_CLIENT, "must be an object");
	if (header !== null && header !== claim)
		throw mismatch(`MCP-Protocol-Version is ${quoted(header)}, the body says ${quoted(claim)}`);
	if (!STATELESS_VERSIONS.includes(claim)) throw unsupportedVersion(claim, STATELESS_VERSIONS);
	if (header === null) throw mismatch("the header MCP-Protocol-Version is missing");
	checkMirror("Mcp-Method", head.mcpMethod, message.method);
	const name = mirroredName(message.method, message.params);
	if (name !== null) checkMirror("Mcp-Name", decodedHeader(head.mcpName), name);
}

function checkMirror(name: string, header: string | null, body: string): void {
	if (header === null) throw mismatch(`the header ${name} is missing`);
	if (header !== body) throw mismatch(`${name} is ${quoted(header)}, the body says ${quoted(body)}`);
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** The value of a header that may be encoded as Base64. Throws RpcError if it does not decode. */
function decodedHeader(header: string | null): string | null {
	if (header === null) return null;
	const value = header.trim();
	if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value;
	const match = ENCODED.exec(value);
	const bytes = match === null ? null : Buffer.from(match[1], "base64");
	if (bytes === null || bytes.length === 0 || !isUtf8(bytes)) throw mismatch("Mcp-Name is no valid Base64");
	return bytes.toString("utf8");
}

function invalid(message: string): RpcError {
	return new RpcError(RPC.invalidRequest, message, 400);
}

function mismatch(message: string): RpcError {
	return new RpcError(RPC.headerMismatch, `the request's headers and body disagree: ${message}`, 400);
}

function badMeta(name: string, rule: string): RpcError {
	return new RpcError(RPC.invalidParams, `params._meta: ${name} ${rule}`, 400);
}

function unsupportedVersion(requested: string, supported: readonly string[]): RpcError {
	return new RpcError(
		RPC.unsupportedVersion,
		`protocol version ${quoted(requested)} is not supported; the versions are ${supported.join(", ")}`,
		400,
		{ supported, requested: requested.slice(0, 100) },
	);
}
