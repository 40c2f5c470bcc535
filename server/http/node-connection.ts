/**
 * One HTTP/1.1 connection over node:net: reads requests one after the other, and sends each response in one
 * write.
 *
 * Invariants:
 * - One request at a time. The next one is parsed when the kernel has accepted the whole response to the last;
 *   until then the socket is not read. So a connection holds at most one response, one head and the result of
 *   one read of the socket.
 * - Every state except an unanswered request has a deadline, which the transport checks (`deadlineMs`); a
 *   response that is being sent has the timeout of its socket, which counts progress.
 */

import type { Socket } from "node:net";
import type { BodyStream } from "./body-stream.js";
import { ChunkedBody } from "./chunked-body.js";
import { type ExchangeConnection, NodeExchange } from "./node-exchange.js";
import { isTokenCharacter, parseHead } from "./parse-head.js";
import { HEAD_BYTES_MAX, RequestHead } from "./request-head.js";
import type { SendBuffers } from "./send-buffers.js";
import { type Framing, SocketWriter } from "./socket-writer.js";
import type { TransportOptions } from "./transport.js";

/** A connection without a request is closed after this, as is one that takes longer to send a head. */
const IDLE_MS = 10_000;
/** Maximum time for a body as a whole, and between two parts of it. */
const BODY_MS = 30_000;
const BODY_SILENCE_MS = 10_000;
/** After the last response, further input is discarded for this long, so that the client can read the response. */
const LINGER_MS = 2_000;

const HEAD_END = Buffer.from("\r\n\r\n");
const NOTHING = new RequestHead("", "", "");
const HEAD_ALONE = new RequestHead("HEAD", "", "");
const CR = 0x0d;
const LF = 0x0a;

/** What the connections of one transport share. */
export interface ConnectionContext {
	readonly options: TransportOptions;
	readonly buffers: SendBuffers;
	/** A clock that is updated each second, for deadlines. */
	readonly nowMs: number;
	/** Whether responses close their connection because the server stops. */
	readonly closing: boolean;
	closed(connection: NodeConnection): void;
}

interface BodyReader {
	/** Bytes of a body whose length is known. */
	readonly bytes: number;
	/** The decoder of a body in chunks; null: its length is known. */
	readonly chunks: ChunkedBody | null;
	/** The parts received, in one buffer: each part of its own would take some hundred bytes besides. Null: none. */
	received: Buffer | null;
	readonly silenceEndsMs: number;
	missing: number;
	/** Null: the client has disconnected. */
	resolve(body: Buffer | "too_large" | null): void;
}

export class NodeConnection implements ExchangeConnection {
	/** When the connection is closed unless something happens. */
	deadlineMs: number;
	readonly peer: string;
	private readonly socket: Socket;
	private readonly context: ConnectionContext;
	private readonly writer: SocketWriter;
	/** Received and not parsed. */
	private unread: Buffer | null = null;
	private exchange: NodeExchange | null = null;
	private body: BodyReader | null = null;
	private parsing = false;
	private paused = false;
	/** Part of a head has been received. */
	private headBegun = false;
	/** The client has closed its side. */
	private ended = false;
	/** The last response was sent. */
	private lingering = false;

	constructor(socket: Socket, peer: string, context: ConnectionContext) {
		this.socket = socket;
		this.peer = peer;
		this.context = context;
		this.writer = new SocketWriter(socket, context.options.load, context.buffers);
		this.deadlineMs = context.nowMs + IDLE_MS;
		socket.on("data", (chunk: Buffer) => this.receive(chunk));
		socket.on("end", () => this.endReceived());
		socket.on("timeout", () => socket.destroy());
		// A failure of a socket is handled when it closes.
		socket.on("error", () => undefined);
		socket.on("close", () => this.closed());
	}

	/** Closes the connection at once. */
	destroy(): void {
		this.socket.destroy();
	}

	/** Closes the connection if no request has begun on it. */
	closeIfIdle(): void {
		if (this.exchange === null && this.unread === null && !this.lingering) this.socket.destroy();
	}

	/** Answers that the connection is one too many and closes it. */
	refuse(): void {
		this.exchange = new NodeExchange(this, NOTHING, this.context.options.load);
		this.exchange.closes = true;
		this.context.options.shed(NOTHING, this.exchange);
	}

