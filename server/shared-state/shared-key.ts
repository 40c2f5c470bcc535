/**
 * A key as hosts share it: its record without the slot of its counters, which differs by host, a version, and
 * the change that made it. Also the merge of two changes of the same version.
 */

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { KeyRecord } from "../store/key-record.js";
import { type Change, RECORD_SCHEMAS } from "../store/records.js";

export type SharedRecord = Omit<KeyRecord, "slot">;

export interface SharedKey {
	/** From 1, incremented by each change. */
	readonly version: number;
	readonly record: SharedRecord;
	readonly change: Change;
}

const envelope = z.strictObject({
	version: z.int().min(1),
	record: z.record(z.string(), z.unknown()),
	change: z.record(z.string(), z.unknown()),
});

/** Schema of a shared key, and of what a host stores of one. */
export const sharedKeySchema: z.ZodType<SharedKey> = envelope.transform((value, context) => {
	const record = RECORD_SCHEMAS.keys.safeParse({ ...value.record, slot: 0 });
	const change = RECORD_SCHEMAS.audit.safeParse({ ...value.change, seq: 1 });
	if (!record.success || !change.success) {
		context.addIssue({ code: "custom", message: "not a record as this version writes it" });
		return z.NEVER;
	}
	const { seq: _, ...made } = change.data;
	return { version: value.version, record: withoutSlot(record.data), change: made };
});

export function withoutSlot({ slot: _, ...record }: KeyRecord): SharedRecord {
	return record;
}

/** Decodes a shared key. Throws if its shape is unknown to this version. */
export function parseSharedKey(text: string): SharedKey {
	return sharedKeySchema.parse(JSON.parse(text));
}

export function sameRecord(a: SharedRecord, b: SharedRecord): boolean {
	return isDeepStrictEqual(a, b);
}

/**
 * Merges the changes made here since `base` into `there`. If both changed a field, the change made here wins;
 * but a revoked key stays revoked.
 */
export function mergeRecords(base: SharedRecord, here: SharedRecord, there: SharedRecord): SharedRecord {
	const changed = Object.entries(here).filter(
		([field, value]) => !isDeepStrictEqual(value, base[field as keyof SharedRecord]),
	);
	const merged = { ...there, ...Object.fromEntries(changed) } as SharedRecord;
	return there.status === "revoked" || here.status === "revoked" ? { ...merged, status: "revoked" } : merged;
}

/**
 * One key of two histories, which a store that lost changes, and was changed again, has apart: the one changed later, but
 * a revoked one before any other. Its version is the greater one, or beyond both where another host may have that version of
 * the other history.
 */
export function joinHistories(here: SharedKey, there: SharedKey): SharedKey {
	const [revokedHere, revokedThere] = [here, there].map(({ record }) => record.status === "revoked");
	const isHere = revokedHere === revokedThere ? here.change.at >= there.change.at : revokedHere;
	if (isHere && here.version > there.version) return here;
	return { ...(isHere ? here : there), version: Math.max(here.version, there.version) + 1 };
}
