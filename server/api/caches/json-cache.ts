/**
 * JSON bodies by entity tag, as the bytes that are sent: lists and statistics of a whole month take
 * longer to serialise than to send, and many clients ask for the same few. The tag determines the bytes.
 */

/** Maximum bodies cached: one for each state and a few grants, some tens of kilobytes each. */
const ENTRIES_MAX = 192;

export class JsonCache {
	private readonly bodies = new Map<string, Buffer>();

	/** The bytes of `value()` as JSON, serialised once for each `tag`. */
	json(tag: string, value: () => unknown): Buffer {
		return this.bytes(tag, () => Buffer.from(JSON.stringify(value())));
	}

	/** The bytes that `make` makes once for each `tag`. */
	bytes(tag: string, make: () => Buffer): Buffer {
		const found = this.bodies.get(tag);
		if (found !== undefined) return found;
		const made = make();
		// Tags of retired months are never looked up again: clearing releases them.
		if (this.bodies.size >= ENTRIES_MAX) this.bodies.clear();
		this.bodies.set(tag, made);
		return made;
	}

	/** Removes every body. Tags contain a month's checksums, which a damaged month and its repaired copy share. */
	clear(): void {
		this.bodies.clear();
	}
}
