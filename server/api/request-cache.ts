/**
 * Requests as read, kept for the next time the same query string comes from a key of the same grant:
 * clients ask the same few questions over and over, and reading one costs more than answering it.
 *
 * Invariant: at most twice `entriesMax` are kept, in two generations; the older one goes as a whole,
 * which costs nothing per request, where exact recency would.
 */

/** Longer query strings are not kept. */
const QUERY_LENGTH_MAX = 512;

export class RequestCache {
	private young = new Map<string, unknown>();
	private old = new Map<string, unknown>();
	private readonly entriesMax: number;

	constructor(entriesMax: number) {
		this.entriesMax = entriesMax;
	}

	/** What is kept under `name`, or what `read` makes, kept unless it throws. */
	get(name: string, read: () => unknown): unknown {
		const found = this.young.get(name);
		if (found !== undefined) return found;
		const made = this.old.get(name) ?? read();
		if (name.length <= QUERY_LENGTH_MAX) this.keep(name, made);
		return made;
	}

	private keep(name: string, made: unknown): void {
		if (this.young.size >= this.entriesMax) {
			this.old = this.young;
			this.young = new Map();
		}
		this.young.set(name, made);
	}
}
