/** A connection that sends HEAD requests, so that the cost of an answer is the server's and not the client's. */

import { connect, type Socket } from "node:net";

/** One answer to one request; status 0: the connection broke before it came. */
export interface HeadAnswer {
	readonly status: number;
	readonly retryAfter: boolean;
}

type Answered = (answer: HeadAnswer) => void;

export class AskingConnection {
	/** Whether the server, or anybody, closed it. */
	closed = false;
	private readonly socket: Socket;
	private text = "";
	private waiting: Answered | null = null;

	constructor(port: number) {
		this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
		this.socket.setEncoding("latin1");
		this.socket.on("data", (chunk: string) => this.take(chunk));
		// An error is followed by a close, which is handled.
		this.socket.on("error", () => undefined);
		this.socket.on("close", () => {
			this.closed = true;
			this.answer({ status: 0, retryAfter: false });
		});
	}

	/** Sends `request`, a whole one without a body. REQUIRES: the last one is answered. */
	ask(request: string, answered: Answered): void {
		this.waiting = answered;
		if (this.closed) this.answer({ status: 0, retryAfter: false });
		else this.socket.write(request);
	}

	close(): void {
		this.socket.destroy();
	}

	private take(chunk: string): void {
		this.text += chunk;
		const end = this.text.indexOf("\r\n\r\n");
		if (end < 0) return;
		const head = this.text.slice(0, end);
		this.text = this.text.slice(end + 4);
		this.answer({ status: Number(head.slice(9, 12)), retryAfter: head.includes("\r\nRetry-After: ") });
	}

	private answer(answer: HeadAnswer): void {
		const { waiting } = this;
		this.waiting = null;
		waiting?.(answer);
	}
}

export function headRequest(path: string, key: string): string {
	return `HEAD ${path} HTTP/1.1\r\nHost: rollcall.test\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}
