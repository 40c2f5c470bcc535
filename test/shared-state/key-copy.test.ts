/** A host's copy of the shared keys, over its store alone: which of two versions of a key it keeps. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { revokeKey, rotateKey } from "../../server/keys/lifecycle.js";
import { KeyCopy } from "../../server/shared-state/key-copy.js";
import { type SharedKey, withoutSlot } from "../../server/shared-state/shared-key.js";
import { addKey, NOON_MS, OPERATOR, scratchStore } from "../keys/scratch.js";

const LATER = { ...OPERATOR, nowMs: NOON_MS + 1_000 };

/** A key of a store that has shared it, by what this host notes: never. */
async function unsharedKey(t: TestContext) {
	const store = scratchStore(t);
	const { record } = await addKey(store);
	const [{ seq: _, ...change }] = store.auditSince(0);
	const shared: SharedKey = { version: 1, record: withoutSlot(record), change };
	return { store, copy: new KeyCopy(store), id: record.id, shared };
}

test("a change made before a host learns that its key is shared is kept, and shared next", async (t) => {
	for (const change of [
		revokeKey,
		(...[store, id]: Parameters<typeof revokeKey>) => rotateKey(store, id, 0, LATER),
	]) {
		const { store, copy, id, shared } = await unsharedKey(t);
		await change(store, id, LATER);
		const changed = store.key(id);
		await copy.apply([{ id, key: shared }]);
		assert.deepEqual(store.key(id), changed);
		const [{ expected, next }] = copy.localChanges(true);
		assert.deepEqual([expected, next.version, next.record.status], [1, 2, changed?.status]);
		assert.equal(next.record.hash, changed?.hash);
	}
});

test("of a key that another host has shared and changed later, the later change is taken, unless it ended here", async (t) => {
	const { store, copy, id, shared } = await unsharedKey(t);
	const later = { ...shared.change, at: new Date(LATER.nowMs).toISOString(), action: "suspend" } as const;
	const suspended: SharedKey = {
		version: 2,
		record: { ...shared.record, status: "suspended" },
		change: later,
	};
	await copy.apply([{ id, key: suspended }]);
	assert.equal(store.key(id)?.status, "suspended");
	assert.deepEqual(copy.localChanges(true), []);

	const ended = await unsharedKey(t);
	await revokeKey(ended.store, ended.id, OPERATOR);
	const active: SharedKey = { ...ended.shared, version: 2, change: { ...later, action: "resume" } };
	await ended.copy.apply([{ id: ended.id, key: active }]);
	assert.equal(ended.store.key(ended.id)?.status, "revoked");
});

test("a revoked key stays revoked under a newer version that is not, and a version that is known changes nothing", async (t) => {
	const { store, copy, id, shared } = await unsharedKey(t);
	const revoked = withoutSlot(await revokeKey(store, id, LATER));
	await copy.noteShared(id, { ...shared, record: revoked });
	const rotated: SharedKey = {
		version: 2,
		record: { ...shared.record, hash: "f".repeat(64) },
		change: { ...shared.change, action: "rotate" },
	};
	await copy.apply([{ id, key: rotated }]);
	const { status, hash } = store.key(id) ?? {};
	assert.deepEqual([status, hash], ["revoked", "f".repeat(64)]);
	const generation = store.generation();
	await copy.apply([{ id, key: { ...rotated, record: { ...rotated.record, name: "other" } } }]);
	assert.equal(store.generation(), generation);
	assert.equal(copy.shared(id)?.record.name, shared.record.name);
});
