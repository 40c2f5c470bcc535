/**
 * HTTP over node:http, for Node versions that uWebSockets.js has no binary for. The same contract,
 * at roughly a third of the rate.
 *
 * node:http lets through what the service refuses: several Host headers, versions other than 1.0
 * and 1.1, and requests without a version. They end here with 400 as on the other transport.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { HeldAnswer, Load } from "./load.js";
import { HEAD_BYTES_MAX, RequestHead } from "./request-head.js";
import {
	BodyError,
	type Exchange,
	type HeaderBlock,
	isBodiless,
	ListenError,
	STATUS_LINES,
	type Status,
	type Transport,
	type TransportOptions,
} from "./transport.js";

/** A connection without a request is closed after this. */
const KEEP_ALIVE_MS = 10_000;
/** A request whose headers or body take longer is closed. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How late that may be noticed. */
const TIMEOUT_CHECK_MS = 2_000;
/** A socket that takes no bytes of its answer for this long is closed. */
const STUCK_SOCKET_MS = 10_000;

const EXPECTS_CONTINUE = /^100-continue$/i;

const utf8 = new TextDecoder("utf-8");

export class NodeTransport implements Transport {
	readonly name = "node";
	private readonly server: Server;
	private readonly options: TransportOptions;
	private closing = false;
	/** Connections whose last request is refused: what else comes on them gets no answer of its own. */
	private readonly refused = new WeakSet<Socket>();
	/** Exchanges of each open connection: node:http tells a pipelined answer nothing of its connection's end. */
	private readonly exchanges = new WeakMap<Socket, Set<NodeExchange>>();

	constructor(options: TransportOptions) {
		this.options = options;
		this.server = createServer(
			{
				maxHeaderSize: HEAD_BYTES_MAX,
				keepAliveTimeout: KEEP_ALIVE_MS,
				headersTimeout: REQUEST_TIMEOUT_MS,
				requestTimeout: REQUEST_TIMEOUT_MS,
				connectionsCheckingInterval: TIMEOUT_CHECK_MS,
				requireHostHeader: false,
				noDelay: true,
			},
			(message, response) => this.serve(message, response),
		);
		this.server.timeout = STUCK_SOCKET_MS;
		// A client may close its side once it has asked. A property of node:http that its types do not know.
		Object.assign(this.server, { httpAllowHalfOpen: true });
		// Headers past the default of 2,000 would be dropped unseen; their bytes are bounded anyway.
		this.server.maxHeadersCount = 0;
		this.server.on("connection", (socket) => this.follow(socket));
		this.server.on("checkContinue", (message, response) => this.serve(message, response));
		// An expectation nobody knows is ignored (RFC 9110 §10.1.1); node:http would answer it itself.
		this.server.on("checkExpectation", (message, response) => this.serve(message, response));
		this.server.on("clientError", (_error, socket) => this.refuseRaw(socket as Socket));
	}

	listen(host: string, port: number): Promise<{ port: number }> {
		return new Promise((resolve, reject) => {
			this.server.once("error", (error) => reject(new ListenError(host, port, error.message)));
			this.server.listen({ host, port, exclusive: false }, () => {
				resolve({ port: (this.server.address() as AddressInfo).port });
			});
		});
	}

	close(graceMs: number): Promise<void> {
		this.closing = true;
		return new Promise((resolve) => {
			const force = setTimeout(() => this.server.closeAllConnections(), graceMs);
			this.server.close(() => {
				clearTimeout(force);
				resolve();
			});
			this.server.closeIdleConnections();
		});
	}

	abort(): void {
		this.closing = true;
		this.server.close();
		this.server.closeAllConnections();
	}

	private follow(socket: Socket): void {
		const exchanges = new Set<NodeExchange>();
		this.exchanges.set(socket, exchanges);
		socket.once("close", () => {
			for (const exchange of exchanges) exchange.end();
		});
	}

	private serve(message: IncomingMessage, response: ServerResponse): void {
		if (this.refused.has(message.socket)) return;
		const head = readHead(message);
		const exchange = new NodeExchange(message, response, head, this.closing, this.options.load);
		const exchanges = this.exchanges.get(message.socket);
		exchanges?.add(exchange);
		response.once("close", () => {
			exchanges?.delete(exchange);
			exchange.end();
		});
		const fault = versionFault(message) ?? hostFault(head) ?? head.framingFault();
		if (fault !== null) {
			exchange.closes = true;
			this.refused.add(message.socket);
			this.options.refuse(head, exchange, fault);
			return;
		}
		if (head.contentLength > 0) exchange.closes = true;
		if (this.options.load.sheds()) this.options.shed(head, exchange);
		else this.run(head, exchange);
	}

