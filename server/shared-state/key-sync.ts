/**
 * Synchronises this host's copy of the keys with the shared store: compares versions after each connection,
 * then follows the stream of changes, and shares changes made here.
 *
 * - A comparison transfers one version and one time per key, so a host that was away for a day transfers only the keys
 *   that changed.
 * - Keys of which this host has a newer version, because the shared store lost data, are written back.
 * - A key that was changed after such a loss, before this host wrote it back, has two histories, perhaps with the same
 *   version in both. They are joined, so that all hosts and the store have the same one.
 *
 * Invariant: {@link KeySyncOptions.onCurrent} is called only with a time up to which all changes are in this
 * host's store.
 */

import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { KeyCopy, LocalChange } from "./key-copy.js";
import { NAMES } from "./names.js";
import type { RedisLink } from "./redis.js";
import type { Reply } from "./script.js";
import { changedAt, putKey } from "./script-calls.js";
import { joinHistories, parseSharedKey, type SharedKey } from "./shared-key.js";

/** How long a read of the stream blocks, in milliseconds; also how often keys are confirmed to be current. */
export const FOLLOW_MS = 200;
const CHANGES_PER_READ = 500;
const KEYS_PER_READ = 500;

export interface KeySyncOptions {
	/** Used by commands that wait for changes. */
	readonly following: RedisLink;
	readonly link: RedisLink;
	readonly copy: KeyCopy;
	readonly log: Log;
	readonly clock: Clock;
	/** Keys are as shared at the given time, or later. */
	readonly onCurrent: (atMs: number) => void;
	/** This host's store has every change up to the given one. */
	readonly onApplied: (change: string) => void;
}

interface Found {
	readonly id: string;
	readonly key: SharedKey;
}

export class KeySync {
	/** The newest change applied; null: versions must be compared first. */
	#position: string | null = null;
	#closed = false;

	constructor(private readonly options: KeySyncOptions) {}

	/** Makes the next step compare versions before it reads further changes. */
	compareAgain(): void {
		this.#position = null;
	}

	close(): void {
		this.#closed = true;
	}

	/**
	 * One step: compares versions, or waits for a change and applies it. Rejects with SharedStoreError or
	 * StoreError.
	 */
	async step(): Promise<void> {
		// A reply may have been delayed: it is as old as its request.
		const askedMs = this.options.clock.now();
		if (this.#position === null) await this.#begin();
		else await this.#follow(this.#position);
		if (!this.#closed && this.#position !== null) this.options.onCurrent(askedMs);
	}

	/** Compares, and reports the changes found so as applied: the stream is read behind them, and a command may wait for one. */
	async #begin(): Promise<void> {
		this.#position = await this.compare();
		if (this.#position !== null) this.options.onApplied(this.#position);
	}

	/**
	 * Brings both sides to the newer version of every key. Returns the id of the change to follow from; null: keys were
	 * changed meanwhile, and have to be compared again.
	 */
	async compare(): Promise<string | null> {
		const { link, copy } = this.options;
		const last = (await link.call("XREVRANGE", NAMES.changes, "+", "-", "COUNT", 1)) as Reply[][];
		const position = last.length === 0 ? "0-0" : String(last[0][0]);
		const there = pairsOf(await link.call("HGETALL", NAMES.versions));
		const here = copy.versions();
		const newer = [...there].filter(([id, version]) => version > (here.get(id) ?? 0)).map(([id]) => id);
		await this.#fetch(newer);
		const others = [...here.keys()].filter((id) => (there.get(id) ?? 0) <= (here.get(id) ?? 0));
		const isJoined = await this.#join(others, there);
		copy.lookAgain();
		await this.shareLocal();
		return isJoined ? position : null;
	}

	/**
	 * Gives the shared store the keys that it lacks or has older versions of, and joins those of which it has another
	 * history. Returns whether none of them was changed meanwhile.
	 */
	async #join(ids: readonly string[], versions: ReadonlyMap<string, number>): Promise<boolean> {
		const { link, copy } = this.options;
		let isJoined = true;
		for (let at = 0; at < ids.length; at += KEYS_PER_READ) {
			const some = ids.slice(at, at + KEYS_PER_READ);
			const times = await changedAt(link, some);
			const apart = some.filter((id, i) => copy.shared(id)?.change.at !== times[i]);
			const theirs = new Map((await this.#read(apart)).map(({ id, key }) => [id, key]));
			for (const id of apart) {
				const [here, there, expected] = [copy.shared(id), theirs.get(id), versions.get(id) ?? 0];
				if (here === undefined || (there === undefined && expected > 0)) continue;
				const key = there === undefined ? here : joinHistories(here, there);
				if ((await this.#put(id, expected, key)) !== null) isJoined = false;
				else if (key !== here) await copy.apply([{ id, key }]);
			}
		}
		return isJoined;
	}

	/** Shares changes made here. */
	async shareLocal(): Promise<void> {
		const { copy } = this.options;
		const changes = copy.localChanges(false);
		try {
			for (const change of changes) await this.#share(change);
		} catch (error) {
			copy.lookAgain();
			throw error;
		}
	}

	async #share({ id, expected, next }: LocalChange): Promise<void> {
		const { copy } = this.options;
		const found = await this.#put(id, expected, next);
		if (found === null) return copy.noteShared(id, next);
		// Another host changed the key first: apply its change, then retry ours on top at the next step.
		await copy.apply(this.#parse(id, found));
		copy.lookAgain();
	}

	/** Stores a key if its version is the expected one. Returns the conflicting key instead; null: stored. */
	async #put(id: string, expected: number, key: SharedKey): Promise<string | null> {
		const { stored, found } = await putKey(this.options.link, id, expected, key);
		return stored ? null : found;
	}

	async #follow(position: string): Promise<void> {
		const { following } = this.options;
		const block = [
			"COUNT",
			CHANGES_PER_READ,
			"BLOCK",
			FOLLOW_MS,
			"STREAMS",
			NAMES.changes,
			position,
		] as const;
		const reply = (await following.call("XREAD", ...block)) as
			| readonly [string, [string, string[]][]][]
			| null;
		if (reply === null || this.#closed) return;
		const changes = reply[0][1];
		const ids = new Set(changes.map(([, fields]) => fields[1]));
		await this.#fetch([...ids]);
		const newest = changes[changes.length - 1][0];
		this.#position = newest;
		this.options.onApplied(newest);
	}

	async #fetch(ids: readonly string[]): Promise<void> {
		for (let at = 0; at < ids.length; at += KEYS_PER_READ)
			await this.options.copy.apply(await this.#read(ids.slice(at, at + KEYS_PER_READ)));
	}

	/** The shared keys of those ids that have one. */
	async #read(ids: readonly string[]): Promise<Found[]> {
		if (ids.length === 0) return [];
		const texts = (await this.options.link.call("HMGET", NAMES.records, ...ids)) as (string | null)[];
		return ids.flatMap((id, i) => this.#parse(id, texts[i]));
	}

	#parse(id: string, text: string | null): Found[] {
		if (text === null) return [];
		try {
			return [{ id, key: parseSharedKey(text) }];
		} catch (error) {
			this.options.log.error(
				{ key_id: id, err: error },
				"a shared key does not read; it stays here as it was",
			);
			return [];
		}
	}
}

function pairsOf(reply: Reply): Map<string, number> {
	const flat = reply as readonly string[];
	const pairs = new Map<string, number>();
	for (let i = 0; i < flat.length; i += 2) pairs.set(flat[i], Number(flat[i + 1]));
	return pairs;
}
