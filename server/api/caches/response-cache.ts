/**
 * Bodies that many ask for and few differ in, kept as the bytes they are sent as: lists and statistics
 * of a whole month take longer to write than to send. Kept by what determines the bytes.
 */

/** Bodies kept: as many as there are states and a grant or two; some tens of kilobytes each. */
const KEPT_MAX = 192;

export class KeptBodies {
	private readonly kept = new Map<string, Buffer>();

	/** The bytes of `value` as JSON, written once for each `name`, which determines them. */
	json(name: string, value: () => unknown): Buffer {
		const found = this.kept.get(name);
		if (found !== undefined) return found;
		const made = Buffer.from(JSON.stringify(value()));
		// Names of months gone are never asked for again: starting anew lets them go.
		if (this.kept.size >= KEPT_MAX) this.kept.clear();
		this.kept.set(name, made);
		return made;
	}

	/** Forgets all bodies: names stand for a month's checksums, which a damaged month has like a sound one. */
	forget(): void {
		this.kept.clear();
	}
}
