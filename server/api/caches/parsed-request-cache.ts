/**
 * Parsed requests by operation, grant and target: a set-associative cache, since clients repeat few
 * distinct queries and parsing one costs more than finding it.
 *
 * A request's hash selects a set of {@link WAYS} ways. A full set evicts at random and admits one
 * insertion in eight (random-eviction.ts).
 *
 * Invariants:
 * - At most {@link SETS} × {@link WAYS} entries, each of a query of at most {@link QUERY_LENGTH_MAX} characters.
 * - A request is admitted on its second occurrence, so a client that walks through a million distinct
 *   queries displaces nothing and leaves no garbage.
 */

import { finishHash, HASH_BASIS, hashText } from "../../../formats/index.js";
import { RandomEviction } from "./random-eviction.js";

/** Longer queries are not cached. */
const QUERY_LENGTH_MAX = 512;

/** Powers of two. */
const SETS = 1 << 11;
const WAYS = 4;
const NONE = -1;
/** Slots for the hashes of requests seen once; a power of two. */
const SEEN_SLOTS = 1 << 16;

/** The cache key of a parsed request. */
export interface RequestName {
	/** Compared by identity. */
	readonly operation: object;
	readonly grant: object;
	/** The path parameter; null: none. */
	readonly pathValue: string | null;
	readonly query: string;
}

interface Entry extends RequestName {
	readonly made: unknown;
}

export class ParsedRequestCache {
	/** Tag and entry of every way, set by set. */
	private readonly hashes = new Int32Array(SETS * WAYS);
	private readonly entries: (Entry | null)[] = new Array(SETS * WAYS).fill(null);
	private readonly seen = new Int32Array(SEEN_SLOTS);
	private readonly eviction = new RandomEviction();
	/** Hash of the request looked up last. */
	private hash = 0;

	/** The parsed request of `name`; undefined on a miss. */
	find(name: RequestName): unknown {
		const hash = hashOf(name.query, name.pathValue);
		this.hash = hash;
		const first = firstWay(hash);
		for (let way = first; way < first + WAYS; way++) {
			if (this.hashes[way] !== hash) continue;
			const entry = this.entries[way];
			if (entry !== null && isOf(entry, name)) return entry.made;
		}
		return undefined;
	}

	/** Caches `made` under `name` if `name` was offered before. REQUIRES: find(name) was the last call, and missed. */
	offer({ operation, grant, pathValue, query }: RequestName, made: unknown): void {
		if (query.length > QUERY_LENGTH_MAX) return;
		const { hash } = this;
		// Not the bits that select the set, so that collisions in one are independent of the other.
		const slot = (hash >>> 16) & (SEEN_SLOTS - 1);
		if (this.seen[slot] !== hash) {
			this.seen[slot] = hash;
			return;
		}
		const way = this.wayToFill(firstWay(hash));
		if (way === NONE) return;
		this.hashes[way] = hash;
		this.entries[way] = { operation, grant, pathValue, query, made };
	}

	/** The way to fill: a free one, or a victim if the insertion is admitted; else {@link NONE}. */
	private wayToFill(first: number): number {
		for (let way = first; way < first + WAYS; way++) if (this.entries[way] === null) return way;
		return this.eviction.admits() ? first + this.eviction.victim(WAYS) : NONE;
	}
}

function firstWay(hash: number): number {
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

function hashOf(query: string, pathValue: string | null): number {
	const state = hashText(query, HASH_BASIS);
	return finishHash(pathValue === null ? state : hashText(pathValue, state));
}
