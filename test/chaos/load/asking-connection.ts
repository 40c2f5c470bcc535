/**
 * A connection that sends one request at a time. Loads are mostly HEAD requests, so that the cost of an answer is the
 * server's and not the client's.
 */

import { connect, type Socket } from "node:net";

/** One answer to one request; status 0: the connection broke before it came. */
export interface LoadAnswer {
	readonly status: number;
	readonly retryAfter: boolean;
	/** Its bytes as latin1; "": none. */
	readonly body: string;
}

const BROKEN: LoadAnswer = { status: 0, retryAfter: false, body: "" };

type Answered = (answer: LoadAnswer) => void;

export class AskingConnection {
	/** Whether the server, or anybody, closed it. */
	closed = false;
	private readonly socket: Socket;
	private text = "";
	private waiting: Answered | null = null;
	private hasBody = false;

	constructor(port: number) {
		this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
		this.socket.setEncoding("latin1");
		this.socket.on("data", (chunk: string) => this.take(chunk));
		// An error is followed by a close, which is handled.
		this.socket.on("error", () => undefined);
		this.socket.on("close", () => {
			this.closed = true;
			this.answer(BROKEN);
		});
	}

	/** Sends `request`, a whole one without a body. REQUIRES: the last one is answered. */
	ask(request: string, answered: Answered): void {
		this.waiting = answered;
		this.hasBody = !request.startsWith("HEAD ");
		if (this.closed) this.answer(BROKEN);
		else this.socket.write(request);
	}

	close(): void {
		this.socket.destroy();
	}

	private take(chunk: string): void {
		this.text += chunk;
		const end = this.text.indexOf("\r\n\r\n");
		if (end < 0) return;
		const head = this.text.slice(0, end + 2);
		const length = this.hasBody ? Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]) : 0;
		const next = end + 4 + length;
		if (this.text.length < next) return;
		const body = this.text.slice(end + 4, next);
		this.text = this.text.slice(next);
		this.answer({ status: Number(head.slice(9, 12)), retryAfter: head.includes("\r\nRetry-After: "), body });
	}

	private answer(answer: LoadAnswer): void {
		const { waiting } = this;
		this.waiting = null;
		waiting?.(answer);
	}
}

export function headRequest(path: string, key: string): string {
	return requestOf("HEAD", path, key);
}

export function getRequest(path: string, key: string): string {
	return requestOf("GET", path, key);
}

function requestOf(method: string, path: string, key: string): string {
	return `${method} ${path} HTTP/1.1\r\nHost: rollcall.test\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}
