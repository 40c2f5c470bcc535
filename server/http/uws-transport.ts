/**
 * HTTP over uWebSockets.js. The only file that touches it.
 *
 * That library aborts the whole process where a handler returns with neither an answer nor an
 * abort handler, and where a header is read after the handler returned. So there is one route, one
 * wrapper around it, and the head is copied before anything else runs. Its parser accepts framing
 * that it should not; RequestHead.framingFault refuses it.
 *
 * Status and headers go out as one string through `writeStatus`, which writes its argument as is:
 * one call across the language border instead of a dozen, worth a third of the request rate on
 * small answers.
 */

import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, us_socket } from "uWebSockets.js";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { HeldAnswer, Load } from "./load.js";
import { RequestHead } from "./request-head.js";
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

/** Bodies up to this many bytes are handed over whole; larger ones are offered to the socket. */
const WHOLE_BODY_BYTES = 8 * 1024;

/** How often a closing transport looks whether its requests have finished. */
const DRAIN_POLL_MS = 10;

/** `close` exists on this build's app but not in its types. */
type App = TemplatedApp & { close(): void };

/** What this file uses of the library. */
export interface UwsLibrary {
	App(): TemplatedApp;
	us_listen_socket_close(socket: us_listen_socket): void;
	us_socket_local_port(socket: us_socket): number;
}

/**
 * The library's binary for this machine and Node version, or why there is none. The binary is
 * loaded itself, not through the package's entry, which would fall back to a JavaScript server
 * that does not keep the contract.
 */
export function loadUws(): UwsLibrary | { readonly reason: string } {
	const require = createRequire(import.meta.url);
	const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
	try {
		const entry = dirname(require.resolve("uWebSockets.js"));
		const file = [join(entry, "..", "binaries", name), join(entry, name)].find((path) => existsSync(path));
		if (file === undefined) return { reason: `it has no binary ${name}` };
		return require(file) as UwsLibrary;
	} catch (error) {
		return { reason: (error as Error).message };
	}
}

export class UwsTransport implements Transport {
	readonly name = "uws";
	private readonly uws: UwsLibrary;
	private readonly app: App;
	private readonly options: TransportOptions;
	private socket: us_listen_socket | null = null;
	private closing = false;
	/** The request whose headers are being read, and what reads them: one function for all requests. */
	private head = new RequestHead("", "", "");
	private readonly addHeader = (name: string, value: string): void => this.head.add(name, value);

	constructor(uws: UwsLibrary, options: TransportOptions) {
		this.uws = uws;
		this.app = uws.App() as App;
		this.options = options;
		this.app.any("/*", (response, request) => this.serve(response, request));
	}

	listen(host: string, port: number): Promise<{ port: number }> {
		return new Promise((resolve, reject) => {
			this.app.listen(host, port, (socket) => {
				if (socket === false) {
					reject(new ListenError(host, port, "the address is taken or not this machine's"));
					return;
				}
				this.socket = socket;
				resolve({ port: this.uws.us_socket_local_port(socket as unknown as us_socket) });
			});
		});
	}

	async close(graceMs: number): Promise<void> {
		this.closing = true;
		if (this.socket !== null) this.uws.us_listen_socket_close(this.socket);
		this.socket = null;
		const deadline = performance.now() + graceMs;
		while (this.options.load.pending > 0 && performance.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
		}
		this.app.close();
	}

	abort(): void {
		this.closing = true;
		this.socket = null;
		this.app.close();
	}

	private serve(response: HttpResponse, request: HttpRequest): void {
		// getQuery gives undefined, against its type, where the target has no question mark.
		const query: string | undefined = request.getQuery();
		const head = new RequestHead(request.getCaseSensitiveMethod(), request.getUrl(), query ?? "");
		this.head = head;
		request.forEach(this.addHeader);
		const { load } = this.options;
		const exchange = new UwsExchange(response, head, this.closing, load);
		const fault = head.framingFault();
		if (fault !== null) {
			exchange.closes = true;
			exchange.refused = true;
			// The library goes on parsing what is left in its buffer even where an answer closes the
			// connection, and drops the connection where a request follows one that waits for its answer.
			// So the answer waits: nothing hidden behind broken framing is ever taken for a request.
			setImmediate(() => this.options.refuse(head, exchange, fault));
		} else if (load.sheds()) {
			this.options.shed(head, exchange);
		} else {
			this.run(head, exchange);
		}
		if (!exchange.finished) exchange.detach();
	}

	private run(head: RequestHead, exchange: UwsExchange): void {
		try {
			const later = this.options.handle(head, exchange);
			if (later !== undefined) this.settle(later, head, exchange);
			else if (!exchange.answered) this.options.fail(head, exchange, new Error("the handler sent no answer"));
		} catch (error) {
			this.options.fail(head, exchange, error);
		}
	}

