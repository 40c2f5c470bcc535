/** Bodies of responses of an object store are read whole, and one that stops is given up. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bodyOf } from "../../formats/object-store/http-exchange.js";

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
