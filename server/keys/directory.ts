/**
 * The keys of one thread, in memory, and the authentication of requests against them.
 *
 * Invariants:
 * - Holds every readable key of the store as of `generation`. {@link KeyDirectory.refresh} reads only what
 *   changed since, so polling costs a point read.
 * - Fails closed: a key whose record cannot be read is unknown, and while the store has not been read for
 *   `staleAfterMs`, every key is refused.
 * - A key is looked up by the SHA-256 of its text. A header that authenticated once is cached as sent, so
 *   the next request costs one map lookup. The cache holds only headers of known keys, is bounded, and is
 *   cleared at any change.
 */

import { isCorruptRecord } from "../store/errors.js";
import type { Store } from "../store/store.js";
import type { Authentication, Authenticator, Key, KeyHeaders, KeyRecord } from "./key.js";
import { effectiveStatus, keyOfRecord } from "./key-of-record.js";
import { hashesEqual, hashKeyText, isKeyText, KEY_TEXT_LENGTH } from "./key-text.js";

/** How often a server polls for changes, in milliseconds; `keys` commands wait for it. */
const REFRESH_INTERVAL_MS = 50;
/** Default of {@link DirectoryOptions.staleAfterMs}. */
const STALE_AFTER_MS = 10_000;
/** Unknown but well-formed keys that make a thread poll at once, per second: such a key may be new. */
const LOOKUPS_PER_SECOND = 20;

/** Cached spellings of one key's header: letter case of the scheme, spaces. */
const HEADERS_PER_KEY = 4;
/** Longest header cached, in characters: `Bearer`, a space or a few, and the text. */
const HEADER_LENGTH_MAX = KEY_TEXT_LENGTH + 16;

const BEARER = /^bearer +([^ ]+) *$/i;

/** Of a request without a key. */
export const MISSING_KEY_MESSAGE =
	"An API key is required: send it as Authorization: Bearer <API_KEY>, or as X-API-Key.";

type Refusal = Extract<Authentication, { ok: false }>;

interface Entry {
	readonly record: KeyRecord;
	readonly key: Key;
	readonly accepted: Authentication;
	readonly refusals: { readonly suspended: Refusal; readonly revoked: Refusal; readonly expired: Refusal };
}

/** One text of a key: the current one, or that from before its rotation. */
interface Credential {
	readonly entry: Entry;
	readonly hash: string;
	/** Valid before this instant: expiry of the key or of the grace. */
	readonly untilMs: number;
	/** Whether the key's status is active. */
	readonly active: boolean;
}

export interface DirectoryOptions {
	/** Called with each generation once this thread acts on it. */
	readonly onApplied?: (generation: number) => void;
	/** Called with every failure to read keys. */
	readonly onError?: (error: unknown) => void;
	/** Keys are refused once the store could not be read for this long, in milliseconds; 0: never. */
	readonly staleAfterMs?: number;
	/** Whether keys must be refused because changes made elsewhere may be missing. */
	readonly isStale?: () => boolean;
}

export class KeyDirectory implements Authenticator {
	readonly #store: Store;
	readonly #options: DirectoryOptions;
	#generation = -1;
	readonly #entries = new Map<string, Entry>();
	readonly #idOfSlot: string[] = [];
	readonly #credentials = new Map<string, Credential>();
	readonly #byAuthorization = new Map<string, Credential>();
	readonly #byApiKey = new Map<string, Credential>();
	#timer: NodeJS.Timeout | null = null;
	/** When the store was last read, on the monotonic clock. */
	#readMs = performance.now();
	#failing = false;
	#stale = false;
	/** The second of the last lookups of unknown keys, and how many were in it. */
	#lookupSecond = 0;
	#lookups = 0;

