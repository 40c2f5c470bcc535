/**
 * Bodies sent in chunks against a model of the library's sockets, whose limits a real connection reaches only by
 * chance: the library collects 16 KiB of what a cork writes, and loses of more what the socket does not accept.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Load } from "../../server/http/load.js";
import { UwsBody } from "../../server/http/uws-body.js";
import type { HttpResponse } from "../../server/http/uws-library.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

/** CORK_BUFFER_SIZE of uWebSockets. */
const CORK_BUFFER_BYTES = 16_384;
/** Sizes around those at which the sender divides a piece, and larger ones. */
const SIZES = [
	1, 1_023, 1_024, 1_025, 15_360, 16_367, 16_384, 17_392, 17_408, 18_000, 33_000, 70_000, 300_000,
];
const BODIES = 60;
const PIECES_MAX = 12;
/** What the socket accepts at a time, at most, and at least once it has reported that it accepts more. */
const ACCEPTED_BYTES_MAX = 24_000;
const REPORTED_BYTES_MIN = 20_000;

/** A response of the library whose socket accepts some bytes at a time, or none. */
class ModelResponse {
	/** What the client gets, without status and chunk sizes. */
	readonly received: Buffer[] = [];
	corkedBytesMax = 0;
	ended = false;
	#corkedBytes: number | null = null;
	/** Bytes that the library buffers, as the socket has not accepted them. */
	#waiting = 0;
	#onWritable: (offset: number) => boolean = () => true;
	#offset = 0;

	constructor(private readonly draw: Draw) {}

	onWritable(handler: (offset: number) => boolean): this {
		this.#onWritable = handler;
		return this;
	}

	getWriteOffset(): number {
		return this.#offset;
	}

	writeStatus(): this {
		return this;
	}

	cork(write: () => void): this {
		this.#corkedBytes = 0;
		write();
		const bytes = this.#corkedBytes;
		this.#corkedBytes = null;
		this.corkedBytesMax = Math.max(this.corkedBytesMax, bytes);
		this.#waiting += bytes;
		this.#accept();
		// What does not fit is given to the socket at once, and what that does not accept is lost.
		if (bytes > CORK_BUFFER_BYTES && this.#waiting > 0) this.received.pop();
		return this;
	}

	write(chunk: Uint8Array): boolean {
		const bytes = chunk.length + `${chunk.length.toString(16)}\r\n\r\n`.length;
		this.received.push(Buffer.from(chunk));
		this.#offset += chunk.length;
		if (this.#waiting > 0) this.#accept();
		if (this.#waiting === 0 && this.#corkedBytes !== null) {
			this.#corkedBytes += bytes;
			return true;
		}
		this.#waiting += bytes;
		if (this.#corkedBytes === null) this.#accept(REPORTED_BYTES_MIN);
		return this.#waiting === 0;
	}

	end(): this {
		this.ended = true;
		return this;
	}

	/** Reports that the socket accepts more, until the body has been sent or given up. */
	async drain(): Promise<void> {
		while (!this.ended) {
			await new Promise((resolve) => setImmediate(resolve));
			this.#onWritable(this.#offset);
		}
	}

	#accept(least = 0): void {
		const bytes = least + this.draw.below(ACCEPTED_BYTES_MAX - least);
		this.#waiting = Math.max(0, this.#waiting - bytes);
	}
}

test("a body in chunks is whole however little the socket accepts, as no cork exceeds the library's buffer", async (t) => {
	tellSeed(t, BODIES);
	const draw = new Draw(SEED);
	const load = new Load({ pendingMax: 100, turnMsMax: 10_000, heldBytesMax: 1 << 30 });
	t.after(() => load.close());
	for (let body = 0; body < BODIES; body++) {
		const pieces = Array.from({ length: 1 + draw.below(PIECES_MAX) }, (_, i) =>
			Buffer.alloc(SIZES[draw.below(SIZES.length)], `${i}-abc`),
		);
		const model = new ModelResponse(draw);
		let complete = false;
		let at = 0;
		const stream = {
			bytes: null,
			next: () => pieces[at++] ?? null,
			close: (whole: boolean) => {
				complete = whole;
			},
		};
		const owner = { finished: false, cut: () => model.end(), complete: () => undefined };
		const sender = new UwsBody(model as unknown as HttpResponse, owner, load, "200 OK", stream);
		await Promise.all([sender.run(), model.drain()]);
		const sizes = pieces.map(({ length }) => length).join();
		assert.ok(complete, sizes);
		assert.ok(model.corkedBytesMax <= CORK_BUFFER_BYTES, `${model.corkedBytesMax} bytes in a cork: ${sizes}`);
		assert.ok(Buffer.concat(model.received).equals(Buffer.concat(pieces)), sizes);
	}
});
