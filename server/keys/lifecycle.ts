/**
 * The life of a key: created, suspended, resumed, rotated, converted to another tier, revoked. Each is one transaction with its
 * audit entry; servers see it within a second (directory.ts).
 *
 * ```
 * create ─▶ active ◀─resume─ suspended        rotate: active or suspended and not expired, new text, same key
 *              └──suspend──▶  │
 *              └──revoke──▶ revoked ◀─revoke──┘        (revoked is final)
 * ```
 *
 * Asking for the state a key is in already changes nothing and writes no audit entry.
 */

import { randomBytes } from "node:crypto";
import type { AuditAction, EditKey } from "../store/records.js";
import { KeyError } from "./errors.js";
import type { KeyRecord, KeyStatus, RateLimits, Scope, Tier } from "./key.js";
import { effectiveStatus } from "./key-of-record.js";
import { createKeyText, hashKeyText } from "./key-text.js";
import { TIER_TRAITS } from "./tiers.js";

/** Where keys are changed: `Store`, or the keys that hosts share. */
export interface KeyStore {
	/** Runs `write`, which changes keys by {@link changeNow}, all or nothing. */
	transaction<T>(write: () => T): Promise<T>;
	/** As `Store.changeNow`. */
	changeNow(id: string, edit: EditKey): KeyRecord | undefined;
}

/** Who does it, and when. */
export interface Actor {
	/** OS user. */
	readonly by: string;
	readonly nowMs: number;
}

/** The properties of a new key. An absent member is the tier's default; a null limit means unlimited. */
export interface KeyRequest {
	readonly tier: Tier;
	readonly name: string;
	readonly scope: Scope;
	readonly rate_limits: Partial<RateLimits>;
	/** From now to expiry, in milliseconds; null: never. */
	readonly lifetimeMs?: number | null;
}

/** A record with its key's text, which is shown once and kept nowhere. */
export interface KeyWithText {
	readonly record: KeyRecord;
	readonly text: string;
}

/** A rotated key. */
export interface RotatedKey extends KeyWithText {
	/** When the grace of an earlier rotation would have ended, which this one ended; null: none was running. */
	readonly endedGraceUntil: string | null;
}

/** Makes a key. Errors: those of `Store.change`. */
export async function createKey(store: KeyStore, request: KeyRequest, actor: Actor): Promise<KeyWithText> {
	return store.transaction(() => createKeyNow(store, request, actor));
}

/** As {@link createKey}, as a part of a larger change. REQUIRES: inside `Store.transaction`. */
export function createKeyNow(store: KeyStore, request: KeyRequest, actor: Actor): KeyWithText {
	const text = createKeyText();
	const id = `key_${randomBytes(8).toString("hex")}`;
	const traits = TIER_TRAITS[request.tier];
	const lifetimeMs = request.lifetimeMs === undefined ? traits.lifetimeMs : request.lifetimeMs;
	const expires_at = lifetimeMs === null ? null : instant(actor.nowMs + lifetimeMs);
	const record = store.changeNow(id, (_current, slot) => ({
		record: {
			id,
			name: request.name,
			tier: request.tier,
			status: "active",
			created_at: instant(actor.nowMs),
			expires_at,
			rate_limits: { ...traits.rate_limits, ...request.rate_limits },
			scope: request.scope,
			hash: hashKeyText(text),
			previous: null,
			slot,
		},
		change: entry(actor, "create", id, grantedText(request, expires_at)),
	}));
	return { record: known(record, id), text };
}

/** What a key was created with, for its audit entry; limits and expiry where they are not the tier's. */
function grantedText({ tier, scope, rate_limits, lifetimeMs }: KeyRequest, expiresAt: string | null): string {
	const limits = Object.keys(rate_limits).length === 0 ? "" : `, limits ${JSON.stringify(rate_limits)}`;
	const expiry = lifetimeMs === undefined ? "" : `, expires ${expiresAt ?? "never"}`;
	return `${tier} key, scope ${JSON.stringify(scope)}${limits}${expiry}`;
}

/** Pauses a key: requests get `key_suspended`. Errors: `unknown_key`, `key_revoked`. */
export async function suspendKey(store: KeyStore, id: string, actor: Actor): Promise<KeyRecord> {
	return store.transaction(() => setStatusNow(store, id, "suspended", "suspend", actor));
}

/** Ends a suspension. Errors: `unknown_key`, `key_revoked`. */
export async function resumeKey(store: KeyStore, id: string, actor: Actor): Promise<KeyRecord> {
	return store.transaction(() => setStatusNow(store, id, "active", "resume", actor));
}