	private async settle(later: Promise<void>, head: RequestHead, exchange: UwsExchange): Promise<void> {
		try {
			await later;
			if (!exchange.answered && !exchange.finished)
				this.options.fail(head, exchange, new Error("the handler sent no answer"));
		} catch (error) {
			this.options.fail(head, exchange, error);
		}
	}
}

class UwsExchange implements Exchange {
	finished = false;
	/** An answer was given, though the socket may not have taken all of it. */
	answered = false;
	/** The connection closes after the answer. */
	closes: boolean;
	/** The request's framing is refused: the connection must not be used again. */
	refused = false;
	/** The handler has returned: writes must be corked by hand. */
	private detached = false;
	private onAborted: (() => void) | null = null;
	/** What of the answer the socket has not taken yet. */
	private held: HeldAnswer | null = null;

	constructor(
		private readonly response: HttpResponse,
		private readonly head: RequestHead,
		closes: boolean,
		private readonly load: Load,
	) {
		this.closes = closes;
	}

	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		if (this.answered || this.finished) return;
		this.answered = true;
		if (this.detached) this.response.cork(() => this.write(status, headers, body));
		else this.write(status, headers, body);
	}

	private write(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		const block = STATUS_LINES[status] + headers;
		const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
		if (isBodiless(status)) this.writeBodiless(block);
		else if (this.head.method === "HEAD") this.writeHead(block, bytes);
		else this.writeWhole(block, body, bytes);
	}

	private writeBodiless(block: string): void {
		const close = this.closes ? "\r\nConnection: close" : "";
		this.response.writeStatus(block + close).endWithoutBody();
		this.finish();
	}

	private writeHead(block: string, bytes: number): void {
		if (this.refused) {
			// The one call that ends an answer without a body and closes; it says a length of 0, which the
			// client of a broken request has no use for anyway.
			this.response.writeStatus(block).endWithoutBody(0, true);
		} else {
			const close = this.closes ? "\r\nConnection: close" : "";
			this.response.writeStatus(`${block}\r\nContent-Length: ${bytes}${close}`).endWithoutBody();
		}
		this.finish();
	}

	private writeWhole(block: string, body: Uint8Array | string, bytes: number): void {
		this.response.writeStatus(block);
		if (typeof body === "string" || bytes <= WHOLE_BODY_BYTES || this.closes) {
			this.response.end(body, this.closes);
			this.finish();
		} else {
			this.stream(body);
		}
	}

	/** Offers `body` to the socket and keeps a copy of what it does not take until it drains. */
	private stream(body: Uint8Array): void {
		const total = body.byteLength;
		const [, complete] = this.response.tryEnd(body, total);
		if (complete) {
			this.finish();
			return;
		}
		const taken = this.response.getWriteOffset();
		const rest = Buffer.from(body.subarray(taken));
		const held: HeldAnswer = { bytes: rest.length, cut: () => this.response.close() };
		this.held = held;
		this.response.onWritable((offset) => {
			this.load.progressed(held);
			const [ok, done] = this.response.tryEnd(rest.subarray(offset - taken), total);
			if (done) this.finish();
			return ok;
		});
		if (this.detached) this.load.hold(held);
	}

	peerAddress(): string {
		return this.finished ? "" : Buffer.from(this.response.getRemoteAddressAsText()).toString("latin1");
	}

	readBody(maxBytes: number): Promise<Buffer> {
		if (this.head.contentLength > maxBytes) {
			this.closes = true;
			return Promise.reject(new BodyError("too_large"));
		}
		return new Promise((resolve, reject) => {
			const chunks: Buffer[] = [];
			let length = 0;
			this.onAborted = () => reject(new BodyError("aborted"));
			this.response.onData((chunk, isLast) => {
				length += chunk.byteLength;
				if (length > maxBytes) {
					this.closes = true;
					reject(new BodyError("too_large"));
					return;
				}
				// The library takes the chunk's memory back when this returns.
				chunks.push(Buffer.from(chunk.slice(0)));
				if (isLast) resolve(Buffer.concat(chunks, length));
			});
		});
	}

	/** The handler has returned and the answer is not complete: from here on the client may go away. */
	detach(): void {
		this.detached = true;
		this.load.pending++;
		this.response.onAborted(() => {
			this.onAborted?.();
			this.finish();
		});
		// Only now, since whoever is held may be cut off, which takes an abort handler.
		if (this.held !== null) this.load.hold(this.held);
	}

	private finish(): void {
		if (this.finished) return;
		this.finished = true;
		if (!this.detached) return;
		this.load.pending--;
		if (this.held !== null) this.load.release(this.held);
	}
}
