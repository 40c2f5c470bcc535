/**
 * Bodies for clients that read slowly, against a model of a socket that reports nothing of what it accepts more, as the
 * kernel does until a third of its buffer is free.
 */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nextTurn, STUCK_MS } from "../../server/http/body-stream.js";
import { Load } from "../../server/http/load.js";
import { UwsBody } from "../../server/http/uws-body.js";
import type { HttpResponse } from "../../server/http/uws-library.js";

/** Less than the times between two tries. */
const TICK_MS = 1_000;
const PIECE_BYTES = 60_000;
const PIECES = 4;

class SilentSocket {
	/** Bytes that were given to the library, but for the framing of chunks. */
	given = 0;
	/** Bytes that the kernel has room for. */
	room = 0;
	ended = false;
	#buffered = 0;
	#offset = 0;

	onWritable(): this {
		return this;
	}

	getWriteOffset(): number {
		return this.#offset;
	}

	writeStatus(): this {
		return this;
	}

	cork(write: () => void): this {
		write();
		return this;
	}

	write(chunk: Uint8Array): boolean {
		this.given += chunk.length;
		this.#buffered += chunk.length;
		const taken = Math.min(this.room, this.#buffered);
		this.room -= taken;
		this.#buffered -= taken;
		return this.#buffered === 0;
	}

	tryEnd(chunk: Uint8Array, total: number): [boolean, boolean] {
		const taken = Math.min(this.room, chunk.length);
		this.room -= taken;
		this.#offset += taken;
		this.given = this.#offset;
		return [taken === chunk.length, this.#offset === total];
	}

	end(): this {
		this.ended = true;
		return this;
	}
}

/** The timers of `setInterval`. Those of node:test go on where a timer is cleared by what it calls. */
class Intervals {
	nowMs = 0;
	readonly #timers = new Map<number, { readonly act: () => void; readonly ms: number; nextMs: number }>();
	#last = 0;

	constructor(t: TestContext) {
		const set = (act: () => void, ms: number) => {
			this.#timers.set(++this.#last, { act, ms, nextMs: this.nowMs + ms });
			return this.#last;
		};
		t.mock.method(globalThis, "setInterval", set as unknown as typeof setInterval);
		const clear = (timer: number) => void this.#timers.delete(timer);
		t.mock.method(globalThis, "clearInterval", clear as unknown as typeof clearInterval);
	}

	tick(ms: number): void {
		this.nowMs += ms;
		for (const timer of [...this.#timers.values()]) {
			if (timer.nextMs > this.nowMs) continue;
			timer.nextMs += timer.ms;
			timer.act();
		}
	}
}

/** Sends pieces of a body to a client that reads `bytesRead(second)` each second; returns what became of it. */
async function send(
	t: TestContext,
	isLengthKnown: boolean,
	bytesRead: (second: number) => number,
): Promise<{ given: number; cutAfterMs: number | null; complete: boolean }> {
	const load = new Load({ pendingMax: 100, turnMsMax: 10_000, heldBytesMax: 1 << 30 });
	load.close();
	const clock = new Intervals(t);
	const socket = new SilentSocket();
	let left = PIECES;
	const result = { given: 0, cutAfterMs: null as number | null, complete: false };
	const owner = {
		finished: false,
		cut: () => {
			result.cutAfterMs ??= clock.nowMs;
			owner.finished = true;
			body.aborted();
		},
		complete: () => {
			owner.finished = true;
		},
	};
	const stream = {
		bytes: isLengthKnown ? PIECES * PIECE_BYTES : null,
		next: () => (left-- > 0 ? Buffer.alloc(PIECE_BYTES, "a") : null),
		close: (complete: boolean) => {
			result.complete = complete;
		},
	};
	const body = new UwsBody(socket as unknown as HttpResponse, owner, load, "200 OK", stream);
	let isRunning = true;
	const run = body.run().finally(() => {
		isRunning = false;
	});
	for (let second = 1; isRunning && second < 1_000; second++) {
		for (let turn = 0; turn < 10; turn++) await nextTurn();
		socket.room += bytesRead(second);
		clock.tick(TICK_MS);
	}
	await run;
	return { ...result, given: socket.given };
}

test("a client that reads a tenth of a piece each second gets all of a body in chunks", async (t) => {
	const { given, cutAfterMs, complete } = await send(t, false, () => PIECE_BYTES / 9);
	assert.deepEqual({ given, cutAfterMs, complete }, { given: 240_000, cutAfterMs: null, complete: true });
});

test("a client that reads a little every nine seconds gets all of a body of known length", async (t) => {
	const { given, cutAfterMs, complete } = await send(t, true, (second) => (second % 9 === 0 ? 5_000 : 0));
	assert.deepEqual({ given, cutAfterMs, complete }, { given: 240_000, cutAfterMs: null, complete: true });
});

for (const isLengthKnown of [false, true])
	test(`a client that stops reading is cut off, its body's length ${isLengthKnown ? "known" : "unknown"}`, async (t) => {
		const { cutAfterMs, complete } = await send(t, isLengthKnown, (second) =>
			second < 20 ? PIECE_BYTES / 6 : 0,
		);
		assert.equal(complete, false);
		assert.ok(cutAfterMs !== null && cutAfterMs >= 19_000 + STUCK_MS - 4_000, `after ${cutAfterMs} ms`);
		assert.ok(cutAfterMs <= 19_000 + STUCK_MS + 4_000, `after ${cutAfterMs} ms`);
	});