/** Ends a key for good. Error: `unknown_key`. */
export async function revokeKey(store: KeyStore, id: string, actor: Actor): Promise<KeyRecord> {
	return store.transaction(() => revokeKeyNow(store, id, actor));
}

/** As {@link revokeKey}, as a part of a larger change. REQUIRES: inside `Store.transaction`. */
export function revokeKeyNow(store: KeyStore, id: string, actor: Actor): KeyRecord {
	return setStatusNow(store, id, "revoked", "revoke", actor);
}

/**
 * Gives a key a new text. The old one works for `graceMs` more, 0: no longer; a text from before an
 * earlier rotation ends at once, since a record has room for one old text. `bulk` changes that entitlement; absent: it
 * stays. Errors: `unknown_key`, `key_revoked`, `key_expired`.
 */
export async function rotateKey(
	store: KeyStore,
	id: string,
	graceMs: number,
	actor: Actor,
	bulk?: boolean,
): Promise<RotatedKey> {
	return store.transaction(() => rotateKeyNow(store, id, graceMs, actor, bulk));
}

/** As {@link rotateKey}, as a part of a larger change. REQUIRES: inside `Store.transaction`. */
export function rotateKeyNow(
	store: KeyStore,
	id: string,
	graceMs: number,
	actor: Actor,
	bulk?: boolean,
): RotatedKey {
	const text = createKeyText();
	const until = instant(actor.nowMs + graceMs);
	let endedGraceUntil: string | null = null;
	const record = store.changeNow(id, (current) => {
		const usable = unexpired(unrevoked(current, id), actor.nowMs);
		endedGraceUntil = runningGrace(usable, actor.nowMs);
		const previous = graceMs > 0 ? { hash: usable.hash, until } : null;
		const ends = graceMs > 0 ? `old key good until ${until}` : "old key ended at once";
		const detail = bulk === undefined ? ends : `${ends}; bulk ${bulk ? "granted" : "withdrawn"}`;
		const scope = bulk === undefined ? usable.scope : { ...usable.scope, bulk };
		return {
			record: { ...usable, scope, hash: hashKeyText(text), previous },
			change: entry(actor, "rotate", id, detail),
		};
	});
	return { record: known(record, id), text, endedGraceUntil };
}

/**
 * Makes a key one of another tier, with that tier's limits and lifetime from now; id, text, scope, counts
 * and usage stay. Errors: `unknown_key`, `key_revoked`.
 */
export async function convertKey(store: KeyStore, id: string, tier: Tier, actor: Actor): Promise<KeyRecord> {
	const { rate_limits, lifetimeMs } = TIER_TRAITS[tier];
	return store.transaction(() => {
		const record = store.changeNow(id, (current) => {
			const usable = unrevoked(current, id);
			const expires_at = lifetimeMs === null ? null : instant(actor.nowMs + lifetimeMs);
			return {
				record: { ...usable, tier, rate_limits, expires_at },
				change: entry(actor, "convert", id, `${usable.tier} before, ${tier} now`),
			};
		});
		return known(record, id);
	});
}

function setStatusNow(
	store: KeyStore,
	id: string,
	status: KeyStatus,
	action: AuditAction,
	actor: Actor,
): KeyRecord {
	const record = store.changeNow(id, (current) => {
		if (known(current, id).status === status) return null;
		const usable = unrevoked(current, id);
		return {
			record: { ...usable, status },
			change: entry(actor, action, id, `${usable.status} before`),
		};
	});
	return known(record, id);
}

function known(record: KeyRecord | undefined, id: string): KeyRecord {
	if (record === undefined) throw new KeyError("unknown_key", `no key has the id ${JSON.stringify(id)}`);
	return record;
}

function unrevoked(record: KeyRecord | undefined, id: string): KeyRecord {
	const found = known(record, id);
	if (found.status === "revoked") throw new KeyError("key_revoked", `key ${id} is revoked, which is final`);
	return found;
}

function unexpired(record: KeyRecord, nowMs: number): KeyRecord {
	if (effectiveStatus(record, nowMs) !== "expired") return record;
	const extension =
		record.tier === "trial" ? `, or extend it by converting it (signups convert ${record.id})` : "";
	throw new KeyError(
		"key_expired",
		`key ${record.id} expired at ${record.expires_at}, and a new text of it would not work; make another key with keys create${extension}`,
	);
}

/** Until when the old text of a rotated key works; null: none does. */
export function runningGrace({ previous }: KeyRecord, nowMs: number): string | null {
	return previous !== null && Date.parse(previous.until) > nowMs ? previous.until : null;
}

function entry(actor: Actor, action: AuditAction, id: string, detail: string) {
	return { at: instant(actor.nowMs), by: actor.by, action, key_id: id, detail };
}

function instant(ms: number): string {
	return new Date(ms).toISOString();
}
