/**
 * Requests as read, kept for the next time the same query string comes from a key of the same grant:
 * clients ask the same few questions over and over, and reading one costs more than answering it.
 *
 * Invariants:
 * - At most twice `entriesMax` are kept, in two generations; the older one goes as a whole, which
 *   costs nothing per request, where exact recency would.
 * - A request is kept from the second time on: a client that walks through a million different ones
 *   leaves nothing behind, neither in place of what others repeat nor for the collector.
 */

/** Longer names are not kept. */
const NAME_LENGTH_MAX = 512;

/** Hashes remembered of requests seen once; a power of two. */
const SEEN_SLOTS = 1 << 14;

export class RequestCache {
	private young = new Map<string, unknown>();
	private old = new Map<string, unknown>();
	private readonly seen = new Int32Array(SEEN_SLOTS);
	private readonly entriesMax: number;

	constructor(entriesMax: number) {
		this.entriesMax = entriesMax;
	}

	/** What is kept under `name`; undefined: nothing. */
	find(name: string): unknown {
		const found = this.young.get(name);
		if (found !== undefined) return found;
		const old = this.old.get(name);
		if (old !== undefined) this.keep(name, old);
		return old;
	}

	/** Keeps `made` under `name`, if it was offered before. */
	offer(name: string, made: unknown): void {
		if (name.length > NAME_LENGTH_MAX) return;
		const hash = hashOf(name);
		const slot = hash & (SEEN_SLOTS - 1);
		if (this.seen[slot] === hash) this.keep(name, made);
		else this.seen[slot] = hash;
	}

	private keep(name: string, made: unknown): void {
		if (this.young.size >= this.entriesMax) {
			this.old = this.young;
			this.young = new Map();
		}
		this.young.set(name, made);
	}
}

/** 32 bits of `text` (FNV-1a over its code units). */
function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	return hash;
}