	private async run(head: RequestHead, exchange: NodeExchange): Promise<void> {
		try {
			await this.options.handle(head, exchange);
			if (!exchange.answered && !exchange.finished)
				this.options.fail(head, exchange, new Error("the handler sent no answer"));
		} catch (error) {
			this.options.fail(head, exchange, error);
		}
	}

	/** Answers bytes that are no HTTP request, on a socket that no exchange owns. */
	private refuseRaw(socket: Socket): void {
		if (socket.destroyed || !socket.writable || this.refused.has(socket)) return;
		this.options.refuse(
			new RequestHead("", "", ""),
			new RawExchange(socket),
			"the request is not well-formed HTTP/1.1",
		);
	}
}

function readHead(message: IncomingMessage): RequestHead {
	// node:http gives the target's bytes as Latin-1 text; the service reads UTF-8.
	const target = utf8.decode(Buffer.from(message.url ?? "", "latin1"));
	const mark = target.indexOf("?");
	const path = mark < 0 ? target : target.slice(0, mark);
	const head = new RequestHead(message.method ?? "", path, mark < 0 ? "" : target.slice(mark + 1));
	const raw = message.rawHeaders;
	for (let i = 0; i < raw.length; i += 2) head.add(raw[i].toLowerCase(), raw[i + 1]);
	return head;
}

function versionFault(message: IncomingMessage): string | null {
	if (message.httpVersion === "1.1" || message.httpVersion === "1.0") return null;
	return "only HTTP/1.1 is served here";
}

function hostFault(head: RequestHead): string | null {
	return head.host === null ? "the Host header is missing" : null;
}

class NodeExchange implements Exchange {
	finished = false;
	answered = false;
	private held: HeldAnswer | null = null;
	closes: boolean;

	constructor(
		private readonly message: IncomingMessage,
		private readonly response: ServerResponse,
		private readonly head: RequestHead,
		closes: boolean,
		private readonly load: Load,
	) {
		this.closes = closes;
		load.pending++;
	}

	/** The answer is complete or the connection is gone. */
	end(): void {
		if (this.finished) return;
		this.finished = true;
		this.load.pending--;
		if (this.held !== null) this.load.release(this.held);
	}

	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		if (this.answered || this.finished) return;
		this.answered = true;
		const fields = headerFields(headers);
		// The bytes may be reused as soon as this returns, and node:http writes later.
		const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
		if (!isBodiless(status)) fields.push("Content-Length", String(bytes.byteLength));
		if (this.closes) fields.push("Connection", "close");
		this.response.writeHead(status, STATUS_LINES[status].slice(4), fields);
		this.response.end(isBodiless(status) || this.head.method === "HEAD" ? undefined : bytes);
		// An answer behind another on its connection has no socket yet: the request's is the same.
		const { socket } = this.message;
		if (this.response.writableLength === 0) return;
		this.held = { bytes: this.response.writableLength, cut: () => socket.destroy() };
		this.load.hold(this.held);
	}

	peerAddress(): string {
		return this.message.socket.remoteAddress ?? "";
	}

	readBody(maxBytes: number): Promise<Buffer> {
		if (this.head.contentLength > maxBytes) {
			this.closes = true;
			return Promise.reject(new BodyError("too_large"));
		}
		return new Promise((resolve, reject) => {
			const chunks: Buffer[] = [];
			this.message.on("data", (chunk: Buffer) => chunks.push(chunk));
			this.message.once("end", () => {
				this.closes = false;
				resolve(Buffer.concat(chunks));
			});
			this.message.once("close", () => reject(new BodyError("aborted")));
			// Only who asked for it reads an interim answer; to others it is a broken one.
			if (EXPECTS_CONTINUE.test(this.message.headers.expect ?? "")) this.response.writeContinue();
		});
	}
}

/** Writes an answer straight to a socket whose request could not be parsed, and closes it. */
class RawExchange implements Exchange {
	finished = false;

	constructor(private readonly socket: Socket) {}

	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		if (this.finished) return;
		this.finished = true;
		const bytes = Buffer.from(body as string);
		const block = `HTTP/1.1 ${STATUS_LINES[status]}${headers}\r\nContent-Length: ${bytes.byteLength}\r\nConnection: close\r\n\r\n`;
		this.socket.end(Buffer.concat([Buffer.from(block), bytes]));
	}

	peerAddress(): string {
		return this.socket.remoteAddress ?? "";
	}

	readBody(): Promise<Buffer> {
		return Promise.reject(new BodyError("aborted"));
	}
}

/** The block's lines as the flat list of names and values that node:http takes. */
function headerFields(block: HeaderBlock): string[] {
	const fields: string[] = [];
	for (const line of block.split("\r\n")) {
		if (line === "") continue;
		const colon = line.indexOf(": ");
		fields.push(line.slice(0, colon), line.slice(colon + 2));
	}
	return fields;
}
