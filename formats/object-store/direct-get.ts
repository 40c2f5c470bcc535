/**
 * GET requests whose body is received into buffers that are used again. For each read of a connection Node allocates
 * 64 KiB anew; collecting them takes a fifth of the time of a download of gigabytes.
 *
 * It reads the responses that stores send for objects: HTTP/1 with a Content-Length. All others are left to
 * node:http. Each request has a connection of its own, so nothing of one response can reach the next.
 *
 * Invariant: a chunk stays unchanged until the next one is asked for.
 */

import { validateHeaderName, validateHeaderValue } from "node:http";
import { connect, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { StoreResponse } from "./http-exchange.js";

/** Bytes of each of the two buffers of a connection that are filled before the other one is. */
const FILLED_BYTES = 256 << 10;
/** A buffer with less room than this is full. */
const ROOM_BYTES_MIN = 64 << 10;
/**
 * Bytes of each buffer beyond those: what is received after reading has been stopped. Of a TLS connection this is what
 * was received encrypted, at most one read of 64 KiB and a part of a record of 16 KiB.
 */
const RESERVE_BYTES = 128 << 10;
/** Maximum size of a response's head: that of node:http. */
const HEAD_BYTES_MAX = 16 << 10;
const HEAD_END = "\r\n\r\n";

/**
 * The response to a GET request; null if it has no Content-Length, or cannot have a body. `signal` ends the request
 * until the head has come. Fails if the response is not HTTP/1, or the connection ends within its head.
 */
export async function getDirect(
	url: URL,
	headers: Readonly<Record<string, string>>,
	signal: AbortSignal,
): Promise<StoreResponse | null> {
	const request = requestHead(url, headers);
	const buffers = new ReceiveBuffers();
	const socket = open(url, buffers.onread);
	buffers.attach(socket);
	const end = () => socket.destroy(signal.reason as Error);
	signal.addEventListener("abort", end, { once: true });
	try {
		signal.throwIfAborted();
		socket.write(request);
		const { status, fields } = parseHead(await buffers.takeHead());
		const length = bodyLength(status, fields);
		if (length === null) {
			socket.destroy();
			return null;
		}
		const body = new Body(buffers, length);
		return { status, ok: status < 300, headers: fields, body: { getReader: () => body } };
	} catch (error) {
		socket.destroy();
		throw error;
	} finally {
		signal.removeEventListener("abort", end);
	}
}

function open({ protocol, hostname, port }: URL, onread: OnReadOpts): Socket {
	// An IPv6 address stands in brackets in a URL.
	const host = hostname.replace(/^\[(.*)\]$/, "$1");
	if (protocol !== "https:") return connect({ host, port: Number(port || 80), onread });
	const tls = { host, port: Number(port || 443), servername: isIP(host) === 0 ? host : "", onread };
	return connectTls(tls);
}

function requestHead(url: URL, headers: Readonly<Record<string, string>>): string {
	let head = `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n`;
	for (const [name, value] of Object.entries(headers)) {
		validateHeaderName(name);
		validateHeaderValue(name, value);
		head += `${name}: ${value}\r\n`;
	}
	return `${head}\r\n`;
}

function parseHead(head: string): { status: number; fields: Headers } {
	const [first, ...lines] = head.split("\r\n");
	const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(first)?.[1];
	if (status === undefined) throw new Error("the response is not HTTP/1");
	const fields = new Headers();
	for (const line of lines) {
		const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
		if (name === undefined) throw new Error("the response has a malformed header");
		fields.append(name, value);
	}
	return { status: Number(status), fields };
}

/** Length of the body by Content-Length; null: the response has none, or tells it in another way. */
function bodyLength(status: number, fields: Headers): number | null {
	if (status < 200 || status === 204 || status === 304 || fields.has("Transfer-Encoding")) return null;
	const length = fields.get("Content-Length");
	return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** The rest of a response, after its head. */
class Body {
	#left: number;

	constructor(
		private readonly buffers: ReceiveBuffers,
		length: number,
	) {
		this.#left = length;
	}

	async read(): Promise<{ done: boolean; value?: Uint8Array }> {
		if (this.#left === 0) {
			this.buffers.close();
			return { done: true };
		}
		const value = await this.buffers.take();
		if (value.length > this.#left) throw new Error("the response is longer than its Content-Length");
		this.#left -= value.length;
		return { done: false, value };
	}

	async cancel(): Promise<void> {
		this.buffers.close();
	}
}

/**
 * What a connection has received. One buffer is filled while the other is read; nothing is received while the reader is
 * at one and the other is full.
 */
class ReceiveBuffers {
	readonly onread: OnReadOpts = {
		buffer: () => this.#room(),
		callback: (bytes) => this.#received(bytes),
	};
	readonly #buffers = [newBuffer(), newBuffer()] as const;
	/** Bytes received into each. */
	readonly #filled: [number, number] = [0, 0];
	/** The buffer that is filled, and the one that is read, which is the same or was filled before. */
	#filling: 0 | 1 = 0;
	#reading: 0 | 1 = 0;
	/** Bytes of the buffer that is read that were taken. */
	#taken = 0;
	/** Whether the socket waits for the buffer that is read. */
	#paused = false;
	#socket: Socket | null = null;
	#failure: Error | null = null;
	#closed = false;
	/** Called when bytes were received or the connection has ended. */
	#wake: () => void = () => undefined;

	attach(socket: Socket): void {
		this.#socket = socket;
		socket.once("error", (error) => {
			this.#failure = error;
		});
		socket.once("close", () => {
			this.#closed = true;
			this.#wake();
		});
	}

	/** The head, without the empty line that ends it. */
	async takeHead(): Promise<string> {
		for (;;) {
			const received = this.#buffers[0].subarray(0, this.#filled[0]);
			const end = received.indexOf(HEAD_END);
			if (end > HEAD_BYTES_MAX || (end < 0 && received.length > HEAD_BYTES_MAX)) {
				throw new Error(`the response's head is larger than ${HEAD_BYTES_MAX} bytes`);
			}
			if (end >= 0) {
				this.#taken = end + HEAD_END.length;
				return received.toString("latin1", 0, end);
			}
			await this.#more();
		}
	}

	/** The next received bytes, at least one; those taken before may be overwritten from now on. */
	async take(): Promise<Uint8Array> {
		for (;;) {
			const end = this.#filled[this.#reading];
			if (this.#taken < end) {
				const chunk = this.#buffers[this.#reading].subarray(this.#taken, end);
				this.#taken = end;
				return chunk;
			}
			if (this.#reading === this.#filling) await this.#more();
			else this.#readOther();
		}
	}

	close(): void {
		this.#socket?.destroy();
	}

	/** Waits until bytes are received. Fails if the connection has ended. */
	async #more(): Promise<void> {
		if (this.#closed) throw this.#failure ?? new Error("the connection ended within the response");
		await new Promise<void>((resolve) => {
			this.#wake = resolve;
		});
	}

	/** Where the next bytes are received, asked for after each {@link #received}. */
	#room(): Uint8Array {
		const from = this.#filled[this.#filling];
		return this.#buffers[this.#filling].subarray(from, this.#paused ? undefined : FILLED_BYTES);
	}

	/** Returns whether to go on receiving. */
	#received(bytes: number): boolean {
		this.#filled[this.#filling] += bytes;
		if (this.#filled[this.#filling] > FILLED_BYTES - ROOM_BYTES_MIN) this.#fillOther();
		this.#wake();
		return !this.#paused;
	}

	/** Fills the other buffer from now on, or stops receiving until it has been read. */
	#fillOther(): void {
		this.#paused = this.#reading !== this.#filling;
		if (this.#paused) {
			if (this.#filled[this.#filling] === FILLED_BYTES + RESERVE_BYTES)
				this.#socket?.destroy(new Error("more was received than a connection may hold back"));
			return;
		}
		this.#filling = this.#filling === 0 ? 1 : 0;
		this.#filled[this.#filling] = 0;
	}

	/** Goes on to the buffer that was filled later, which frees the one that was read. */
	#readOther(): void {
		this.#reading = this.#filling;
		this.#taken = 0;
		// What comes next is received behind what is in this buffer, and then into the other one.
		if (this.#paused) this.#socket?.resume();
	}
}

function newBuffer(): Buffer {
	return Buffer.allocUnsafeSlow(FILLED_BYTES + RESERVE_BYTES);
}
