/** Authentication of requests, and how a running server learns of changes by other processes. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { KeyDirectory } from "../../server/keys/directory.js";
import type { KeyHeaders } from "../../server/keys/key.js";
import { createKeyText } from "../../server/keys/key-text.js";
import { revokeKey, suspendKey } from "../../server/keys/lifecycle.js";
import { addKey, authenticate, NOON_MS, OPERATOR, scratchFolder, scratchStore } from "./scratch.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));

test("which headers authenticate a request", async (t) => {
	const store = scratchStore(t);
	const { text, record } = await addKey(store);
	const directory = new KeyDirectory(store);
	const bad = createKeyText();
	const table: [authorization: string | null, xApiKey: string | null, outcome: string][] = [
		[`Bearer ${text}`, null, "ok"],
		[`bearer ${text}`, null, "ok"],
		[`BEARER   ${text}  `, null, "ok"],
		[null, text, "ok"],
		[`Bearer ${text}`, bad, "ok"],
		[
			null,
			null,
			"unauthorized: An API key is required: send it as Authorization: Bearer <API_KEY>, or as X-API-Key.",
		],
		[`Bearer ${bad}`, text, "unauthorized: The API key is not valid."],
		["Bearer nonsense", text, "unauthorized: The API key is not valid."],
		["Bearer", text, "unauthorized: The Authorization header is not of the form Bearer <API_KEY>."],
		[`Basic ${text}`, text, "unauthorized: The Authorization header is not of the form Bearer <API_KEY>."],
		[text, null, "unauthorized: The Authorization header is not of the form Bearer <API_KEY>."],
		[`Bearer ${text} x`, null, "unauthorized: The Authorization header is not of the form Bearer <API_KEY>."],
		[`Bearer ${text.toUpperCase()}`, null, "unauthorized: The API key is not valid."],
		[null, bad, "unauthorized: The API key is not valid."],
		["", text, "unauthorized: The Authorization header is not of the form Bearer <API_KEY>."],
		[null, `Bearer ${text}`, "unauthorized: The API key is not valid."],
	];
	// Twice: first seen, then cached.
	for (const [authorization, xApiKey, outcome] of [...table, ...table]) {
		const headers: KeyHeaders = { authorization, xApiKey };
		const result = directory.authenticate(headers, NOON_MS);
		assert.equal(result.ok ? "ok" : `${result.code}: ${result.message}`, outcome, JSON.stringify(headers));
		assert.equal(result.key?.id, result.ok ? record.id : undefined);
	}
});

test("an unusable key is refused with the reason, and is known to the response", async (t) => {
	const store = scratchStore(t);
	const expiring = await addKey(store, { lifetimeMs: 1_000 });
	const suspended = await addKey(store);
	const revoked = await addKey(store);
	await suspendKey(store, suspended.record.id, OPERATOR);
	await revokeKey(store, revoked.record.id, OPERATOR);
	const directory = new KeyDirectory(store);
	assert.equal(authenticate(directory, expiring.text, NOON_MS + 999).ok, true);
	const outcomes = [expiring, suspended, revoked].map(({ text, record }) => {
		const result = authenticate(directory, text, NOON_MS + 1_000);
		return result.ok ? "ok" : [result.code, result.message, result.key?.id === record.id];
	});
	assert.deepEqual(outcomes, [
		["unauthorized", "The API key expired at 2026-11-21T10:20:31.400Z.", true],
		["key_suspended", "The API key is suspended by the operator.", true],
		["unauthorized", "The API key is revoked.", true],
	]);
});

test("a refresh applies exactly the changes, cached headers included", async (t) => {
	const store = scratchStore(t);
	const first = await addKey(store);
	const directory = new KeyDirectory(store);
	assert.equal(authenticate(directory, first.text).ok, true);
	assert.equal(directory.refresh(), 0);
	const second = await addKey(store);
	assert.equal(authenticate(directory, second.text).ok, false);
	await suspendKey(store, first.record.id, OPERATOR);
	assert.equal(directory.refresh(), 2);
	assert.equal(authenticate(directory, second.text).ok, true);
	assert.equal(authenticate(directory, first.text).ok, false);
	assert.equal(directory.size, 2);
	assert.equal(directory.idOfSlot(second.record.slot), second.record.id);
});

test("another process's change takes effect within a second", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	const { text, record } = await addKey(store);
	const directory = new KeyDirectory(store);
	const errors: unknown[] = [];
	directory.start((error) => errors.push(error));
	t.after(() => directory.stop());
	for (const [command, accepted] of [
		["suspend", false],
		["resume", true],
		["revoke", false],
	] as const) {
		const { status, stderr } = spawnSync(
			process.execPath,
			[MAIN, "keys", command, record.id, "--data", dataFolder],
			{
				encoding: "utf8",
			},
		);
		assert.equal(status, 0, stderr);
		const changedMs = performance.now();
		while (authenticate(directory, text).ok !== accepted) {
			assert.ok(performance.now() - changedMs < 1_000, `${command} was not seen`);
			await delay(10);
		}
	}
	assert.deepEqual(errors, []);
});

test("of the many spellings of a header only a few are cached", async (t) => {
	const store = scratchStore(t);
	const { text } = await addKey(store);
	const directory = new KeyDirectory(store);
	for (let spaces = 1; spaces < 2_000; spaces++) {
		const headers = { authorization: `Bearer${" ".repeat(spaces)}${text}`, xApiKey: null };
		assert.equal(directory.authenticate(headers, NOON_MS).ok, true);
	}
	assert.ok(directory.remembered <= 8, `${directory.remembered} headers are remembered`);
});
