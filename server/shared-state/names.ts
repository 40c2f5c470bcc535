/**
 * Names of the keys that hosts share in Redis or Valkey, and the version of that schema.
 *
 * | name | type | contents |
 * |---|---|---|
 * | `rollcall:1:{shared}:epoch` | string | id of the store's data and when it began; created anew after a loss |
 * | `rollcall:1:{shared}:server` | string | run of the server that has the data, and since when |
 * | `rollcall:1:{shared}:alive` | sorted set | hosts by their last heartbeat, ms |
 * | `rollcall:1:{shared}:hosts` | hash | host → its description, JSON |
 * | `rollcall:1:{shared}:batches` | hash | host → number of its newest batch of usage |
 * | `rollcall:1:{shared}:usage:DAY` | hash | `KEY_ID/CODE` → requests on the day, expires |
 * | `rollcall:1:{shared}:used` | hash | key id → last use, s |
 * | `rollcall:1:{KEY_ID}:lease:WINDOW:TAG` | hash | grants of one window (lease-script.ts), expires |
 * | `rollcall:1:{keys}:records` | hash | key id → version and record, JSON |
 * | `rollcall:1:{keys}:versions` | hash | key id → version |
 * | `rollcall:1:{keys}:changes` | stream | changes of keys, the newest few thousand |
 * | `rollcall:1:{keys}:applied` | hash | host → id of the newest change it has applied |
 * | `rollcall:1:{keys}:secrets` | hash | name → secret that all hosts use |
 * | `rollcall:1:{once}:ID` | string | marks an id as used, expires |
 *
 * Invariants: all names of one script have the same hash tag, so that a cluster keeps them on one node; a
 * change that an older program would misread increments {@link SCHEMA_VERSION}, which is part of every name.
 */

const SCHEMA_VERSION = 1;
const PREFIX = `rollcall:${SCHEMA_VERSION}:`;

/** Names that depend on neither a key nor a day. */
export const NAMES = {
	epoch: `${PREFIX}{shared}:epoch`,
	server: `${PREFIX}{shared}:server`,
	alive: `${PREFIX}{shared}:alive`,
	hosts: `${PREFIX}{shared}:hosts`,
	batches: `${PREFIX}{shared}:batches`,
	used: `${PREFIX}{shared}:used`,
	records: `${PREFIX}{keys}:records`,
	versions: `${PREFIX}{keys}:versions`,
	changes: `${PREFIX}{keys}:changes`,
	applied: `${PREFIX}{keys}:applied`,
	secrets: `${PREFIX}{keys}:secrets`,
} as const;

const WINDOW_LETTERS = ["minute", "day", "month"] as const;

/** Grants of a key in window `tag` of kind `kind`. */
export function leaseName(keyId: string, kind: number, tag: number): string {
	return `${PREFIX}{${keyId}}:lease:${WINDOW_LETTERS[kind]}:${tag}`;
}

/** Requests of all keys on `day` (days since 1970). */
export function usageName(day: number): string {
	return `${PREFIX}{shared}:usage:${day}`;
}

/** Marks `id` as used. */
export function onceName(id: string): string {
	return `${PREFIX}{once}:${id}`;
}
