/** A well-behaved client behind a proxy: one persistent connection, one request at a time. */

import type { TLSSocket } from "node:tls";
import type { ProxyProcess } from "./proxy-process.js";

export interface ProxyAnswer {
	readonly status: number;
	readonly head: string;
	/** Latin-1 or ASCII bodies only are compared as text. */
	readonly body: string;
}

const WAIT_MS_MAX = 20_000;

export class Bystander {
	private socket: TLSSocket | null = null;

	constructor(private readonly proxy: ProxyProcess) {}

	/** Sends a request of plain form; `headers` are whole lines. */
	ask(path: string, headers = "", body = "", method = "GET"): Promise<ProxyAnswer> {
		const length = method === "POST" ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : "";
		return this.send(
			`${method} ${path} HTTP/1.1\r\nHost: rollcall.example\r\n${headers}${length}\r\n${body}`,
		);
	}

	/** Sends `bytes` and reads one answer. Rejects where the connection breaks or nothing comes. */
	send(bytes: string): Promise<ProxyAnswer> {
		// An error is followed by a close, which is handled.
		this.socket ??= this.proxy.open().on("error", () => undefined);
		const { socket } = this;
		return new Promise((resolve, reject) => {
			const chunks: Buffer[] = [];
			const done = (result: ProxyAnswer | Error) => {
				clearTimeout(timer);
				socket.off("data", onData).off("close", onClose);
				if (result instanceof Error) return reject(result);
				// Proxies end a connection after a number of requests.
				if (/^connection: close\r?$/im.test(result.head)) this.close();
				resolve(result);
			};
			const timer = setTimeout(() => done(new Error(`no answer to ${bytes.slice(0, 100)}`)), WAIT_MS_MAX);
			const onClose = () => done(new Error(`closed without an answer to ${bytes.slice(0, 100)}`));
			const onData = (chunk: Buffer) => {
				chunks.push(chunk);
				const answer = answerOf(Buffer.concat(chunks));
				if (answer !== null) done(answer);
			};
			socket.on("data", onData).on("close", onClose);
			socket.write(bytes);
		});
	}

	close(): void {
		this.socket?.destroy();
		this.socket = null;
	}
}

function answerOf(bytes: Buffer): ProxyAnswer | null {
	const end = bytes.indexOf("\r\n\r\n");
	if (end < 0) return null;
	const head = bytes.subarray(0, end).toString("latin1");
	const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
	const length = status === 304 ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
	const body = bytes.subarray(end + 4);
	return body.length < length ? null : { status, head, body: body.subarray(0, length).toString("utf8") };
}
