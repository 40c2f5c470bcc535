/**
 * HTTP over uWebSockets.js, which uws-library.ts finds.
 *
 * The library aborts the whole process if a handler returns with neither a response nor an abort
 * handler, or if a header is read after the handler returned. So there is one route, one wrapper around
 * it, and the head is copied before anything else runs. Its parser accepts framing that it should not;
 * RequestHead.framingFault refuses it.
 *
 * Memory: `end` buffers without a bound what a client does not read, so every response with a body goes
 * through `tryEnd`, which takes only what the socket does. Until the rest is sent, the library closes
 * the connection on its next request. Responses without a body are bounded by uws-guard.ts.
 *
 * Status and headers are written as one string through `writeStatus`, which copies its argument as it
 * is: one call into the addon instead of a dozen, worth a third of the request rate on small responses.
 */

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
import { UwsGuard } from "./uws-guard.js";
import type {
	HttpRequest,
	HttpResponse,
	TemplatedApp,
	UwsLibrary,
	us_listen_socket,
	us_socket,
} from "./uws-library.js";

/** How often a closing transport looks whether its requests have finished. */
const DRAIN_POLL_MS = 10;
/** While the server stops, responses up to this size close their connection themselves. */
const CLOSING_BODY_BYTES = 8 * 1024;

/** `close` exists on this build's app but not in its types. */
type App = TemplatedApp & { close(): void };

export class UwsTransport implements Transport {
	readonly name = "uws";
	private readonly uws: UwsLibrary;
	private readonly app: App;
	private readonly options: TransportOptions;
	private socket: us_listen_socket | null = null;
	private guard: UwsGuard | null = null;
	private closing = false;
	/** The request whose headers are being read, and the one function that reads them for all requests. */
	private head = new RequestHead("", "", "");
	private readonly addHeader = (name: string, value: string): void => this.head.add(name, value);

	constructor(uws: UwsLibrary, options: TransportOptions) {
		this.uws = uws;
		// Leaves out the header that names the library.
		uws._cfg("silent");
		this.app = uws.App() as App;
		this.options = options;
		this.app.any("/*", (response, request) => this.serve(response, request));
	}

	async listen(host: string, port: number): Promise<{ port: number }> {
		const socket = await this.open(host, port);
		const bound = this.uws.us_socket_local_port(socket as unknown as us_socket);
		this.guard = new UwsGuard(bound, {
			limits: this.options.connections,
			accept: (accepting) => this.accept(accepting, host, bound),
		});
		return { port: bound };
	}

	async close(graceMs: number): Promise<void> {
		this.closing = true;
		this.stopListening();
		const { load } = this.options;
		const deadline = performance.now() + graceMs;
		while (load.pending + load.receiving > 0 && performance.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
		}
		this.app.close();
	}

	abort(): void {
		this.closing = true;
		this.guard?.close();
		this.socket = null;
		this.app.close();
	}

	private open(host: string, port: number): Promise<us_listen_socket> {
		return new Promise((resolve, reject) => {
			this.app.listen(host, port, (socket) => {
				if (socket === false) {
					reject(new ListenError(host, port, "the address is taken or not this machine's"));
					return;
				}
				this.socket = socket;
				resolve(socket);
			});
		});
	}

	private stopListening(): void {
		this.guard?.close();
		if (this.socket !== null) this.uws.us_listen_socket_close(this.socket);
		this.socket = null;
	}

	/** Stops or resumes accepting connections. A port that cannot be opened again is tried at the next look. */
	private accept(accepting: boolean, host: string, port: number): void {
		if (this.closing) return;
		if (!accepting) {
			this.options.load.countShed();
			if (this.socket !== null) this.uws.us_listen_socket_close(this.socket);
			this.socket = null;
		} else if (this.socket === null) {
			this.app.listen(host, port, (socket) => {
				if (socket === false) this.guard?.retry();
				else this.socket = socket;
			});
		}
	}

	private serve(response: HttpResponse, request: HttpRequest): void {
		// getQuery gives undefined, against its type, if the target has no question mark.
		const query: string | undefined = request.getQuery();
		const head = new RequestHead(request.getCaseSensitiveMethod(), request.getUrl(), query ?? "");
		this.head = head;
		request.forEach(this.addHeader);
		const { options, guard } = this;
		const { load } = options;
		const exchange = new UwsExchange(response, head, this.closing, load, guard);
		const fault = head.framingFault();
		const crowded = guard?.limitsAddresses === true && guard.isCrowded(exchange.peerAddress());
		if (fault !== null || crowded) {
			exchange.refused = true;
			// The library goes on parsing its buffer even if a response closes the connection, and drops the
			// connection if a request follows one that waits for its response. So the response waits: nothing
			// hidden behind invalid framing is ever taken for a request.
			setImmediate(() => this.refuse(head, exchange, fault));
		} else if (!options.urgent(head) && load.sheds()) {
			options.shed(head, exchange);
		} else {
			this.run(head, exchange);
		}
		if (!exchange.finished) exchange.detach();
	}

	/** Answers a request with invalid framing, or one from an address with too many connections. */
	private refuse(head: RequestHead, exchange: UwsExchange, fault: string | null): void {
		const { options } = this;
		if (fault !== null) {
			options.refuse(head, exchange, fault);
			return;
		}
		options.load.countShed();
		options.shed(head, exchange);
	}

