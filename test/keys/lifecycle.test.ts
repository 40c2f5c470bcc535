/** The life of a key in the store, and its audit log. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyDirectory } from "../../server/keys/directory.js";
import { KeyError, type KeyErrorCode } from "../../server/keys/errors.js";
import type { KeyRecord } from "../../server/keys/key.js";
import { effectiveStatus, isGoodText } from "../../server/keys/key-of-record.js";
import { createKeyText, hashKeyText } from "../../server/keys/key-text.js";
import { convertKey, resumeKey, revokeKey, rotateKey, suspendKey } from "../../server/keys/lifecycle.js";
import { TIER_TRAITS } from "../../server/keys/tiers.js";
import { addKey, authenticate, NOON_MS, OPERATOR, scratchStore } from "./scratch.js";

const HOUR_MS = 3_600_000;

async function refused(change: Promise<unknown>, code: KeyErrorCode): Promise<void> {
	await assert.rejects(change, (error) => error instanceof KeyError && error.code === code);
}

test("a key is stored as the hash of its text, with its tier's defaults", async (t) => {
	const store = scratchStore(t);
	const { record, text } = await addKey(store, { tier: "trial" });
	assert.deepEqual(store.key(record.id), record);
	assert.equal(record.hash, hashKeyText(text));
	assert.equal(JSON.stringify(store.keys()).includes(text), false);
	assert.deepEqual(record.rate_limits, { per_minute: 30, per_day: 300, monthly_quota: 2_000 });
	assert.equal(record.expires_at, "2026-12-05T10:20:30.400Z");
});

test("limits and lifetime given override the tier's", async (t) => {
	const store = scratchStore(t);
	const { record } = await addKey(store, {
		tier: "trial",
		rate_limits: { per_minute: 5, monthly_quota: null },
		lifetimeMs: null,
	});
	assert.deepEqual(record.rate_limits, { per_minute: 5, per_day: 300, monthly_quota: null });
	assert.equal(record.expires_at, null);
});

test("suspension can be lifted, revocation is final", async (t) => {
	const store = scratchStore(t);
	const { id } = (await addKey(store)).record;
	assert.equal((await suspendKey(store, id, OPERATOR)).status, "suspended");
	assert.equal((await resumeKey(store, id, OPERATOR)).status, "active");
	assert.equal((await revokeKey(store, id, OPERATOR)).status, "revoked");
	await refused(suspendKey(store, id, OPERATOR), "key_revoked");
	await refused(resumeKey(store, id, OPERATOR), "key_revoked");
	await refused(rotateKey(store, id, 0, OPERATOR), "key_revoked");
	assert.equal(store.key(id)?.status, "revoked");
});

test("an expired key is not rotated, and the refusal says what to do", async (t) => {
	const store = scratchStore(t);
	const trial = (await addKey(store, { tier: "trial", lifetimeMs: HOUR_MS })).record;
	const demo = (await addKey(store, { tier: "demo", lifetimeMs: HOUR_MS })).record;
	const later = { ...OPERATOR, nowMs: NOON_MS + HOUR_MS };
	await assert.rejects(rotateKey(store, trial.id, 0, later), {
		code: "key_expired",
		message: new RegExp(`keys create, or extend it by converting it \\(signups convert ${trial.id}\\)$`),
	});
	await assert.rejects(rotateKey(store, demo.id, 0, later), {
		code: "key_expired",
		message: /with keys create$/,
	});
	assert.equal(store.key(trial.id)?.hash, trial.hash);
	await rotateKey(store, demo.id, 0, { ...OPERATOR, nowMs: NOON_MS + HOUR_MS - 1 });
	await convertKey(store, trial.id, "production", later);
	const { text } = await rotateKey(store, trial.id, 0, later);
	assert.equal(authenticate(new KeyDirectory(store), text, later.nowMs).ok, true);
});

test("a converted key has the limits and the lifetime of its new tier, and keeps the rest", async (t) => {
	const store = scratchStore(t);
	const { text, record } = await addKey(store, { tier: "trial", lifetimeMs: HOUR_MS });
	const { rate_limits } = TIER_TRAITS.production;
	await convertKey(store, record.id, "production", OPERATOR);
	assert.deepEqual(store.key(record.id), { ...record, tier: "production", rate_limits, expires_at: null });
	assert.equal(authenticate(new KeyDirectory(store), text, NOON_MS + HOUR_MS).ok, true);
	const { expires_at } = await convertKey(store, record.id, "trial", OPERATOR);
	assert.equal(expires_at, new Date(NOON_MS + 14 * 24 * HOUR_MS).toISOString());
});

test("an id that no key has is refused by every change", async (t) => {
	const store = scratchStore(t);
	for (const change of [suspendKey, resumeKey, revokeKey]) {
		await refused(change(store, "key_none", OPERATOR), "unknown_key");
	}
	await refused(rotateKey(store, "key_none", 0, OPERATOR), "unknown_key");
	assert.equal(store.generation(), 0);
});

test("a rotated key keeps its id and slot; the old text works to the end of the grace", async (t) => {
	const store = scratchStore(t);
	const old = await addKey(store);
	const fresh = await rotateKey(store, old.record.id, HOUR_MS, OPERATOR);
	assert.equal(fresh.record.id, old.record.id);
	assert.equal(fresh.record.slot, old.record.slot);
	assert.notEqual(fresh.text, old.text);
	const directory = new KeyDirectory(store);
	assert.equal(authenticate(directory, old.text, NOON_MS + HOUR_MS - 1).ok, true);
	assert.deepEqual(authenticate(directory, old.text, NOON_MS + HOUR_MS), {
		ok: false,
		code: "unauthorized",
		message: "The API key is not valid.",
		key: null,
	});
	assert.equal(authenticate(directory, fresh.text, NOON_MS + 2 * HOUR_MS).ok, true);
});

test("a text is good while its key is active, and the old one of a rotated key to the end of the grace", async (t) => {
	const store = scratchStore(t);
	const old = await addKey(store, { lifetimeMs: 3 * HOUR_MS });
	const { record, text } = await rotateKey(store, old.record.id, HOUR_MS, OPERATOR);
	const areGood = (key: KeyRecord, nowMs: number) =>
		[old.text, text, createKeyText()].map((each) => isGoodText(key, hashKeyText(each), nowMs));
	assert.deepEqual(areGood(record, NOON_MS + HOUR_MS - 1), [true, true, false]);
	assert.deepEqual(areGood(record, NOON_MS + HOUR_MS), [false, true, false]);
	assert.deepEqual(areGood(record, NOON_MS + 3 * HOUR_MS), [false, false, false]);
	assert.deepEqual(areGood(await suspendKey(store, record.id, OPERATOR), NOON_MS), [false, false, false]);
});

test("without grace the old text ends at once; a second rotation ends the first one's grace", async (t) => {
	const store = scratchStore(t);
	const first = await addKey(store);
	const { id } = first.record;
	const second = await rotateKey(store, id, HOUR_MS, OPERATOR);
	assert.equal(second.endedGraceUntil, null);
	const third = await rotateKey(store, id, HOUR_MS, { ...OPERATOR, nowMs: NOON_MS + 1_000 });
	assert.equal(third.endedGraceUntil, new Date(NOON_MS + HOUR_MS).toISOString());
	const accepted = () => {
		const directory = new KeyDirectory(store);
		return [first, second, third].map(({ text }) => authenticate(directory, text).ok);
	};
	assert.deepEqual(accepted(), [false, true, true]);
	const fourth = await rotateKey(store, id, 0, { ...OPERATOR, nowMs: NOON_MS + 1_000 + HOUR_MS });
	assert.equal(fourth.endedGraceUntil, null, "the grace had ended by itself");
	assert.deepEqual(accepted(), [false, false, false]);
	assert.equal(authenticate(new KeyDirectory(store), fourth.text).ok, true);
});

test("a suspended key's old text is refused as suspended during the grace, as unknown after it", async (t) => {
	const store = scratchStore(t);
	const old = await addKey(store);
	await rotateKey(store, old.record.id, HOUR_MS, OPERATOR);
	await suspendKey(store, old.record.id, OPERATOR);
	const directory = new KeyDirectory(store);
	const during = authenticate(directory, old.text);
	assert.equal(during.ok ? null : during.code, "key_suspended");
	const after = authenticate(directory, old.text, NOON_MS + HOUR_MS);
	assert.equal(after.ok ? null : after.code, "unauthorized");
});

test("every change is in the audit log, and commands that change nothing are not", async (t) => {
	const store = scratchStore(t);
	const { id } = (await addKey(store, { tier: "demo" })).record;
	await suspendKey(store, id, { by: "anna", nowMs: NOON_MS + 1_000 });
	await suspendKey(store, id, { by: "anna", nowMs: NOON_MS + 2_000 });
	await resumeKey(store, id, { by: "ben", nowMs: NOON_MS + 3_000 });
	await resumeKey(store, id, { by: "ben", nowMs: NOON_MS + 4_000 });
	await rotateKey(store, id, HOUR_MS, { by: "ben", nowMs: NOON_MS + 5_000 });
	await revokeKey(store, id, { by: "cleo", nowMs: NOON_MS + 6_000 });
	await revokeKey(store, id, { by: "cleo", nowMs: NOON_MS + 7_000 });
	assert.deepEqual(
		store.auditSince(0).map((e) => [e.seq, e.at.slice(17, 19), e.by, e.action, e.key_id === id]),
		[
			[1, "30", "operator", "create", true],
			[2, "31", "anna", "suspend", true],
			[3, "33", "ben", "resume", true],
			[4, "35", "ben", "rotate", true],
			[5, "36", "cleo", "revoke", true],
		],
	);
	assert.match(store.auditSince(0)[0].detail, /^demo key, scope /);
	assert.equal(store.auditSince(0)[3].detail, "old key good until 2026-11-21T11:20:35.400Z");
	assert.equal(store.generation(), 5);
	assert.deepEqual(
		store.auditSince(4).map((e) => e.action),
		["revoke"],
	);
});

test("a new key's audit entry has the limits and the expiry that its tier does not give", async (t) => {
	const store = scratchStore(t);
	await addKey(store, { rate_limits: { per_minute: 5, per_day: null }, lifetimeMs: HOUR_MS });
	await addKey(store, { tier: "trial", lifetimeMs: null });
	await addKey(store, { tier: "trial" });
	const scope = '{"geography":null,"columns":null,"history":{"mode":"latest"}}';
	assert.deepEqual(
		store.auditSince(0).map((e) => e.detail),
		[
			`production key, scope ${scope}, limits {"per_minute":5,"per_day":null}, expires ${new Date(NOON_MS + HOUR_MS).toISOString()}`,
			`trial key, scope ${scope}, expires never`,
			`trial key, scope ${scope}`,
		],
	);
});

test("a key's status at a moment: revoked before expired before suspended", () => {
	const at = (status: "active" | "suspended" | "revoked", expires_at: string | null) =>
		effectiveStatus({ status, expires_at }, NOON_MS);
	const past = new Date(NOON_MS).toISOString();
	const future = new Date(NOON_MS + 1).toISOString();
	assert.deepEqual(
		(["active", "suspended", "revoked"] as const).map((status) => [
			at(status, null),
			at(status, future),
			at(status, past),
		]),
		[
			["active", "active", "expired"],
			["suspended", "suspended", "expired"],
			["revoked", "revoked", "revoked"],
		],
	);
});