	/** Reads every key. Cost: some microseconds a key. Errors: those of {@link Store}. */
	constructor(store: Store, options: DirectoryOptions = {}) {
		this.#store = store;
		this.#options = options;
		// The generation before the keys: a change between the two reads is read twice, never missed.
		this.#generation = store.generation();
		this.#readAll();
		options.onApplied?.(this.#generation);
	}

	/**
	 * Applies what other processes changed. Returns the number of changes. A key whose record cannot be
	 * read is dropped and reported, the others are applied. Errors: those of {@link Store} for the rest.
	 */
	refresh(): number {
		const generation = this.#store.generation();
		this.#succeeded();
		if (generation === this.#generation) return 0;
		const before = this.#generation;
		const changed = this.#changedSince(before);
		if (changed === null) this.#readAll();
		else for (const id of changed) this.#reread(id);
		this.#byAuthorization.clear();
		this.#byApiKey.clear();
		this.#generation = generation;
		this.#options.onApplied?.(generation);
		return generation - before;
	}

	/** Why this directory is not current, as text safe to send; null if it is. */
	fault(): string | null {
		return this.#failing ? "the database of keys cannot be read" : null;
	}

	/** Ids of the keys changed after `generation`; null if the log cannot be read. */
	#changedSince(generation: number): ReadonlySet<string> | null {
		try {
			return new Set(this.#store.auditSince(generation).map((change) => change.key_id));
		} catch (error) {
			if (!isCorruptRecord(error)) throw error;
			this.#options.onError?.(error);
			return null;
		}
	}

	#readAll(): void {
		const unread = new Set(this.#entries.keys());
		for (const record of this.#store.keys((error) => this.#options.onError?.(error))) {
			unread.delete(record.id);
			this.#put(record);
		}
		for (const id of unread) this.#drop(id);
	}

	#reread(id: string): void {
		try {
			const record = this.#store.key(id);
			if (record !== undefined) this.#put(record);
		} catch (error) {
			if (!isCorruptRecord(error)) throw error;
			this.#drop(id);
			this.#options.onError?.(error);
		}
	}

	#succeeded(): void {
		this.#readMs = performance.now();
		this.#failing = false;
		this.#stale = false;
	}

