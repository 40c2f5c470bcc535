/**
 * Sends the responses of one connection over node:net: whole ones as one write, long ones piece by piece. What
 * the kernel has not taken waits in reused buffers and is counted in Load.
 */

import type { Socket } from "node:net";
import { type BodyStream, nextTurn, STUCK_MS } from "./body-stream.js";
import type { HeldAnswer, Load } from "./load.js";
import type { SendBuffers } from "./send-buffers.js";

/** How the client knows where a body ends: by its length, by chunks, or by the end of the connection. */
export type Framing = "length" | "chunks" | "close";

const EMPTY = Buffer.alloc(0);
const LAST_CHUNK = "0\r\n\r\n";
/**
 * Time without a report that the socket accepts more after which a client is disconnected, in milliseconds; Node disconnects
 * at the second such time. It writes to a full socket at reports alone, which come once a third of its buffer is free: a
 * client that reads 60 kB/s takes longer than twice {@link STUCK_MS} for that of a loopback connection.
 */
const UNREPORTED_MS = 2 * STUCK_MS;
/** Room for the length of a chunk and the line breaks around it. */
const CHUNK_ROOM = 16;

export class SocketWriter {
	/** The buffer that the socket is sending from. */
	private sending: Buffer | null = null;
	private held: HeldAnswer | null = null;
	private body: BodyStream | null = null;

	constructor(
		private readonly socket: Socket,
		private readonly load: Load,
		private readonly buffers: SendBuffers,
	) {}

	/** Sends head and body of a response; calls `sent` once the kernel has taken them. */
	write(head: string, body: Uint8Array | string, sent: () => void): void {
		const bodyBytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
		const buffer = this.buffers.take(head.length + bodyBytes);
		buffer.write(head, 0, "latin1");
		if (typeof body === "string") buffer.write(body, head.length, "utf8");
		else buffer.set(body, head.length);
		this.send(buffer, head.length + bodyBytes, sent);
	}

	/** Sends a response piece by piece; calls `sent` once the kernel has taken the last. */
	async stream(head: string, body: BodyStream, framing: Framing, sent: () => void): Promise<void> {
		this.body = body;
		try {
			this.socket.write(head, "latin1");
			for (;;) {
				const piece = await body.next();
				if (this.socket.destroyed) return;
				if (piece === null) break;
				await this.writePiece(piece, framing);
				await nextTurn();
				if (this.socket.destroyed) return;
			}
		} catch {
			// The body has reported why; without its end the client knows that it is not whole.
			this.socket.destroy();
			return;
		}
		this.endBody(true);
		this.write(framing === "chunks" ? LAST_CHUNK : "", EMPTY, sent);
	}

	/** The socket is closed. */
	closed(): void {
		this.endBody(false);
		if (this.held !== null) this.load.release(this.held);
		this.held = null;
		this.giveBack();
	}

	private endBody(complete: boolean): void {
		this.body?.close(complete);
		this.body = null;
	}

	/** Resolves once the kernel has taken the piece, or the socket is closed. */
	private writePiece(piece: Uint8Array, framing: Framing): Promise<void> {
		const buffer = this.buffers.take(piece.length + CHUNK_ROOM);
		let length = framing === "chunks" ? buffer.write(`${piece.length.toString(16)}\r\n`, "latin1") : 0;
		buffer.set(piece, length);
		length += piece.length;
		if (framing === "chunks") length += buffer.write("\r\n", length, "latin1");
		return new Promise((resolve) => {
			this.socket.once("close", resolve);
			this.send(buffer, length, () => {
				this.socket.off("close", resolve);
				resolve();
			});
		});
	}

	private send(buffer: Buffer, length: number, sent: () => void): void {
		const { socket } = this;
		this.sending = buffer;
		socket.write(buffer.subarray(0, length));
		if (socket.writableLength === 0 && !socket.destroyed) {
			this.giveBack();
			sent();
			return;
		}
		if (socket.destroyed) return;
		// Calls back once what is before it has been sent.
		socket.write(EMPTY, (error) => {
			if (error === undefined || error === null) this.drained(sent);
		});
		socket.setTimeout(UNREPORTED_MS);
		this.held = { bytes: buffer.length, cut: () => this.cut() };
		this.load.hold(this.held);
	}

	private drained(sent: () => void): void {
		this.socket.setTimeout(0);
		if (this.held !== null) this.load.release(this.held);
		this.held = null;
		this.giveBack();
		sent();
	}

	/** Closes the connection of a response that is not read, and reuses its buffer: a closed handle sends nothing. */
	private cut(): void {
		this.socket.destroy();
		this.giveBack();
	}

	private giveBack(): void {
		if (this.sending !== null) this.buffers.give(this.sending);
		this.sending = null;
	}
}