	write(head: string, body: Uint8Array | string): void {
		this.giveBodyUp();
		this.writer.write(head, body, () => this.sent());
	}

	stream(head: string, body: BodyStream, framing: Framing): void {
		void this.writer.stream(head, body, framing, () => this.sent());
	}

	receiveBody(bytes: number, asked: boolean): Promise<Buffer | null> {
		return this.receiveBy(bytes, null, asked) as Promise<Buffer | null>;
	}

	receiveChunks(maxBytes: number, asked: boolean): Promise<Buffer | "too_large" | null> {
		return this.receiveBy(0, new ChunkedBody(maxBytes), asked);
	}

	private receiveBy(
		bytes: number,
		chunks: ChunkedBody | null,
		asked: boolean,
	): Promise<Buffer | "too_large" | null> {
		if (asked) this.socket.write("HTTP/1.1 100 Continue\r\n\r\n");
		const { load } = this.context.options;
		const { nowMs } = this.context;
		load.pending--;
		load.receiving++;
		const promise = new Promise<Buffer | "too_large" | null>((resolve) => {
			this.body = { bytes, chunks, received: null, missing: bytes, silenceEndsMs: nowMs + BODY_MS, resolve };
		});
		this.deadlineMs = nowMs + BODY_SILENCE_MS;
		const { unread } = this;
		this.unread = null;
		if (unread !== null) this.receive(unread);
		this.resume();
		return promise;
	}

	private receive(chunk: Buffer): void {
		if (this.lingering) return;
		if (this.body !== null) {
			if (this.body.chunks === null) this.receivePart(this.body, chunk);
			else this.receiveChunk(this.body, this.body.chunks, chunk);
			return;
		}
		this.unread = this.unread === null ? chunk : Buffer.concat([this.unread, chunk]);
		if (this.exchange === null) this.parse();
		else this.pause();
	}

	private pause(): void {
		if (this.paused) return;
		this.paused = true;
		this.socket.pause();
	}

	private resume(): void {
		if (!this.paused) return;
		this.paused = false;
		this.socket.resume();
	}

	private receivePart(body: BodyReader, chunk: Buffer): void {
		const part = chunk.length > body.missing ? chunk.subarray(0, body.missing) : chunk;
		if (part.length < body.bytes) {
			body.received ??= Buffer.allocUnsafe(body.bytes);
			body.received.set(part, body.bytes - body.missing);
		}
		body.missing -= part.length;
		if (part.length < chunk.length) this.unread = chunk.subarray(part.length);
		if (body.missing > 0) {
			this.deadlineMs = Math.min(body.silenceEndsMs, this.context.nowMs + BODY_SILENCE_MS);
			return;
		}
		this.endBody();
		body.resolve(body.received ?? part);
	}

	private receiveChunk(body: BodyReader, chunks: ChunkedBody, bytes: Buffer): void {
		const outcome = chunks.add(bytes);
		if (outcome === "more") {
			this.deadlineMs = Math.min(body.silenceEndsMs, this.context.nowMs + BODY_SILENCE_MS);
			return;
		}
		// There is no answer to trust, as where the library of the other transport reads the chunks.
		if (outcome === "malformed") {
			this.socket.destroy();
			return;
		}
		this.unread = chunks.unread;
		this.endBody();
		body.resolve(outcome === "done" ? chunks.data : outcome);
	}

	/** Receives no more of a body whose request is answered, or cannot be; the connection takes no other request. */
	private giveBodyUp(): void {
		const { body } = this;
		if (body === null) return;
		this.endBody();
		body.resolve(null);
	}

	/** The body has been received or never will be. */
	private endBody(): void {
		const { load } = this.context.options;
		this.body = null;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		load.receiving--;
		load.pending++;
	}

	/** Parses and serves requests until one waits for its response or no whole head is there. */
	private parse(): void {
		if (this.parsing) return;
		this.parsing = true;
		while (this.exchange === null && !this.lingering && this.unread !== null) {
			const { unread } = this;
			const start = skipEmptyLines(unread);
			const end = unread.indexOf(HEAD_END, start);
			if (end < 0 || end - start > HEAD_BYTES_MAX) {
				this.judgePart(unread, start, end);
				break;
			}
			this.unread = end + 4 < unread.length ? unread.subarray(end + 4) : null;
			this.serve(unread, start, end);
		}
		this.parsing = false;
		if (this.exchange !== null || this.lingering) return;
		if (this.ended) this.finish();
		else this.resume();
	}

