/**
 * The records of the store: their shapes, checked when read, and the version of the layout.
 *
 * Invariants: a field keeps its name and meaning; a change that an older reader would misread increments {@link
 * STORE_VERSION}. Records are msgpack, written by msgpackr.
 *
 * | database | key | value |
 * |---|---|---|
 * | `meta` | `version`, `generation`, `next_slot` | number |
 * | `keys` | key id | {@link KeyRecord} |
 * | `audit` | sequence number, from 1 | {@link AuditEntry} |
 * | `counters` | key id | {@link CounterRecord} |
 * | `secrets` | name | random bytes |
 * | `usage` | [day since 1970-01-01, key id] | requests by endpoint code |
 * | `signup_…` | see server/signup/signup-records.ts | |
 * | `shared_…` | see server/shared-state/shared-tables.ts | |
 */

import { z } from "zod";
import { COLUMNS, type ColumnName } from "../../formats/index.js";
import { KEY_STATUSES, type KeyRecord, TIERS } from "./key-record.js";

/**
 * Version of the record layout, under `version` in `meta`.
 *
 * | version | adds |
 * |---|---|
 * | 2 | the bulk entitlement of a key's scope |
 * | 3 | the audit action `convert`, which programs before it take for a corrupt record |
 */
export const STORE_VERSION = 3;
/** The oldest version that is migrated when a store is opened; its records are readable unchanged. */
export const STORE_VERSION_OLDEST = 1;

const instant = z.iso.datetime();
const limit = z.int().min(1).nullable();
const columnNames = COLUMNS.map((c) => c.name) as [ColumnName, ...ColumnName[]];

const keyRecordSchema: z.ZodType<KeyRecord> = z.strictObject({
	id: z.string().min(1),
	name: z.string(),
	tier: z.enum(TIERS),
	status: z.enum(KEY_STATUSES),
	created_at: instant,
	expires_at: instant.nullable(),
	rate_limits: z.strictObject({ per_minute: limit, per_day: limit, monthly_quota: limit }),
	scope: z.strictObject({
		geography: z.strictObject({ countries: z.array(z.string()), states: z.array(z.string()) }).nullable(),
		columns: z.array(z.enum(columnNames)).nullable(),
		history: z.discriminatedUnion("mode", [
			z.strictObject({ mode: z.literal("latest") }),
			z.strictObject({ mode: z.literal("months"), months: z.int().min(1) }),
			z.strictObject({ mode: z.literal("all") }),
		]),
		// Absent from records of version 1.
		bulk: z.boolean().optional(),
	}),
	hash: z.string().length(64),
	previous: z.strictObject({ hash: z.string().length(64), until: instant }).nullable(),
	slot: z.int().min(0),
});

/** Kinds of changes of a key. */
export const AUDIT_ACTIONS = ["create", "suspend", "resume", "revoke", "rotate", "convert"] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One change of one key. The log is append-only; servers also follow it to learn of changes. */
export interface AuditEntry {
	/** 1-based; the newest entry's number is the store's generation. */
	readonly seq: number;
	/** ISO 8601 in UTC. */
	readonly at: string;
	/** OS user who ran the command. */
	readonly by: string;
	readonly action: AuditAction;
	readonly key_id: string;
	/** A description of the change: tier and grant, grace of a rotation. Never a key's text. */
	readonly detail: string;
}

const auditEntrySchema: z.ZodType<AuditEntry> = z.strictObject({
	seq: z.int().min(1),
	at: instant,
	by: z.string(),
	action: z.enum(AUDIT_ACTIONS),
	key_id: z.string(),
	detail: z.string(),
});

/** Requests counted in one window: `window` numbers UTC minutes, days or months since 1970. */
export interface WindowCount {
	readonly window: number;
	readonly count: number;
}

/** The windows of one key as last flushed. */
export interface CounterRecord {
	readonly minute: WindowCount;
	readonly day: WindowCount;
	readonly month: WindowCount;
	/** Seconds since 1970; 0: never used. */
	readonly last_used: number;
}

const windowCount = z.strictObject({ window: z.int().min(-1), count: z.int().min(0) });
const counterRecordSchema: z.ZodType<CounterRecord> = z.strictObject({
	minute: windowCount,
	day: windowCount,
	month: windowCount,
	last_used: z.int().min(0),
});

/** Requests by endpoint code; shorter than the endpoint table if later codes have none. */
export type UsageRecord = readonly number[];

const usageRecordSchema: z.ZodType<UsageRecord> = z.array(z.int().min(0));

/** Secrets of a store: `cursors` authenticates the cursors given to clients. */
export const SECRETS = ["cursors"] as const;
export type SecretName = (typeof SECRETS)[number];

export const SECRET_BYTES = 32;
const secretSchema = z.instanceof(Uint8Array).refine(({ length }) => length === SECRET_BYTES);

/** Schema of the values of each database. */
export const RECORD_SCHEMAS = {
	meta: z.int().min(0),
	keys: keyRecordSchema,
	audit: auditEntrySchema,
	counters: counterRecordSchema,
	usage: usageRecordSchema,
	secrets: secretSchema,
} as const;

/** What the caller of `Store.change` adds to the audit log; the store numbers the entry. */
export type Change = Omit<AuditEntry, "seq">;

/** Counts of one key that a flush writes to the store. */
export interface CountsWriter {
	counter(keyId: string): CounterRecord | null;
	putCounter(keyId: string, record: CounterRecord): void;
	usage(keyId: string, day: number): UsageRecord;
	putUsage(keyId: string, day: number, record: UsageRecord): void;
}

/** The result of an edit; null: no change. `freshSlot` is for a new key. */
export type EditKey = (
	current: KeyRecord | undefined,
	freshSlot: number,
) => { record: KeyRecord; change: Change } | null;
