/** Reads the row store in place: rows as values with their lengths (SNAPSHOT.md, "Section kinds"). */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { CATALOG_FILE, ROW_SEGMENT_SHIFT, ROW_STORE_FOLDER, ROWS_PER_SEGMENT } from "../layout.js";

export interface RowSegment {
	/** `rows + 1` offsets into `heap`. */
	readonly offsets: Uint32Array;
	readonly heap: Buffer;
}

export class RowStore {
	private used = false;

	/** `onFirstUse`: called at the first {@link use}, and kept, so that what it refers to lives as long as this. */
	constructor(
		readonly segments: readonly RowSegment[],
		private readonly onFirstUse: () => void = () => undefined,
	) {}

	/** To be called before rows are rendered from here. Cost O(1). */
	use(): void {
		if (!this.used) this.onFirstUse();
		this.used = true;
	}

	/** Copies rows [first, end) of one segment; returns the bytes. Cost O(rows + bytes). */
	copyRun(first: number, end: number, target: Buffer, at: number): number {
		const segment = this.segments[first >>> ROW_SEGMENT_SHIFT];
		const base = first & (ROWS_PER_SEGMENT - 1);
		const from = segment.offsets[base];
		const to = segment.offsets[base + (end - first)];
		// The number copied, not what the offsets imply: with corrupt offsets, the rest of `target` is another response.
		return segment.heap.copy(target, at, from, to);
	}

	/** Bytes of rows [first, end) of one segment, clamped to the heap. Cost O(1). */
	runBytes(first: number, end: number): number {
		const segment = this.segments[first >>> ROW_SEGMENT_SHIFT];
		const base = first & (ROWS_PER_SEGMENT - 1);
		const to = Math.min(segment.offsets[base + (end - first)], segment.heap.length);
		return Math.max(0, to - segment.offsets[base]);
	}
}

/**
 * What `read` returns of the row store of the month in `folder`, or `none` without one. A builder may drop the row store
 * meanwhile; then files are missing that are not damaged.
 */
export function whileStored<T>(folder: string, none: T, read: (folder: string) => T): T {
	const rows = join(folder, ROW_STORE_FOLDER);
	const catalog = join(rows, CATALOG_FILE);
	if (!existsSync(catalog)) return none;
	try {
		return read(rows);
	} catch (error) {
		if (!existsSync(catalog)) return none;
		throw error;
	}
}
