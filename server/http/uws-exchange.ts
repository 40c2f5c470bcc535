/**
 * One request over uWebSockets.js and its response.
 *
 * Memory: the library's `end` buffers without a bound what a client does not read, so every response
 * with a body goes through `tryEnd`, which takes only what the socket does. Until the rest is sent, the
 * library closes the connection on its next request. Responses without a body are bounded by
 * uws-guard.ts.
 *
 * Status and headers are written as one string through `writeStatus`, which copies its argument as it
 * is: one call into the addon instead of a dozen, worth a third of the request rate on small responses.
 */

import type { BodyStream } from "./body-stream.js";
import type { HeldAnswer, Load } from "./load.js";
import type { RequestHead } from "./request-head.js";
import {
	type Exchange,
	type HeaderBlock,
	isBodiless,
	STATUS_LINES,
	type Status,
	type TakeBody,
} from "./transport.js";
import { UwsBody } from "./uws-body.js";
import type { UwsGuard } from "./uws-guard.js";
import type { HttpResponse } from "./uws-library.js";

/** What answers a request, synchronously or later. */
export type Answering = () => void | Promise<void>;

/** While the server stops, and after a body in chunks, responses up to this size close their connection themselves. */
const CLOSING_BODY_BYTES = 8 * 1024;

export class UwsExchange implements Exchange {
	finished = false;
	/** A response was given, though the socket may not have taken all of it. */
	answered = false;
	/** The connection must not be used after this request: its framing or its body is not to be trusted. */
	refused = false;
	/** The body is being received. */
	receiving = false;
	/** The handler has returned. */
	private detached = false;
	/** The library is calling with a part of the body, and corks what is written meanwhile, as during the handler. */
	private inBody = false;
	private onAborted: (() => void) | null = null;
	/** What of the response the socket has not taken yet. */
	private held: HeldAnswer | null = null;

	constructor(
		private readonly response: HttpResponse,
		private readonly head: RequestHead,
		/** The server stops, or the client asks for it: the response closes the connection. */
		private readonly closes: boolean,
		private readonly load: Load,
		private readonly guard: UwsGuard | null,
		/** Runs what answers the request, and answers it if that fails. */
		private readonly run: (head: RequestHead, exchange: UwsExchange, answer: Answering) => void,
	) {}

	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		if (this.answered || this.finished) return;
		this.answered = true;
		if (!this.head.chunked) {
			this.write(status, headers, body);
			return;
		}
		// The library reads chunks leniently. As with invalid framing (uws-transport.ts), the response waits until the
		// library has parsed its buffer: what is hidden behind the body closes the connection.
		const kept = typeof body === "string" ? body : Buffer.from(body);
		setImmediate(() => {
			if (!this.finished) this.write(status, headers, kept);
		});
	}

	private write(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		const block = STATUS_LINES[status] + headers;
		const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
		if (this.refused || (this.head.chunked && bytes === 0)) {
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

	stream(status: Status, headers: HeaderBlock, body: BodyStream): void {
		const isSent = this.answered || this.finished;
		const block = STATUS_LINES[status] + headers;
		if (isSent || this.head.method === "HEAD") {
			body.close(false);
			if (isSent) return;
			this.answered = true;
			this.sendHead(body.bytes === null ? block : `${block}\r\nContent-Length: ${body.bytes}`);
			return;
		}
		this.answered = true;
		const head = this.closes ? `${block}\r\nConnection: close` : block;
		const sending = new UwsBody(this.response, this, this.load, head, body);
		this.onAborted = () => sending.aborted();
		// Once the handler has returned, which registers the handler of disconnections.
		setImmediate(() => {
			if (this.finished) body.close(false);
			else void sending.run();
		});
	}

	/** Everything was given to the library. */
	complete(): void {
		this.finish();
	}

	private corked(write: () => void): void {
		if (this.detached && !this.inBody) this.response.cork(write);
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
			// The library tells it, except to a client that asked for it.
			this.response.writeStatus(this.head.closes ? `${block}\r\nConnection: close` : block).end(body, true);
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
	cut(): void {
		if (this.finished) return;
		this.response.close();
		this.finish();
	}

	peerAddress(): string {
		return this.finished ? "" : Buffer.from(this.response.getRemoteAddressAsText()).toString("latin1");
	}

	receiveBody(maxBytes: number, take: TakeBody): void | Promise<void> {
		const declared = this.head.chunked ? maxBytes : this.head.contentLength;
		if (declared > maxBytes) {
			this.refused = true;
			return take("too_large");
		}
		this.receiving = true;
		// The parts received, in one buffer: each part of its own would take some hundred bytes besides.
		let begun: Buffer | null = null;
		let bytes = 0;
		this.onAborted = () => this.run(this.head, this, () => take("aborted"));
		this.response.onData((chunk, isLast) => {
			// The rest of a body that was given up.
			if (this.answered) return;
			// The library reuses the chunk's memory when this returns.
			const part = Buffer.from(chunk);
			// Of a body in chunks alone: the library ends others where they should.
			if (bytes + part.length > declared) {
				this.takeReceived(take, "too_large");
				return;
			}
			if (!isLast || begun !== null) {
				begun ??= Buffer.allocUnsafe(declared);
				begun.set(part, bytes);
				bytes += part.length;
			}
			if (isLast) this.takeReceived(take, begun?.subarray(0, bytes) ?? part);
		});
	}

	private takeReceived(take: TakeBody, body: Buffer | "too_large"): void {
		this.received();
		this.inBody = true;
		this.run(this.head, this, () => take(body));
		this.inBody = false;
	}

	/** The body is complete: from here on the request counts as pending. */
	private received(): void {
		if (!this.receiving) return;
		this.receiving = false;
		this.onAborted = null;
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
			this.finish();
			this.onAborted?.();
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