	private run(head: RequestHead, exchange: UwsExchange): void {
		const { options } = this;
		try {
			const later = options.handle(head, exchange);
			if (later !== undefined) this.settle(later, head, exchange);
			else if (!exchange.answered) options.fail(head, exchange, new Error("the handler sent no answer"));
		} catch (error) {
			options.fail(head, exchange, error);
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
	/** A response was given, though the socket may not have taken all of it. */
	answered = false;
	/** The connection must not be used after this request: its framing or its body is not to be trusted. */
	refused = false;
	/** The handler has returned: writes must be corked explicitly. */
	private detached = false;
	private onAborted: (() => void) | null = null;
	/** The body is being received. */
	private receiving = false;
	/** What of the response the socket has not taken yet. */
	private held: HeldAnswer | null = null;

	constructor(
		private readonly response: HttpResponse,
		private readonly head: RequestHead,
		/** The server stops: the response closes the connection. */
		private readonly closes: boolean,
		private readonly load: Load,
		private readonly guard: UwsGuard | null,
	) {}

	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		if (this.answered || this.finished) return;
		this.answered = true;
		const block = STATUS_LINES[status] + headers;
		const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
		if (this.refused) {
			this.corked(() => this.writeLast(block, body, bytes));
			// The next request on this connection would be answered, so it ends before that.
			setImmediate(() => this.cut());
		} else if (isBodiless(status)) {
			this.sendHead(block);
		} else if (this.head.method === "HEAD" || bytes === 0) {
			this.sendHead(`${block}\r\nContent-Length: ${bytes}`);
		} else {
			this.corked(() => this.writeBody(block, body, bytes));
		}
	}

	private corked(write: () => void): void {
		if (this.detached) this.response.cork(write);
		else write();
	}

	/**
	 * Writes all of a response to a connection that is closed next. `writeStatus` appends CR LF: to a body,
	 * JSON or empty, which may end in white space; to a head, as its end.
	 */
	private writeLast(block: string, body: Uint8Array | string, bytes: number): void {
		const whole = this.head.method === "HEAD" || bytes === 0;
		const length = whole ? bytes : bytes + 2;
		const head = `${block}\r\nConnection: close\r\nContent-Length: ${length}\r\n`;
		const text = typeof body === "string" ? body : Buffer.from(body).toString();
		this.response.writeStatus(whole ? head : `${head}\r\n${text}`);
	}

	/** Sends a response without a body, unless the client is known not to read. */
	private sendHead(block: string): void {
		if (this.guard?.countHead() === true && !this.guard.reads(this.peerAddress())) {
			this.cut();
			return;
		}
		const close = this.closes ? "\r\nConnection: close" : "";
		this.corked(() => this.response.writeStatus(block + close).endWithoutBody());
		this.finish();
	}

	private writeBody(block: string, body: Uint8Array | string, total: number): void {
		if (this.closes && total <= CLOSING_BODY_BYTES) {
			this.response.writeStatus(block).end(body, true);
			this.finish();
			return;
		}
		this.response.writeStatus(this.closes ? `${block}\r\nConnection: close` : block);
		const [, complete] = this.response.tryEnd(body, total);
		if (complete) this.finish();
		else this.holdRest(body, total);
	}

	/** Keeps a copy of what the socket did not take, and sends it as the client reads. */
	private holdRest(body: Uint8Array | string, total: number): void {
		const taken = this.response.getWriteOffset();
		const bytes = typeof body === "string" ? Buffer.from(body) : body;
		const rest = Buffer.from(bytes.subarray(taken));
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

	/** Closes the connection at once. */
	private cut(): void {
		if (this.finished) return;
		this.response.close();
		this.finish();
	}

	peerAddress(): string {
		return this.finished ? "" : Buffer.from(this.response.getRemoteAddressAsText()).toString("latin1");
	}

	readBody(maxBytes: number): Promise<Buffer> {
		if (this.head.contentLength > maxBytes) {
			this.refused = true;
			return Promise.reject(new BodyError("too_large"));
		}
		this.receiving = true;
		return new Promise((resolve, reject) => {
			const chunks: Buffer[] = [];
			let length = 0;
			this.onAborted = () => reject(new BodyError("aborted"));
			this.response.onData((chunk, isLast) => {
				length += chunk.byteLength;
				// The library frees the chunk's memory when this returns.
				chunks.push(Buffer.from(chunk.slice(0)));
				if (!isLast) return;
				this.received();
				resolve(Buffer.concat(chunks, length));
			});
		});
	}

	/** The body is complete: from here on the request counts as pending. */
	private received(): void {
		if (!this.receiving) return;
		this.receiving = false;
		if (!this.detached) return;
		this.load.receiving--;
		this.load.pending++;
	}

	/** The handler has returned and the response is not complete: from here on the client may disconnect. */
	detach(): void {
		this.detached = true;
		if (this.receiving) this.load.receiving++;
		else this.load.pending++;
		this.response.onAborted(() => {
			this.onAborted?.();
			this.finish();
		});
		// Only now, since a response that is held may be cut off, which needs the abort handler.
		if (this.held !== null) this.load.hold(this.held);
	}

	private finish(): void {
		if (this.finished) return;
		this.finished = true;
		if (!this.detached) return;
		if (this.receiving) this.load.receiving--;
		else this.load.pending--;
		this.receiving = false;
		if (this.held !== null) this.load.release(this.held);
	}
}
