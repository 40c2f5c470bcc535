/**
 * The keys of one thread, in memory, and the authentication of requests against them.
 *
 * Invariants:
 * - Holds every key of the store as of `generation`; {@link KeyDirectory.refresh} reads only what
 *   changed since, so polling costs a point read.
 * - A text is looked up by its SHA-256. A header that authenticated once is remembered as it came,
 *   so that the next request pays a map lookup; the memory of headers holds only texts of known
 *   keys, is bounded, and is dropped whole at any change.
 */

import type { Store } from "../store/store.js";
import type { Authentication, Authenticator, Key, KeyHeaders, KeyRecord } from "./key.js";
import { effectiveStatus, keyOfRecord } from "./key-of-record.js";
import { hashesEqual, hashKeyText, isKeyText, KEY_TEXT_LENGTH } from "./key-text.js";

/** How often a server looks for changes, in milliseconds; a change takes effect within this. */
export const REFRESH_INTERVAL_MS = 200;

/** Spellings of one key's header that are remembered: letter case of the scheme, spaces. */
const HEADERS_PER_KEY = 4;
/** The longest header remembered, in characters: `Bearer`, a space or a few, and the text. */
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

/** One text of a key: the present one, or that from before its rotation. */
interface Credential {
	readonly entry: Entry;
	readonly hash: string;
	/** Accepted before this moment: expiry of the key or of the grace. */
	readonly untilMs: number;
	/** Whether the key's status lets it in at all. */
	readonly active: boolean;
}

export class KeyDirectory implements Authenticator {
	readonly #store: Store;
	#generation = -1;
	readonly #entries = new Map<string, Entry>();
	readonly #idOfSlot: string[] = [];
	readonly #credentials = new Map<string, Credential>();
	readonly #byAuthorization = new Map<string, Credential>();
	readonly #byApiKey = new Map<string, Credential>();
	#timer: NodeJS.Timeout | null = null;

	/** Reads every key. Cost: some microseconds a key. Errors: those of {@link Store}. */
	constructor(store: Store) {
		this.#store = store;
		// The generation before the keys: a change between the two reads is read twice, never missed.
		this.#generation = store.generation();
		for (const record of store.keys()) this.#put(record);
	}

	/** Takes over what other processes changed. Returns the number of changes. Errors: those of {@link Store}. */
	refresh(): number {
		const generation = this.#store.generation();
		if (generation === this.#generation) return 0;
		const changes = this.#store.auditSince(this.#generation);
		for (const id of new Set(changes.map((change) => change.key_id))) {
			const record = this.#store.key(id);
			if (record !== undefined) this.#put(record);
		}
		this.#generation = changes.at(-1)?.seq ?? generation;
		this.#byAuthorization.clear();
		this.#byApiKey.clear();
		return changes.length;
	}

	/** Refreshes every {@link REFRESH_INTERVAL_MS} until {@link stop}; what goes wrong goes to `onError`. */
	start(onError: (error: unknown) => void): void {
		this.stop();
		this.#timer = setInterval(() => {
			try {
				this.refresh();
			} catch (error) {
				onError(error);
			}
		}, REFRESH_INTERVAL_MS);
		this.#timer.unref();
	}

	stop(): void {
		if (this.#timer !== null) clearInterval(this.#timer);
		this.#timer = null;
	}

	/** The key `id`; undefined where there is none. */
	find(id: string): Key | undefined {
		return this.#entries.get(id)?.key;
	}

	/** Id of the key whose counters are at `slot`; undefined where none is known. */
	idOfSlot(slot: number): string | undefined {
		return this.#idOfSlot[slot];
	}

	/** Number of keys, revoked ones included. */
	get size(): number {
		return this.#entries.size;
	}

	/** Number of headers remembered: a few a key, whatever is sent. */
	get remembered(): number {
		return this.#byAuthorization.size + this.#byApiKey.size;
	}

	authenticate(headers: KeyHeaders, nowMs: number): Authentication {
		// A bad Authorization, be it an empty one, is not rescued by a good X-API-Key (DESIGN §5).
		const { authorization, xApiKey } = headers;
		if (authorization !== null) {
			const seen = this.#byAuthorization.get(authorization);
			if (seen !== undefined) return judge(seen, nowMs);
			return this.#first(BEARER.exec(authorization)?.[1], authorization, this.#byAuthorization, nowMs);
		}
		if (xApiKey === null || xApiKey === "") return MISSING;
		const seen = this.#byApiKey.get(xApiKey);
		return seen !== undefined ? judge(seen, nowMs) : this.#first(xApiKey, xApiKey, this.#byApiKey, nowMs);
	}

	/** Authenticates a header not seen before, and remembers it where its text is a key's. */
	#first(
		text: string | undefined,
		header: string,
		memory: Map<string, Credential>,
		nowMs: number,
	): Authentication {
		if (text === undefined) return MALFORMED;
		if (!isKeyText(text)) return INVALID;
		const hash = hashKeyText(text);
		const credential = this.#credentials.get(hash);
		// How long the lookup takes tells at most of the hash, from which no text follows; what decides
		// is the compare, whose time tells nothing.
		if (credential === undefined || !hashesEqual(credential.hash, hash)) return INVALID;
		if (header.length <= HEADER_LENGTH_MAX) {
			if (memory.size >= HEADERS_PER_KEY * this.#credentials.size) memory.clear();
			memory.set(header, credential);
		}
		return judge(credential, nowMs);
	}

	#put(record: KeyRecord): void {
		const old = this.#entries.get(record.id);
		if (old !== undefined) {
			this.#credentials.delete(old.record.hash);
			if (old.record.previous !== null) this.#credentials.delete(old.record.previous.hash);
		}
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

function judge(credential: Credential, nowMs: number): Authentication {
	const { entry } = credential;
	if (credential.active && nowMs < credential.untilMs) return entry.accepted;
	const status = effectiveStatus(entry.record, nowMs);
	if (status === "revoked") return entry.refusals.revoked;
	if (status === "expired") return entry.refusals.expired;
	// Past its grace, a rotated text is as unknown as any other.
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
const INVALID = refusal("unauthorized", "The API key is not valid.", null);
