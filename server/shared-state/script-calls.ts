/** The scripts about hosts and keys as functions with typed arguments and replies. */

import { BATCH_SCRIPT, BEAT_SCRIPT, USAGE_SCRIPT } from "./host-scripts.js";
import { CHANGED_AT_SCRIPT, PUT_KEY_SCRIPT } from "./key-scripts.js";
import { NAMES, usageName } from "./names.js";
import type { Reply, ScriptRunner } from "./script.js";
import type { SharedKey } from "./shared-key.js";
import type { Batch } from "./usage-outbox.js";

export interface Beat {
	/** By the shared store's clock. */
	readonly nowMs: number;
	/** Changes if the shared store lost its data. */
	readonly epoch: string;
	/** When that began, by the same clock. */
	readonly epochMs: number;
	/** Hosts with a recent heartbeat. */
	readonly hosts: number;
	/** Changes if another server took over, or this one was restarted; starts with r if one did. */
	readonly server: string;
	/** When that began. */
	readonly serverMs: number;
}

/** Sends a heartbeat of `host` and its description (JSON); an empty one: the host leaves. */
export async function beat(
	runner: ScriptRunner,
	host: string,
	says: string,
	newEpoch: string,
): Promise<Beat> {
	const keys = [NAMES.epoch, NAMES.alive, NAMES.hosts, NAMES.server];
	const reply = (await runner.run(BEAT_SCRIPT, keys, [host, says, newEpoch])) as Reply[];
	const [nowMs, epoch, hosts, server] = reply.map(String);
	const [id, bornMs] = epoch.split(":");
	const [run, sinceMs] = server.split(":");
	return {
		nowMs: Number(nowMs),
		epoch: id,
		epochMs: Number(bornMs),
		hosts: Number(hosts),
		server: run,
		serverMs: Number(sinceMs),
	};
}

/** Keys and arguments of a batch. */
function batchArguments(host: string, { number, entries }: Batch) {
	const days = [...new Set(entries.map(({ day }) => day))];
	const values: (string | number)[] = [host, number];
	for (const { day, keyId, requests, lastUsed } of entries) {
		for (const [code, count] of requests.entries()) {
			if (count !== 0) values.push(days.indexOf(day) + 1, keyId, code, count, lastUsed);
		}
	}
	return { keys: [NAMES.batches, NAMES.used, ...days.map(usageName)], values };
}

/** Applies a batch unless it was applied before. Returns the newest number applied before. */
export async function sendBatch(runner: ScriptRunner, host: string, batch: Batch): Promise<number> {
	const { keys, values } = batchArguments(host, batch);
	return Number(await runner.run(BATCH_SCRIPT, keys, values));
}

export interface SharedUsage {
	/** The newest batch of `host` that {@link days} includes. */
	readonly applied: number;
	/** By day as requested, then by endpoint code. */
	readonly days: readonly (readonly number[])[];
}

/** Usage of a key on `days`, by all hosts. */
export async function readUsage(
	runner: ScriptRunner,
	host: string,
	keyId: string,
	days: readonly number[],
	codes: number,
): Promise<SharedUsage> {
	const keys = [NAMES.batches, ...days.map(usageName)];
	const [applied, counts] = (await runner.run(USAGE_SCRIPT, keys, [host, keyId, codes])) as Reply[];
	return { applied: Number(applied), days: counts as number[][] };
}

/**
 * Stores a version of a key if the stored version is `expected` (-1: any lower one). `found`: the id of the
 * change in the stream, or the stored record that conflicts.
 */
export async function putKey(
	runner: ScriptRunner,
	id: string,
	expected: number,
	key: SharedKey,
): Promise<{ stored: boolean; found: string }> {
	const names = [NAMES.records, NAMES.versions, NAMES.changes];
	const values = [id, expected, key.version, JSON.stringify(key), JSON.stringify(key.change)];
	const [stored, found] = (await runner.run(PUT_KEY_SCRIPT, names, values)) as Reply[];
	return { stored: stored === 1, found: String(found) };
}

/** When the newest change of each key was made, ISO 8601 as in its record; empty: the store has no such key. */
export async function changedAt(runner: ScriptRunner, ids: readonly string[]): Promise<readonly string[]> {
	return (await runner.run(CHANGED_AT_SCRIPT, [NAMES.records], ids)) as string[];
}
