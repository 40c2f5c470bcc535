/**
 * Requests as read, kept for the next time the same target comes from a key of the same grant:
 * clients ask the same few questions over and over, and reading one costs time that finding does not.
 *
 * A table of sets of {@link WAYS}: a request has one set, by its hash, and is kept in any place of it.
 * Where all are taken a random one goes, now and then: so nothing is remembered of order, requests that
 * come round and round in greater number than there are places still find their share, and those that
 * come too rarely to be found again do not spend their time on taking places from each other.
 *
 * Invariants:
 * - At most {@link SETS} × {@link WAYS} are kept, each of a query of at most {@link QUERY_LENGTH_MAX} characters.
 * - A request is kept from the second time on: a client that walks through a million different ones
 *   leaves nothing behind, neither in place of what others repeat nor for the collector.
 */

import { Displacement } from "./random-eviction.js";

/** Longer queries are not kept. */
const QUERY_LENGTH_MAX = 512;

/** Powers of two. */
const SETS = 1 << 11;
const WAYS = 4;
const NONE = -1;
/** Hashes remembered of requests seen once; a power of two. */
const SEEN_SLOTS = 1 << 16;

/** What tells one request as read from another. */
export interface RequestName {
	/** What is asked, and under what grant: compared by identity. */
	readonly operation: object;
	readonly grant: object;
	/** The path parameter; null: none. */
	readonly pathValue: string | null;
	readonly query: string;
}

interface Entry extends RequestName {
	readonly made: unknown;
}

export class RequestCache {
	/** Of every place, the set's first to its last: the entry's hash and the entry. */
	private readonly hashes = new Int32Array(SETS * WAYS);
	private readonly entries: (Entry | null)[] = new Array(SETS * WAYS).fill(null);
	private readonly seen = new Int32Array(SEEN_SLOTS);
	private readonly displacement = new Displacement();

	/** What is kept of `name`; undefined: nothing. */
	find(name: RequestName): unknown {
		const hash = hashOf(name.query, name.pathValue);
		const first = firstPlace(hash);
		for (let place = first; place < first + WAYS; place++) {
			if (this.hashes[place] !== hash) continue;
			const entry = this.entries[place];
			if (entry !== null && isOf(entry, name)) return entry.made;
		}
		return undefined;
	}

	/** Keeps `made` under `name`, which find does not, if it was offered before. */
	offer({ operation, grant, pathValue, query }: RequestName, made: unknown): void {
		if (query.length > QUERY_LENGTH_MAX) return;
		const hash = hashOf(query, pathValue);
		// Other bits than those that tell the set, so that what shares one need not share the other.
		const slot = (hash >>> 16) & (SEEN_SLOTS - 1);
		if (this.seen[slot] !== hash) {
			this.seen[slot] = hash;
			return;
		}
		const place = this.freePlace(firstPlace(hash));
		if (place === NONE) return;
		this.hashes[place] = hash;
		this.entries[place] = { operation, grant, pathValue, query, made };
	}

	/** A free place of the set; where there is none, now and then any other, else {@link NONE}. */
	private freePlace(first: number): number {
		for (let place = first; place < first + WAYS; place++) if (this.entries[place] === null) return place;
		return this.displacement.admits() ? first + this.displacement.victim(WAYS) : NONE;
	}
}

function firstPlace(hash: number): number {
	return (hash & (SETS - 1)) * WAYS;
}

function isOf(entry: Entry, { operation, grant, pathValue, query }: RequestName): boolean {
	return (
		entry.grant === grant &&
		entry.operation === operation &&
		entry.pathValue === pathValue &&
		entry.query === query
	);
}

/** 32 bits of the two: FNV-1a over their code units, and MurmurHash3's finalizer, which every bit goes through. */
function hashOf(query: string, pathValue: string | null): number {
	let hash = 0x811c9dc5;
	for (let i = 0; i < query.length; i++) hash = Math.imul(hash ^ query.charCodeAt(i), 0x01000193);
	if (pathValue !== null) {
		for (let i = 0; i < pathValue.length; i++) hash = Math.imul(hash ^ pathValue.charCodeAt(i), 0x01000193);
	}
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return hash ^ (hash >>> 16);
}
