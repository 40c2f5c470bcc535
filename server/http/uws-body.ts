/**
 * Sends a body piece by piece over uWebSockets.js.
 *
 * A body of known length is sent by `tryEnd`, which accepts only what the socket does. A body of unknown length
 * is sent by `write`, in chunks: the library buffers what the socket does not accept, and sends it only with a
 * further write. So some bytes of each piece are held back, and while the socket is full, one of them is
 * written each time it accepts more. The library's buffer is then empty before the next piece is requested, and
 * contains one piece at most.
 *
 * A socket reports that it accepts more once a third of its buffer is free, which may be more than a megabyte: a client
 * that reads slowly takes longer for that than {@link STUCK_MS}. So a full socket is written to meanwhile, too.
 */

import { type BodyStream, nextTurn, STUCK_MS } from "./body-stream.js";
import type { HeldAnswer, Load } from "./load.js";
import type { HttpResponse } from "./uws-library.js";

/** Bytes that the library adds to a chunk: its size, and line breaks. */
const CHUNK_EXTRA_BYTES = 16;

/**
 * Bytes of a piece that are written at a time, each of which is a call of the system: as many as possible. The library
 * collects what a cork writes in 16 KiB; where more is written and the socket does not accept all that is collected, it
 * drops what it was given last, and with it the framing of the chunks.
 */
const CORKED_BYTES = 16_384 - CHUNK_EXTRA_BYTES;

/** Bytes of a piece that are held back. A socket reports at most once per thousand bytes that it accepts more. */
const RESERVE_BYTES = 1_024;

/** Times that a full socket is written to within {@link STUCK_MS}. */
const TRIES = 5;

/** The part of the exchange that this uses. */
export interface BodyOwner {
	/** The client has disconnected or the response is complete. */
	readonly finished: boolean;
	/** Closes the connection. */
	cut(): void;
	/** The whole body was given to the library. */
	complete(): void;
}

export class UwsBody {
	/** Bytes held back; those before `reserveAt` have been sent. */
	private reserve: Buffer = Buffer.alloc(0);
	private reserveAt = 0;
	/** Bytes of a body of known length that the socket has not accepted, and the offset of the first one. */
	private rest: Buffer | null = null;
	private restFrom = 0;
	private headSent = false;
	private drained: (() => void) | null = null;
	private held: HeldAnswer | null = null;
	/** Whether the library has all of a body of known length. */
	private ended = false;
	/** {@link progress} when it was last looked at, and how often in a row the socket had accepted nothing by then. */
	private offsetSeen = -1;
	private failedTries = 0;

	constructor(
		private readonly response: HttpResponse,
		private readonly owner: BodyOwner,
		private readonly load: Load,
		/** Status line and headers. */
		private readonly head: string,
		private readonly body: BodyStream,
	) {}

	/** Sends the body. Resolves when it is sent or never will be. REQUIRES: an abort handler is registered. */
	async run(): Promise<void> {
		let complete = false;
		try {
			this.response.onWritable((offset) => this.writable(offset));
			complete = await this.sendPieces();
		} catch {
			// The body has reported the error; without its end the client recognises it as incomplete.
		} finally {
			this.body.close(complete);
			if (!complete) this.owner.cut();
		}
	}

	/** The client has disconnected. */
	aborted(): void {
		this.drained?.();
	}

	private async sendPieces(): Promise<boolean> {
		// Within the request's callback the library corks all that is written (CORKED_BYTES).
		if (this.body.bytes === null) await nextTurn();
		if (this.owner.finished) return false;
		for (;;) {
			const piece = await this.body.next();
			if (this.owner.finished) return false;
			if (piece === null) break;
			const waits =
				this.body.bytes === null ? this.writeChunk(piece) : this.writeKnown(piece, this.body.bytes);
			if (waits) await this.untilDrained(piece.length);
			else await nextTurn();
			if (this.owner.finished) return this.isWhole();
		}
		if (this.body.bytes !== null) return this.isWhole();
		this.corked(() => {
			if (this.reserveAt < this.reserve.length) this.response.write(this.takeReserve());
			this.response.end();
		});
		this.owner.complete();
		return true;
	}

	/** Whether the library has all of a body of known length. */
	private isWhole(): boolean {
		return this.body.bytes !== null && this.ended;
	}

