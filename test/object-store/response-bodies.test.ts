/**
 * Bodies of responses of an object store are read whole, and one that stops is given up; requests that fail for
 * now are repeated after pauses.
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bodyOf, exchange } from "../../formats/object-store/http-exchange.js";

const IDLE_MS = 60;

// The limit's timer does not keep a process running, as a connection does.
const alive = setInterval(() => undefined, 1_000);
after(() => clearInterval(alive));

/** A response whose chunks come when `at` says, in milliseconds after each other; it then stays open, or ends. */
function response(at: readonly number[], ends: boolean): Response {
	return new Response(
		new ReadableStream({
			async start(controller) {
				for (const afterMs of at) {
					await delay(afterMs);
					controller.enqueue(new Uint8Array([afterMs]));
				}
				if (ends) controller.close();
			},
		}),
	);
}

async function read(of: Response, consumeMs = 0): Promise<number> {
	let bytes = 0;
	for await (const chunk of bodyOf("object", of, IDLE_MS)) {
		bytes += chunk.length;
		if (consumeMs > 0) await delay(consumeMs);
	}
	return bytes;
}

test("a body that pauses for less than the limit, many times, is read whole", async () => {
	assert.equal(await read(response([20, 20, 20, 20, 20, 20], true)), 6);
});

test("a body that stops fails with its name and the limit", async () => {
	await assert.rejects(read(response([0, 0], false)), {
		code: "store_unreachable",
		message: "object: no byte for 0.06 s",
	});
});

test("the time that the reader takes does not count", async () => {
	assert.equal(await read(response([0, 0, 0], true), 2 * IDLE_MS), 3);
});

test("a request that fails for now is repeated after pauses that grow", async () => {
	const sentMs: number[] = [];
	const answered = await exchange("object", async () => {
		sentMs.push(performance.now());
		return new Response(null, { status: [503, 500, 200][sentMs.length - 1] });
	});
	assert.equal(answered.status, 200);
	const pauses = sentMs.slice(1).map((ms, i) => ms - sentMs[i]);
	assert.equal(pauses.length, 2);
	// Half of 200 ms and of 400 ms at least; timers may be a millisecond early.
	assert.ok(pauses[0] >= 99 && pauses[1] >= 199, `${pauses} ms`);
});

test("an answer that another request would not change is not asked for again", async () => {
	let sent = 0;
	const attempt = async () => {
		sent++;
		return new Response("no such key", { status: 404 });
	};
	assert.equal((await exchange("object", attempt)).status, 404);
	assert.equal(sent, 1);
});
