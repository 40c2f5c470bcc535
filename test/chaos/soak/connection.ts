/**
 * One client connection of a load generator: HTTP/1.1 kept alive, one request at a time, and as
 * little work per answer as can be. Understands what the server sends: `Content-Length`, or no body.
 */

import { connect, type Socket } from "node:net";

export interface Received {
	readonly status: number;
	/** Status line and headers, as text. */
	readonly head: string;
	/** The body's pieces, as they are on the wire. */
	readonly body: readonly Buffer[];
}

export interface Waiting {
	onAnswer(received: Received): void;
	/** The connection broke before the answer was whole. */
	onBroken(reason: string): void;
}

const HEAD_END = "\r\n\r\n";
const RECONNECT_MS = 50;

export class Connection {
	private socket: Socket | null = null;
	private waiting: Waiting | null = null;
	private connected = false;
	private closed = false;
	/** Bytes of a head that is not whole yet. */
	private rest: Buffer | null = null;
	private head = "";
	private body: Buffer[] = [];
	private missing = 0;

	/** `onIdle` is called whenever the connection can take a request. */
	constructor(
		private readonly port: number,
		private readonly onIdle: (connection: Connection) => void,
	) {
		this.open();
	}

	get idle(): boolean {
		return this.connected && this.waiting === null;
	}

	/** REQUIRES: idle. */
	send(request: string | Uint8Array, waiting: Waiting): void {
		this.waiting = waiting;
		this.socket?.write(request);
	}

	close(): void {
		this.closed = true;
		this.socket?.destroy();
	}

	private open(): void {
		if (this.closed) return;
		const socket = connect(this.port, "127.0.0.1");
		this.socket = socket;
		let reason = "the connection was closed";
		socket.setNoDelay(true);
		socket.once("connect", () => {
			this.connected = true;
			this.onIdle(this);
		});
		socket.on("data", (bytes: Buffer) => this.take(bytes));
		socket.once("error", (error) => {
			reason = error.message;
		});
		socket.once("close", () => this.broke(reason));
	}

	private broke(reason: string): void {
		this.connected = false;
		const { waiting } = this;
		this.waiting = null;
		this.rest = null;
		this.head = "";
		waiting?.onBroken(reason);
		if (!this.closed) setTimeout(() => this.open(), RECONNECT_MS);
	}

	private take(bytes: Buffer): void {
		if (this.head !== "") {
			this.takeBody(bytes);
			return;
		}
		const all = this.rest === null ? bytes : Buffer.concat([this.rest, bytes]);
		const end = all.indexOf(HEAD_END);
		if (end < 0) {
			this.rest = all;
			return;
		}
		this.rest = null;
		this.head = all.toString("latin1", 0, end + 2);
		this.body = [];
		this.missing = bodyBytes(this.head);
		this.takeBody(all.subarray(end + HEAD_END.length));
	}

	private takeBody(bytes: Buffer): void {
		if (bytes.length > 0) this.body.push(bytes);
		this.missing -= bytes.length;
		if (this.missing > 0) return;
		const { head, body, waiting, missing } = this;
		this.head = "";
		this.waiting = null;
		if (missing < 0) waiting?.onBroken("more bytes came than Content-Length says");
		else waiting?.onAnswer({ status: Number(head.slice(9, 12)), head, body });
		if (missing < 0) this.socket?.destroy();
		else if (this.idle) this.onIdle(this);
	}
}

const CONTENT_LENGTH = /\r\nContent-Length: (\d+)/i;

function bodyBytes(head: string): number {
	if (head.startsWith("304", 9) || head.startsWith("204", 9)) return 0;
	return Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
}
