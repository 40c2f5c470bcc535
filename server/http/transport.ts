/**
 * The seam between HTTP and the service: the service answers a {@link RequestHead} through an
 * {@link Exchange} and knows nothing of sockets; a transport reads and writes HTTP/1.1 and knows
 * nothing of the service.
 *
 * Contract of every transport:
 * - `handle` is called once per request whose framing is plain (framing.ts); any other request is
 *   answered 400 by the transport and its connection is closed.
 * - Exactly one answer is sent per request. Where `handle` throws, rejects, or returns without an
 *   answer pending, the transport answers 500 and reports the fault.
 * - A request that comes while the thread is overloaded (load.ts) is answered by `shed`.
 * - What a slow reader has not taken yet is held in memory and accounted for; a reader that takes
 *   nothing for some ten seconds is cut off, as is a connection that sends nothing for as long.
 * - HEAD answers carry the headers of GET, `Content-Length` included, and no body.
 */

import type { Load } from "./load.js";
import type { RequestHead } from "./request-head.js";

/** Answers with these status codes never carry a body. */
export function isBodiless(status: number): boolean {
	return status === 204 || status === 304;
}

/** Status codes the service answers with, and their status lines. */
export const STATUS_LINES = {
	200: "200 OK",
	202: "202 Accepted",
	204: "204 No Content",
	304: "304 Not Modified",
	400: "400 Bad Request",
	401: "401 Unauthorized",
	403: "403 Forbidden",
	404: "404 Not Found",
	405: "405 Method Not Allowed",
	406: "406 Not Acceptable",
	413: "413 Content Too Large",
	415: "415 Unsupported Media Type",
	429: "429 Too Many Requests",
	500: "500 Internal Server Error",
	503: "503 Service Unavailable",
} as const;

export type Status = keyof typeof STATUS_LINES;

/**
 * A block of response headers: lines `Name: value`, each preceded by CRLF, so that blocks
 * concatenate. Values come from this service, never unchecked from a request.
 */
export type HeaderBlock = string;

/** One request's way to its answer. */
export interface Exchange {
	/** The client went away, or the answer is complete: nothing more can be sent. */
	readonly finished: boolean;

	/** Address of the connection's other end, in the transport's spelling. REQUIRES: not {@link finished}. */
	peerAddress(): string;

	/**
	 * Sends the answer. `body` may be a view that the caller reuses once this returns; what the
	 * socket does not take at once is copied. Does nothing where the client has gone.
	 */
	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void;

	/**
	 * Reads the request's body, at most `maxBytes` of it. REQUIRES: called before `handle` returns.
	 * Rejects with {@link BodyError}: `too_large` (the connection closes after the answer) or
	 * `aborted` (there is nobody left to answer).
	 */
	readBody(maxBytes: number): Promise<Buffer>;
}

export type BodyFault = "too_large" | "aborted";

/** Why a request's body could not be read. */
export class BodyError extends Error {
	readonly fault: BodyFault;

	constructor(fault: BodyFault) {
		super(`request body ${fault === "aborted" ? "aborted" : "too large"}`);
		this.name = "BodyError";
		this.fault = fault;
	}
}

/** Answers one request, at once or later. */
export type Handle = (request: RequestHead, exchange: Exchange) => void | Promise<void>;

/** What a transport tells and asks of the service. */
export interface TransportOptions {
	readonly handle: Handle;
	/** Sends the answer to a request whose framing is refused. Nothing of the head is to be relied on. */
	readonly refuse: (request: RequestHead, exchange: Exchange, reason: string) => void;
	/** Sends the answer where `handle` failed; `error` is a fault of ours. */
	readonly fail: (request: RequestHead, exchange: Exchange, error: unknown) => void;
	/** Sends the answer to a request that comes while there is too much to do. */
	readonly shed: (request: RequestHead, exchange: Exchange) => void;
	/** What the transport has on its hands; it keeps the account. */
	readonly load: Load;
}

export interface Transport {
	/** Which implementation this is. */
	readonly name: "uws" | "node";
	/** Starts serving. Port 0 takes a free one. Rejects where the address is taken or not ours. */
	listen(host: string, port: number): Promise<{ port: number }>;
	/**
	 * Stops accepting, lets requests in flight finish for at most `graceMs`, then closes every
	 * connection. Answers sent meanwhile close their connection.
	 */
	close(graceMs: number): Promise<void>;
	/** Closes the port and every connection now, answered or not: what a dying thread has to do. */
	abort(): void;
}

/** Why a server could not start to listen. */
export class ListenError extends Error {
	constructor(host: string, port: number, reason: string) {
		super(`cannot listen on ${host}:${port}: ${reason}`);
		this.name = "ListenError";
	}
}
