/**
 * The interface between HTTP and the service. The service answers a {@link RequestHead} through an
 * {@link Exchange} and never sees a socket; a transport reads and writes HTTP/1.1 and never sees the
 * service.
 *
 * Contract of every transport:
 * - `handle` is called once per request whose framing is valid (request-head.ts); any other request is
 *   answered 400 by the transport and its connection is closed.
 * - Exactly one response is sent per request. If `handle` throws, rejects, or returns without a
 *   response pending, the transport answers 500 and reports the error.
 * - A request that arrives while the thread is overloaded (load.ts) is answered by `shed`, unless it is
 *   `urgent`.
 * - A connection whose response has not been taken by its client takes no further request. The bytes of
 *   such responses are counted in {@link Load}, and a client that reads nothing for about ten seconds is
 *   disconnected, as is a client that sends nothing for as long.
 * - A request whose body is being received does not count as pending work.
 * - Connections are limited in total and per client address (connection-limits.ts).
 * - HEAD responses carry the headers of GET, `Content-Length` included where it is known in advance, and no body.
 */

import type { BodyStream } from "./body-stream.js";
import type { ConnectionLimits } from "./connection-limits.js";
import type { Load } from "./load.js";
import type { RequestHead } from "./request-head.js";

/** Values of the setting `transport`. */
export const TRANSPORT_CHOICES = ["auto", "uws", "node"] as const;
export type TransportChoice = (typeof TRANSPORT_CHOICES)[number];

/** `--transport uws` was given and the library does not run here. */
export class TransportUnavailableError extends Error {
	constructor(reason: string) {
		super(`uWebSockets.js does not run here: ${reason}`);
		this.name = "TransportUnavailableError";
	}
}

/** Whether responses with this status code never carry a body. */
export function isBodiless(status: number): boolean {
	return status === 204 || status === 304;
}

/** Status codes the service answers with, and their status lines. */
export const STATUS_LINES = {
	200: "200 OK",
	202: "202 Accepted",
	204: "204 No Content",
	206: "206 Partial Content",
	304: "304 Not Modified",
	400: "400 Bad Request",
	401: "401 Unauthorized",
	403: "403 Forbidden",
	404: "404 Not Found",
	405: "405 Method Not Allowed",
	406: "406 Not Acceptable",
	410: "410 Gone",
	412: "412 Precondition Failed",
	413: "413 Content Too Large",
	415: "415 Unsupported Media Type",
	416: "416 Range Not Satisfiable",
	429: "429 Too Many Requests",
	500: "500 Internal Server Error",
	501: "501 Not Implemented",
	503: "503 Service Unavailable",
} as const;

export type Status = keyof typeof STATUS_LINES;

/**
 * A block of response headers: lines `Name: value`, each preceded by CRLF, so that blocks
 * concatenate. Values are ASCII and come from this service, never unchecked from a request.
 */
export type HeaderBlock = string;

/** One request as the service answers it. */
export interface Exchange {
	/** The client has disconnected or the response is complete: nothing more can be sent. */
	readonly finished: boolean;

	/** Address of the connection's peer, as the transport formats it. REQUIRES: not {@link finished}. */
	peerAddress(): string;

	/**
	 * Sends the response. `body` may be a view that the caller reuses once this returns; what the
	 * socket does not accept at once is copied. Does nothing if the client has disconnected.
	 */
	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void;

	/**
	 * Sends a 200 or 206 whose body is produced as the client takes it, and closes it in the end. HEAD and
	 * clients that have disconnected close it at once.
	 */
	stream(status: Status, headers: HeaderBlock, body: BodyStream): void;

	/**
	 * Receives the request's body, at most `maxBytes` of it, and calls `take` once, which then answers the
	 * request. A request that is answered before gives its body up: `take` may then not be called, and what it sends is
	 * ignored. Returns what `handle` is to return. REQUIRES: called before `handle` returns.
	 */
	receiveBody(maxBytes: number, take: TakeBody): void | Promise<void>;
}

/** Why a body was not received: the client has disconnected, or the connection closes after the response. */
export type BodyFault = "aborted" | "too_large";

/**
 * Answers a request by its body, synchronously or later, as {@link Handle} does. `body` may be a view that is
 * overwritten once this returns.
 */
export type TakeBody = (body: Buffer | BodyFault) => void | Promise<void>;

/** Answers one request, synchronously or later. */
export type Handle = (request: RequestHead, exchange: Exchange) => void | Promise<void>;

/** What a transport calls of the service. */
export interface TransportOptions {
	readonly handle: Handle;
	/** Sends the response to a request with invalid framing. No field of the head can be relied on. */
	readonly refuse: (request: RequestHead, exchange: Exchange, reason: string) => void;
	/** Sends the response after `handle` failed; `error` is a defect of the service. */
	readonly fail: (request: RequestHead, exchange: Exchange, error: unknown) => void;
	/** Sends the response to a request, or to a connection, that is one too many. */
	readonly shed: (request: RequestHead, exchange: Exchange) => void;
	/** Whether a request is answered even while others are shed: health checks are. */
	readonly urgent: (request: RequestHead) => boolean;
	/** Requests in progress and bytes held; the transport updates it. */
	readonly load: Load;
	readonly connections: ConnectionLimits;
}

export interface Transport {
	/** Which implementation this is. */
	readonly name: "uws" | "node";
	/** Starts serving. Port 0 takes a free one. Rejects where the address is taken or not local. */
	listen(host: string, port: number): Promise<{ port: number }>;
	/**
	 * Stops accepting, lets requests in flight finish for at most `graceMs`, then closes every
	 * connection. Responses sent meanwhile close their connection.
	 */
	close(graceMs: number): Promise<void>;
	/** Closes the port and every connection now, answered or not: for a thread that is ending. */
	abort(): void;
}

/** What the system's errors mean for an operator. */
const LISTEN_FAULTS: Readonly<Record<string, string>> = {
	EADDRINUSE: "the address is taken; choose another port, or end what listens there",
	EADDRNOTAVAIL: "the address is not this machine's",
	EACCES: "this user may not listen there; ports below 1024 need a privilege",
	ENOTFOUND: "no such host",
};

/** Why a server could not start to listen. */
export class ListenError extends Error {
	/** The message without the address. */
	readonly reason: string;

	constructor(host: string, port: number, fault: NodeJS.ErrnoException | string) {
		const reason = typeof fault === "string" ? fault : (LISTEN_FAULTS[fault.code ?? ""] ?? fault.message);
		super(`cannot listen on ${host}:${port}: ${reason}`);
		this.name = "ListenError";
		this.reason = reason;
	}
}