	/** Writes a piece; returns whether the library buffers a part of it. */
	private writeChunk(piece: Uint8Array): boolean {
		const before = this.takeReserve();
		const reserved = this.body.immediate === true ? 0 : RESERVE_BYTES;
		const sent = Math.max(0, piece.length - reserved);
		this.reserve = Buffer.from(piece.subarray(sent));
		this.reserveAt = 0;
		// With what was held back, but apart from the head, whose length is not known.
		const room = CORKED_BYTES - before.length - CHUNK_EXTRA_BYTES;
		const first = this.headSent ? Math.min(sent, room) : 0;
		let taken = true;
		this.corked(() => {
			if (before.length > 0) taken = this.response.write(before);
			if (first > 0) taken = this.response.write(piece.subarray(0, first));
		});
		for (let at = first; at < sent; at += CORKED_BYTES) {
			this.corked(() => {
				taken = this.response.write(piece.subarray(at, Math.min(at + CORKED_BYTES, sent)));
			});
		}
		return !taken;
	}

	private takeReserve(): Buffer {
		const left = this.reserve.subarray(this.reserveAt);
		this.reserveAt = this.reserve.length;
		return left;
	}

	/** Writes a piece of a body of `total` bytes; returns whether the socket accepted only a part of it. */
	private writeKnown(piece: Uint8Array, total: number): boolean {
		const from = this.headSent ? this.response.getWriteOffset() : 0;
		let done = false;
		this.corked(() => {
			[, done] = this.response.tryEnd(piece, total);
		});
		if (done) {
			this.end();
			return false;
		}
		const taken = this.response.getWriteOffset() - from;
		if (taken >= piece.length) return false;
		this.rest = Buffer.from(piece.subarray(taken));
		this.restFrom = from + taken;
		return true;
	}

	private end(): void {
		this.ended = true;
		this.owner.complete();
	}

	/** The socket accepts more. Returns false if it does not accept everything that waits. */
	private writable(offset: number): boolean {
		if (this.held !== null) this.load.progressed(this.held);
		if (this.rest !== null) return this.writeRest(this.rest, offset);
		if (this.drained === null) return true;
		if (this.reserveAt >= this.reserve.length) {
			this.owner.cut();
			return true;
		}
		this.writeReserved();
		return true;
	}

	/** Writes a byte that was held back, and with it what the library buffers; returns whether the socket accepted all. */
	private writeReserved(): boolean {
		const taken = this.response.write(this.reserve.subarray(this.reserveAt, ++this.reserveAt));
		if (taken) this.drained?.();
		return taken;
	}

	private writeRest(rest: Buffer, offset: number): boolean {
		const total = this.body.bytes as number;
		const [ok, done] = this.response.tryEnd(rest.subarray(offset - this.restFrom), total);
		if (done) this.end();
		if (!ok && !done) return false;
		this.rest = null;
		this.drained?.();
		return true;
	}

	/** Resolves when the socket has accepted what was written, or the client has disconnected. */
	private untilDrained(bytes: number): Promise<void> {
		const held: HeldAnswer = { bytes, cut: () => this.owner.cut() };
		return new Promise((resolve) => {
			const stuck = setInterval(() => this.tryToWrite(), STUCK_MS / TRIES);
			this.drained = () => {
				clearInterval(stuck);
				this.drained = null;
				this.held = null;
				this.load.release(held);
				resolve();
			};
			this.held = held;
			this.offsetSeen = this.progress();
			this.failedTries = 0;
			this.load.hold(held);
		});
	}

	/** Increases whenever the socket has accepted bytes. */
	private progress(): number {
		return this.owner.finished ? -1 : this.response.getWriteOffset() + this.reserveAt;
	}

	/** Writes to a full socket; cuts off a client that has accepted nothing for {@link STUCK_MS}. */
	private tryToWrite(): void {
		if (this.progress() !== this.offsetSeen || this.isAccepted()) {
			this.failedTries = 0;
			if (this.held !== null) this.load.progressed(this.held);
		} else if (++this.failedTries === TRIES) this.owner.cut();
		this.offsetSeen = this.progress();
	}

	/** Whether the socket accepts some of what waits: of a body of known length any byte, else all and one byte held back. */
	private isAccepted(): boolean {
		if (this.owner.finished) return false;
		const { rest } = this;
		if (rest !== null) {
			const offset = this.response.getWriteOffset();
			this.corked(() => this.writeRest(rest, offset));
			return this.progress() !== offset + this.reserveAt;
		}
		if (this.reserveAt >= this.reserve.length) return false;
		let taken = false;
		// What the socket has not accepted yet is written before, and the library tells whether it was.
		this.corked(() => {
			taken = this.writeReserved();
		});
		return taken;
	}

	private corked(write: () => void): void {
		this.response.cork(() => {
			if (!this.headSent) this.response.writeStatus(this.head);
			this.headSent = true;
			write();
		});
	}
}