	#failed(error: unknown): void {
		const staleAfterMs = this.#options.staleAfterMs ?? STALE_AFTER_MS;
		this.#failing = true;
		this.#stale = staleAfterMs > 0 && performance.now() - this.#readMs > staleAfterMs;
		this.#options.onError?.(error);
	}

	#tryRefresh(): void {
		try {
			this.refresh();
		} catch (error) {
			this.#failed(error);
		}
	}

	/** Refreshes every {@link REFRESH_INTERVAL_MS} until {@link stop}. */
	start(): void {
		this.stop();
		this.#timer = setInterval(() => this.#tryRefresh(), REFRESH_INTERVAL_MS);
		this.#timer.unref();
	}

	stop(): void {
		if (this.#timer !== null) clearInterval(this.#timer);
		this.#timer = null;
	}

	/** The key `id`, or undefined. */
	find(id: string): Key | undefined {
		return this.#entries.get(id)?.key;
	}

	/** Id of the key whose counters are at `slot`, or undefined. */
	idOfSlot(slot: number): string | undefined {
		return this.#idOfSlot[slot];
	}

	/** Number of keys, revoked ones included. */
	get size(): number {
		return this.#entries.size;
	}

	/** Number of cached headers: a few per key, whatever is sent. */
	get cachedHeaders(): number {
		return this.#byAuthorization.size + this.#byApiKey.size;
	}

	authenticate(headers: KeyHeaders, nowMs: number): Authentication {
		if (this.#stale || this.#options.isStale?.() === true) return STALE;
		// A bad Authorization, be it an empty one, is not rescued by a good X-API-Key (docs/API.md §2.1).
		const { authorization, xApiKey } = headers;
		if (authorization !== null) {
			const seen = this.#byAuthorization.get(authorization);
			if (seen !== undefined) return judge(seen, nowMs);
			return this.#first(keyTextOf(authorization), authorization, this.#byAuthorization, nowMs);
		}
		if (xApiKey === null || xApiKey === "") return MISSING;
		const seen = this.#byApiKey.get(xApiKey);
		return seen !== undefined ? judge(seen, nowMs) : this.#first(xApiKey, xApiKey, this.#byApiKey, nowMs);
	}

	authenticateId(id: string, nowMs: number): Authentication {
		if (this.#stale || this.#options.isStale?.() === true) return STALE;
		const entry = this.#entries.get(id);
		const credential = entry === undefined ? undefined : this.#credentials.get(entry.record.hash);
		return credential === undefined ? INVALID : judge(credential, nowMs);
	}

	/** Authenticates a header that is not cached, and caches it if its text is a key's. */
	#first(
		text: string | undefined,
		header: string,
		memory: Map<string, Credential>,
		nowMs: number,
	): Authentication {
		if (text === undefined) return MALFORMED;
		if (!isKeyText(text)) return INVALID;
		const hash = hashKeyText(text);
		const credential = this.#credentials.get(hash) ?? this.#lookUp(hash, nowMs);
		// The time of the lookup depends on the hash alone, which reveals no text; the comparison that
		// decides takes constant time.
		if (credential === undefined || !hashesEqual(credential.hash, hash)) return INVALID;
		if (header.length <= HEADER_LENGTH_MAX) {
			if (memory.size >= HEADERS_PER_KEY * this.#credentials.size) memory.clear();
			memory.set(header, credential);
		}
		return judge(credential, nowMs);
	}

	/** The credential of an unknown key after polling once, unless too many were looked up in this second. */
	#lookUp(hash: string, nowMs: number): Credential | undefined {
		const second = Math.floor(nowMs / 1_000);
		if (second !== this.#lookupSecond) this.#lookups = 0;
		this.#lookupSecond = second;
		if (++this.#lookups > LOOKUPS_PER_SECOND) return undefined;
		this.#tryRefresh();
		return this.#credentials.get(hash);
	}

	/** Removes a key, which is unknown afterwards. */
	#drop(id: string): void {
		const entry = this.#entries.get(id);
		if (entry === undefined) return;
		this.#credentials.delete(entry.record.hash);
		if (entry.record.previous !== null) this.#credentials.delete(entry.record.previous.hash);
		this.#entries.delete(id);
	}

	#put(record: KeyRecord): void {
		this.#drop(record.id);
		const entry = entryOf(record);
		const active = record.status === "active";
		const untilMs = record.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(record.expires_at);
		this.#entries.set(record.id, entry);
		this.#idOfSlot[record.slot] = record.id;
		this.#credentials.set(record.hash, { entry, hash: record.hash, untilMs, active });
		if (record.previous !== null) {
			const graceUntilMs = Math.min(untilMs, Date.parse(record.previous.until));
			const { hash } = record.previous;
			this.#credentials.set(hash, { entry, hash, untilMs: graceUntilMs, active });
		}
	}
}

/** The text of a key in an `Authorization` header; undefined for a header of another form. */
export function keyTextOf(authorization: string): string | undefined {
	return BEARER.exec(authorization)?.[1];
}

function judge(credential: Credential, nowMs: number): Authentication {
	const { entry } = credential;
	if (credential.active && nowMs < credential.untilMs) return entry.accepted;
	const status = effectiveStatus(entry.record, nowMs);
	if (status === "revoked") return entry.refusals.revoked;
	if (status === "expired") return entry.refusals.expired;
	// After its grace, a rotated text is as invalid as any other.
	if (nowMs >= credential.untilMs) return INVALID;
	return entry.refusals.suspended;
}

function entryOf(record: KeyRecord): Entry {
	const key = keyOfRecord(record);
	return {
		record,
		key,
		accepted: { ok: true, key },
		refusals: {
			suspended: refusal("key_suspended", "The API key is suspended by the operator.", key),
			revoked: refusal("unauthorized", "The API key is revoked.", key),
			expired: refusal("unauthorized", `The API key expired at ${record.expires_at}.`, key),
		},
	};
}

function refusal(code: Refusal["code"], message: string, key: Key | null): Refusal {
	return { ok: false, code, message, key };
}

const MISSING = refusal("unauthorized", MISSING_KEY_MESSAGE, null);
const MALFORMED = refusal(
	"unauthorized",
	"The Authorization header is not of the form Bearer <API_KEY>.",
	null,
);
/** While the store cannot be read: a key may have been revoked since. */
const STALE = refusal(
	"unavailable",
	"API keys cannot be verified at the moment; retry in a few seconds.",
	null,
);
const INVALID = refusal("unauthorized", "The API key is not valid.", null);
