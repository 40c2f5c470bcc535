/** Checks of a store's contents: versions, slots and the shapes of records. Failures are typed errors. */

import type { ZodType } from "zod";
import { issuesText } from "../../formats/files/json-document.js";
import { StoreError } from "./errors.js";
import type { KeyRecord } from "./key-record.js";
import { STORE_VERSION, STORE_VERSION_OLDEST } from "./records.js";

/** Maximum keys of a store, including revoked ones: the number of slots that servers reserve for counters. */
export const MAX_KEYS = 131_072;

/**
 * Whether a store of `version` (undefined: a new one) must be migrated to this version. Error:
 * `unsupported_version`.
 */
export function needsMigration(path: string, version: number | undefined): boolean {
	if (version === STORE_VERSION) return false;
	if (version === undefined || (version >= STORE_VERSION_OLDEST && version < STORE_VERSION)) return true;
	const way =
		version > STORE_VERSION ? "a newer program made it: update this one" : "an older program made it";
	const message = `store version ${version}; this program reads version ${STORE_VERSION}; ${way}`;
	throw new StoreError("unsupported_version", path, message);
}

/** Errors: `limit_exceeded` if no slot is free, `write_failed` if a new key has a slot other than the free one. */
export function requireFreeSlot(path: string, record: KeyRecord, freshSlot: number): void {
	if (freshSlot >= MAX_KEYS)
		throw new StoreError("limit_exceeded", path, `the store holds ${MAX_KEYS} keys, the most it can`);
	if (record.slot === freshSlot) return;
	throw new StoreError("write_failed", path, `slot ${record.slot} is not the free one, ${freshSlot}`);
}

/** `value` checked against `schema`. Error: `corrupt_record`. */
export function checkedRecord<T>(path: string, schema: ZodType<T>, value: unknown, what: string): T {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const rule = `${what} is not as this version writes it: ${issuesText(parsed.error)}`;
	throw new StoreError("corrupt_record", path, rule);
}
