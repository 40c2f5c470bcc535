/** Reads a text column in place: offsets into one heap, row by row. An empty value is null. */

import { decodeUtf8 } from "../fold.js";

export class TextColumn {
	constructor(
		/** `rows + 1` offsets into `heap`. */
		readonly offsets: Uint32Array,
		readonly heap: Uint8Array,
	) {}

	/** The value in `row`, or null. */
	value(row: number): string | null {
		const start = this.offsets[row];
		const end = this.offsets[row + 1];
		return start === end ? null : decodeUtf8(this.heap, start, end);
	}
}
