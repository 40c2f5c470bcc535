/**
 * Changes of a key reach requests that authenticated before, by whichever header the key came: the server
 * keeps headers of known keys, which a change must make it forget.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { resumeKey, revokeKey, rotateKey, suspendKey } from "../../server/keys/lifecycle.js";
import { overBothTransports, type ServedFixture } from "./served.js";

/** The ways to send a key. */
const HEADERS = {
	Authorization: (key: string) => ({ authorization: `Bearer ${key}` }),
	"X-API-Key": (key: string) => ({ "x-api-key": key }),
} as const;

async function statusOf(served: ServedFixture, headers: Record<string, string>): Promise<number> {
	return (await served.request("/v1/states", null, { headers })).status;
}

overBothTransports("changes of keys", (served) => {
	for (const [name, send] of Object.entries(HEADERS)) {
		test(`a key sent as ${name} is refused once suspended, and again once revoked`, async () => {
			const operator = { by: "test", nowMs: served().clock.now() };
			const { id, text } = await served().keyWithId();
			const headers = send(text);
			// Twice: the second request finds the header kept.
			for (let i = 0; i < 2; i++) assert.equal(await statusOf(served(), headers), 200);
			await suspendKey(served().keys, id, operator);
			await served().access.settle();
			assert.equal(await statusOf(served(), headers), 401);
			await resumeKey(served().keys, id, operator);
			await served().access.settle();
			for (let i = 0; i < 2; i++) assert.equal(await statusOf(served(), headers), 200);
			await revokeKey(served().keys, id, operator);
			await served().access.settle();
			for (let i = 0; i < 2; i++) assert.equal(await statusOf(served(), headers), 401);
		});

		test(`a key sent as ${name} is refused once rotated, and its successor is taken`, async () => {
			const operator = { by: "test", nowMs: served().clock.now() };
			const { id, text } = await served().keyWithId();
			for (let i = 0; i < 2; i++) assert.equal(await statusOf(served(), send(text)), 200);
			const rotated = await rotateKey(served().keys, id, 0, operator);
			await served().access.settle();
			assert.equal(await statusOf(served(), send(text)), 401);
			assert.equal(await statusOf(served(), send(rotated.text)), 200);
		});
	}
});