	/** Refuses the beginning of a head that can never become a valid one. */
	private judgePart(unread: Buffer, start: number, end: number): void {
		if (start === unread.length) {
			this.unread = null;
			return;
		}
		const first = unread[start];
		const mayBeEmptyLine = first === CR && start + 1 === unread.length;
		const lineEnd = unread.indexOf(LF, start);
		if (end >= 0 || unread.length - start > HEAD_BYTES_MAX)
			this.refuseHead(`target and headers are longer than ${HEAD_BYTES_MAX} bytes`, unread, start);
		else if (!mayBeEmptyLine && !isTokenCharacter(first))
			this.refuseHead("the request is not well-formed HTTP/1.1", unread, start);
		else if (lineEnd >= 0 && unread[lineEnd - 1] !== CR)
			this.refuseHead("a line ends without CR LF", unread, start);
		else if (!this.headBegun) {
			// The time for a head begins with its first byte, independent of the others.
			this.headBegun = true;
			this.deadlineMs = this.context.nowMs + IDLE_MS;
		}
	}

	private serve(bytes: Buffer, start: number, end: number): void {
		const { options } = this.context;
		const parsed = parseHead(bytes, start, end);
		if (!(parsed instanceof RequestHead)) {
			this.refuseHead(parsed.fault, bytes, start);
			return;
		}
		const exchange = new NodeExchange(this, parsed, options.load);
		this.exchange = exchange;
		this.headBegun = false;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		const fault = parsed.framingFault();
		// An unread body must not be parsed as the next request.
		exchange.closes = fault !== null || parsed.closes || parsed.contentLength > 0 || parsed.chunked;
		if (fault !== null) options.refuse(parsed, exchange, fault);
		else if (!options.urgent(parsed) && options.load.sheds()) options.shed(parsed, exchange);
		else exchange.run(options);
	}

	/** Answers 400 to bytes that are not a request, without a body where their method is HEAD, and closes. */
	private refuseHead(reason: string, bytes: Buffer, start: number): void {
		const { options } = this.context;
		const head = methodOf(bytes, start);
		this.unread = null;
		this.exchange = new NodeExchange(this, head, options.load);
		this.exchange.closes = true;
		options.refuse(head, this.exchange, reason);
	}

	/** Whether responses close this connection because the server stops. */
	get stopping(): boolean {
		return this.context.closing;
	}

	/** The kernel has the whole response: the next request may be served. */
	private sent(): void {
		const { exchange } = this;
		if (exchange === null) return;
		this.exchange = null;
		this.deadlineMs = this.context.nowMs + IDLE_MS;
		exchange.end();
		if (exchange.closes) this.finish();
		else this.parse();
	}

	/** Closes this side, and the connection once the client has closed its own or some time has passed. */
	private finish(): void {
		this.lingering = true;
		this.unread = null;
		this.deadlineMs = this.context.nowMs + LINGER_MS;
		this.socket.end();
		this.resume();
	}

	private endReceived(): void {
		this.ended = true;
		// If a body ends early, there is no client to answer.
		if (this.body !== null) this.socket.destroy();
		else if (this.exchange === null) this.finish();
	}

	private closed(): void {
		this.giveBodyUp();
		this.writer.closed();
		this.exchange?.end();
		this.exchange = null;
		this.unread = null;
		this.lingering = true;
		this.context.closed(this);
	}
}

/** Start of the first line that is not empty: a robust server ignores empty lines before a request (RFC 9112 §2.2). */
function skipEmptyLines(bytes: Buffer): number {
	let at = 0;
	while (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
	return at;
}

/** What is known of a request that is refused unparsed: whether it is HEAD. */
function methodOf(bytes: Buffer, start: number): RequestHead {
	return bytes.toString("latin1", start, start + 5) === "HEAD " ? HEAD_ALONE : NOTHING;
}
