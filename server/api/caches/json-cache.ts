/**
 * JSON bodies by a name that determines them, as the bytes that are sent: lists and statistics of a whole month take
 * longer to serialise than to send, and many clients ask for the same few. A name contains the entity tag.
 */

import { createHash } from "node:crypto";

/** Longer names are cached by their digest: arguments of a tool may have 64 KB, which would be held for each body. */
const NAME_LENGTH_MAX = 256;

/** Maximum bodies cached: one for each state and a few grants, some tens of kilobytes each. */
const ENTRIES_MAX = 192;

export class JsonCache {
	private readonly bodies = new Map<string, Buffer>();

	/** The bytes of `value()` as JSON, serialised once for each `name`. */
	json(name: string, value: () => unknown): Buffer {
		return this.bytes(name, () => Buffer.from(JSON.stringify(value())));
	}

	/** The bytes that `make` makes once for each `name`. */
	bytes(name: string, make: () => Buffer): Buffer {
		const key = name.length > NAME_LENGTH_MAX ? digestOf(name) : name;
		const found = this.bodies.get(key);
		if (found !== undefined) return found;
		const made = make();
		// Names of retired months are never looked up again: clearing releases them.
		if (this.bodies.size >= ENTRIES_MAX) this.bodies.clear();
		this.bodies.set(key, made);
		return made;
	}

	/** Removes every body. Names contain a month's checksums, which a damaged month and its repaired copy share. */
	clear(): void {
		this.bodies.clear();
	}
}

/** No two names are known to share one. */
function digestOf(name: string): string {
	return createHash("sha256").update(name).digest("base64");
}
