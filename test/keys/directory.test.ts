/** Authentication of requests, and how a running server learns of changes by other processes. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { open } from "lmdb";
import { KeyDirectory } from "../../server/keys/directory.js";
import type { KeyHeaders } from "../../server/keys/key.js";
import { createKeyText } from "../../server/keys/key-text.js";
import { revokeKey, rotateKey, suspendKey } from "../../server/keys/lifecycle.js";
import { StoreError } from "../../server/store/errors.js";
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
	const byApiKey = () => directory.authenticate({ authorization: null, xApiKey: first.text }, NOON_MS).ok;
	assert.equal(authenticate(directory, first.text).ok, true);
	assert.equal(byApiKey(), true);
	assert.equal(directory.refresh(), 0);
	const second = await addKey(store);
	await suspendKey(store, first.record.id, OPERATOR);
	assert.equal(directory.refresh(), 2);
	assert.equal(authenticate(directory, second.text).ok, true);
	assert.equal(authenticate(directory, first.text).ok, false);
	assert.equal(byApiKey(), false);
	assert.equal(directory.size, 2);
	assert.equal(directory.idOfSlot(second.record.slot), second.record.id);
});

test("a text that a rotation ended is unknown once the change is read, even within its grace", async (t) => {
	const store = scratchStore(t);
	const { record, text } = await addKey(store);
	const directory = new KeyDirectory(store);
	const second = await rotateKey(store, record.id, 60_000, OPERATOR);
	directory.refresh();
	for (const good of [text, second.text]) assert.equal(authenticate(directory, good).ok, true);
	const third = await rotateKey(store, record.id, 60_000, OPERATOR);
	directory.refresh();
	assert.equal(authenticate(directory, text).ok, false);
	for (const good of [second.text, third.text]) assert.equal(authenticate(directory, good).ok, true);
	const last = await rotateKey(store, record.id, 0, OPERATOR);
	directory.refresh();
	for (const ended of [text, second.text, third.text]) assert.equal(authenticate(directory, ended).ok, false);
	assert.equal(authenticate(directory, last.text).ok, true);
});

test("a rotated text is good until its grace or its key ends, whichever is first", async (t) => {
	const store = scratchStore(t);
	const { record, text } = await addKey(store, { lifetimeMs: 10_000 });
	await rotateKey(store, record.id, 60_000, OPERATOR);
	const directory = new KeyDirectory(store);
	assert.equal(authenticate(directory, text, NOON_MS + 9_999).ok, true);
	const refusal = authenticate(directory, text, NOON_MS + 10_000);
	assert.match(refusal.ok ? "ok" : refusal.message, /^The API key expired at /);
	const brief = await addKey(store, { lifetimeMs: 60_000 });
	await rotateKey(store, brief.record.id, 10_000, OPERATOR);
	directory.refresh();
	assert.equal(authenticate(directory, brief.text, NOON_MS + 9_999).ok, true);
	assert.equal(authenticate(directory, brief.text, NOON_MS + 10_000).ok, false);
});

test("another process's change takes effect within a second", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	const { text, record } = await addKey(store);
	const errors: unknown[] = [];
	const directory = new KeyDirectory(store, { onError: (error) => errors.push(error) });
	directory.start();
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
	assert.ok(directory.cachedHeaders <= 8, `${directory.cachedHeaders} headers are cached`);
});

test("an unknown but well-formed key is looked up at once, a bounded number of times a second", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	const applied: number[] = [];
	const directory = new KeyDirectory(store, { onApplied: (generation) => applied.push(generation) });
	const first = await addKey(store);
	assert.equal(authenticate(directory, first.text).ok, true, "made after the directory was read");
	for (let i = 0; i < 1_000; i++) assert.equal(authenticate(directory, createKeyText()).ok, false);
	const second = await addKey(store);
	assert.equal(authenticate(directory, second.text).ok, false, "no lookups are left in this second");
	assert.equal(authenticate(directory, second.text, NOON_MS + 1_000).ok, true);
	assert.deepEqual(applied, [0, 1, 2]);
});

test("a key whose record is corrupt is refused, and every other change is applied", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	const [damaged, revoked, kept] = [await addKey(store), await addKey(store), await addKey(store)];
	const errors: unknown[] = [];
	const directory = new KeyDirectory(store, { onError: (error) => errors.push(error) });
	await suspendKey(store, damaged.record.id, OPERATOR);
	await revokeKey(store, revoked.record.id, OPERATOR);
	const added = await addKey(store);
	for (const value of [{ id: damaged.record.id, tier: "gold" }, GARBAGE]) {
		await overwriteKey(dataFolder, damaged.record.id, value);
		directory.refresh();
		assert.equal(authenticate(directory, damaged.text).ok, false);
		assert.equal(authenticate(directory, revoked.text).ok, false);
		assert.equal(authenticate(directory, kept.text).ok, true);
		assert.equal(authenticate(directory, added.text).ok, true);
		assert.equal(directory.fault(), null);
		const fresh = new KeyDirectory(store, { onError: (error) => errors.push(error) });
		assert.equal(authenticate(fresh, damaged.text).ok, false);
		assert.equal(authenticate(fresh, kept.text).ok, true);
	}
	assert.ok(errors.length >= 3);
	for (const error of errors) assert.match(String(error), /key_|read failed/);
});

test("a key whose record is corrupt is refused where the log of changes is too", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	const [damaged, kept] = [await addKey(store), await addKey(store)];
	const unlogged = new Proxy(store, {
		get(target, name) {
			if (name === "auditSince") throw new StoreError("corrupt_record", target.path, "a change is corrupt");
			const value = Reflect.get(target, name, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
	const directory = new KeyDirectory(unlogged);
	assert.equal(authenticate(directory, damaged.text).ok, true);
	await overwriteKey(dataFolder, damaged.record.id, GARBAGE);
	const added = await addKey(store);
	directory.refresh();
	assert.equal(authenticate(directory, damaged.text).ok, false);
	assert.equal(authenticate(directory, kept.text).ok, true);
	assert.equal(authenticate(directory, added.text).ok, true);
});

test("every key is refused once the store could not be read for the time set", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	const { text } = await addKey(store);
	let broken = false;
	const failing = new Proxy(store, {
		get(target, name) {
			if (name === "generation" && broken) throw new Error("EMFILE: too many open files");
			const value = Reflect.get(target, name, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
	const errors: unknown[] = [];
	const directory = new KeyDirectory(failing, { onError: (error) => errors.push(error), staleAfterMs: 200 });
	directory.start();
	t.after(() => directory.stop());
	broken = true;
	const brokenMs = performance.now();
	await waitUntil(() => directory.fault() !== null);
	assert.equal(authenticate(directory, text).ok, true, "not yet");
	await waitUntil(() => !authenticate(directory, text).ok);
	assert.ok(performance.now() - brokenMs >= 150);
	const refusal = authenticate(directory, text);
	assert.equal(refusal.ok ? "ok" : refusal.code, "unavailable");
	assert.ok(errors.length > 0);
	broken = false;
	await waitUntil(() => authenticate(directory, text).ok);
	assert.equal(directory.fault(), null);
});

/** A msgpack array of seven items that ends after one. */
const GARBAGE = Buffer.from([0x97, 0x01]);

/** Writes `value` in place of a key's record, as damage would; bytes as they are. */
async function overwriteKey(dataFolder: string, id: string, value: unknown): Promise<void> {
	const root = open({ path: join(dataFolder, "keys"), noSubdir: false });
	const encoding = Buffer.isBuffer(value) ? "binary" : "msgpack";
	await root.openDB({ name: "keys", encoding }).put(id, value);
	await root.close();
}

async function waitUntil(condition: () => boolean): Promise<void> {
	const deadlineMs = performance.now() + 10_000;
	while (!condition()) {
		assert.ok(performance.now() < deadlineMs, "waited for ten seconds");
		await delay(5);
	}
}
