/** One request over node:net and its response. */

import type { BodyStream } from "./body-stream.js";
import type { Load } from "./load.js";
import type { RequestHead } from "./request-head.js";
import type { Framing } from "./socket-writer.js";
import {
	type Exchange,
	type HeaderBlock,
	isBodiless,
	STATUS_LINES,
	type Status,
	type TakeBody,
	type TransportOptions,
} from "./transport.js";

/** What an exchange uses of its connection. */
export interface ExchangeConnection {
	readonly peer: string;
	/** Whether responses close the connection because the server stops. */
	readonly stopping: boolean;
	/** Sends head and body of a response as one write. `head` is ASCII. */
	write(head: string, body: Uint8Array | string): void;
	/** Sends head and body of a response piece by piece. */
	stream(head: string, body: BodyStream, framing: Framing): void;
	/** Receives `bytes` bytes of body; null: the client has disconnected. `asked`: it waits for `100 Continue` first. */
	receiveBody(bytes: number, asked: boolean): Promise<Buffer | null>;
	/** Receives a body in chunks, of `maxBytes` bytes at most; null: the client has disconnected or the chunks are malformed. */
	receiveChunks(maxBytes: number, asked: boolean): Promise<Buffer | "too_large" | null>;
}

export class NodeExchange implements Exchange {
	finished = false;
	/** A response was given, though the kernel may not have taken all of it. */
	answered = false;
	/** The connection closes after the response. */
	closes = false;

	constructor(
		private readonly connection: ExchangeConnection,
		private readonly head: RequestHead,
		private readonly load: Load,
	) {
		load.pending++;
	}

	/** Has the service answer. */
	run(options: TransportOptions): void {
		const { head } = this;
		try {
			const later = options.handle(head, this);
			if (later !== undefined) this.settle(later, options);
			else if (!this.answered) options.fail(head, this, new Error("the handler sent no answer"));
		} catch (error) {
			options.fail(head, this, error);
		}
	}

	private async settle(later: Promise<void>, options: TransportOptions): Promise<void> {
		try {
			await later;
			if (!this.answered && !this.finished)
				options.fail(this.head, this, new Error("the handler sent no answer"));
		} catch (error) {
			options.fail(this.head, this, error);
		}
	}

	/** The response is complete or the connection has closed. */
	end(): void {
		if (this.finished) return;
		this.finished = true;
		this.load.pending--;
	}

	send(status: Status, headers: HeaderBlock, body: Uint8Array | string): void {
		if (this.answered || this.finished) return;
		const start = this.begin(status, headers);
		if (isBodiless(status)) {
			this.connection.write(`${start}\r\n\r\n`, "");
			return;
		}
		const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
		const head = `${start}\r\nContent-Length: ${bytes}\r\n\r\n`;
		this.connection.write(head, this.head.method === "HEAD" ? "" : body);
	}

	stream(status: Status, headers: HeaderBlock, body: BodyStream): void {
		if (this.answered || this.finished) {
			body.close(false);
			return;
		}
		// HTTP/1.0 knows no chunks.
		if (body.bytes === null && this.head.isHttp10) this.closes = true;
		const start = this.begin(status, headers);
		const length = body.bytes === null ? "" : `\r\nContent-Length: ${body.bytes}`;
		if (this.head.method === "HEAD") {
			body.close(false);
			this.connection.write(`${start}${length}\r\n\r\n`, "");
			return;
		}
		if (body.bytes !== null) this.connection.stream(`${start}${length}\r\n\r\n`, body, "length");
		else if (this.head.isHttp10) this.connection.stream(`${start}\r\n\r\n`, body, "close");
		else this.connection.stream(`${start}\r\nTransfer-Encoding: chunked\r\n\r\n`, body, "chunks");
	}

	/** Status line and headers that every response has, without the line that ends them. */
	private begin(status: Status, headers: HeaderBlock): string {
		this.answered = true;
		if (this.connection.stopping) this.closes = true;
		const close = this.closes ? "\r\nConnection: close" : "";
		return `HTTP/1.1 ${STATUS_LINES[status]}${headers}\r\nDate: ${date()}${close}`;
	}

	peerAddress(): string {
		return this.connection.peer;
	}

	receiveBody(maxBytes: number, take: TakeBody): void | Promise<void> {
		const { contentLength, chunked, expectsContinue } = this.head;
		if (chunked) return this.receive(this.connection.receiveChunks(maxBytes, expectsContinue), take);
		if (contentLength > maxBytes) return take("too_large");
		if (contentLength === 0) return take(Buffer.alloc(0));
		return this.receive(this.connection.receiveBody(contentLength, expectsContinue), take);
	}

	private async receive(coming: Promise<Buffer | "too_large" | null>, take: TakeBody): Promise<void> {
		const body = await coming;
		if (Buffer.isBuffer(body)) this.closes = this.head.closes;
		return take(body ?? "aborted");
	}
}

const SECOND_MS = 1_000;
let dateText = "";
let dateSecond = -1;

/** The time as HTTP writes it, made once a second. */
function date(): string {
	const second = Math.floor(Date.now() / SECOND_MS);
	if (second !== dateSecond) {
		dateSecond = second;
		dateText = new Date(second * SECOND_MS).toUTCString();
	}
	return dateText;
}
