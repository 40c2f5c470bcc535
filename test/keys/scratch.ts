/** Scratch data folders, and keys to put in them. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Clock } from "../../server/clock.js";
import type { KeyDirectory } from "../../server/keys/directory.js";
import type { Key } from "../../server/keys/key.js";
import { keyOfRecord } from "../../server/keys/key-of-record.js";
import { createKey, type KeyRequest, type KeyWithText } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";

/** 2026-11-21T10:20:30.400Z, a moment inside every window. */
export const NOON_MS = Date.UTC(2026, 10, 21, 10, 20, 30, 400);

export const OPERATOR = { by: "operator", nowMs: NOON_MS };

/** A clock that shows the time it is set to. */
export class SetClock implements Clock {
	nowMs: number;

	constructor(nowMs = NOON_MS) {
		this.nowMs = nowMs;
	}

	now(): number {
		return this.nowMs;
	}
}

/** A folder that is removed when the test ends. */
export function scratchFolder(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-keys-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** A store in `dataFolder`, closed when the test ends. */
export function scratchStore(t: TestContext, dataFolder = scratchFolder(t)): Store {
	const store = Store.open({ dataFolder, create: true });
	t.after(() => store.close());
	return store;
}

/** A new production key without restrictions, unless `request` says otherwise. */
export async function addKey(
	store: Store,
	request: Partial<KeyRequest> = {},
	nowMs = NOON_MS,
): Promise<KeyWithText> {
	const scope = { geography: null, columns: null, history: { mode: "latest" } } as const;
	return createKey(
		store,
		{ tier: "production", name: "test", scope, rate_limits: {}, ...request },
		{ ...OPERATOR, nowMs },
	);
}

/** A key as requests carry it, without a record in a store. */
export function looseKey(request: Partial<KeyRequest> & { slot?: number } = {}): Key {
	return keyOfRecord({
		id: `key_${request.slot ?? 0}`,
		name: "test",
		tier: request.tier ?? "production",
		status: "active",
		created_at: new Date(NOON_MS).toISOString(),
		expires_at: null,
		rate_limits: { per_minute: null, per_day: null, monthly_quota: null, ...request.rate_limits },
		scope: request.scope ?? { geography: null, columns: null, history: { mode: "latest" } },
		hash: "0".repeat(64),
		previous: null,
		slot: request.slot ?? 0,
	});
}

/** Authenticates `text` as a bearer token. */
export function authenticate(directory: KeyDirectory, text: string, nowMs = NOON_MS) {
	return directory.authenticate({ authorization: `Bearer ${text}`, xApiKey: null }, nowMs);
}
