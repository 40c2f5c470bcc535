/**
 * Requests as read, kept for the next time the same target comes from a key of the same grant:
 * clients ask the same few questions over and over, and reading one costs time that finding does not.
 *
 * A table of sets of two: a request has one set, by its hash, and is kept there in the first place,
 * what stood there moves to the second, and what stood there goes. So nothing is remembered of order,
 * and both finding and missing cost one hash of the query.
 *
 * Invariants:
 * - At most {@link SETS} × 2 are kept, each of a query of at most {@link QUERY_LENGTH_MAX} characters.
 * - A request is kept from the second time on: a client that walks through a million different ones
 *   leaves nothing behind, neither in place of what others repeat nor for the collector.
 */

/** Longer queries are not kept. */
const QUERY_LENGTH_MAX = 512;

/** A power of two. */
const SETS = 1 << 11;
/** Hashes remembered of requests seen once; a power of two. */
const SEEN_SLOTS = 1 << 13;

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
	readonly hash: number;
	readonly made: unknown;
}

export class RequestCache {
	private readonly first: (Entry | null)[] = new Array(SETS).fill(null);
	private readonly second: (Entry | null)[] = new Array(SETS).fill(null);
	private readonly seen = new Int32Array(SEEN_SLOTS);

	/** What is kept of `name`; undefined: nothing. */
	find(name: RequestName): unknown {
		const hash = hashOf(name.query, name.pathValue);
		const set = hash & (SETS - 1);
		const first = this.first[set];
		if (first !== null && isOf(first, hash, name)) return first.made;
		const second = this.second[set];
		return second !== null && isOf(second, hash, name) ? second.made : undefined;
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
		const set = hash & (SETS - 1);
		this.second[set] = this.first[set];
		this.first[set] = { hash, operation, grant, pathValue, query, made };
	}
}

function isOf(entry: Entry, hash: number, { operation, grant, pathValue, query }: RequestName): boolean {
	return (
		entry.hash === hash &&
		entry.grant === grant &&
		entry.operation === operation &&
		entry.pathValue === pathValue &&
		entry.query === query
	);
}

/** 32 bits of the two (FNV-1a over their code units, stirred). */
function hashOf(query: string, pathValue: string | null): number {
	let hash = 0x811c9dc5;
	for (let i = 0; i < query.length; i++) hash = Math.imul(hash ^ query.charCodeAt(i), 0x01000193);
	if (pathValue !== null) {
		for (let i = 0; i < pathValue.length; i++) hash = Math.imul(hash ^ pathValue.charCodeAt(i), 0x01000193);
	}
	hash ^= hash >>> 15;
	return hash ^ Math.imul(hash, 0x2c1b3c6d);
}
