/** Reads a text column in place: offsets into one heap, row by row. An empty value is null. */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class TextColumn {
	constructor(
		/** `rows + 1` offsets into `heap`. */
		readonly offsets: Uint32Array,
		readonly heap: Uint8Array,
	) {}

	/** The value of `row`, or null. */
	value(row: number): string | null {
		const start = this.offsets[row];
		const end = this.offsets[row + 1];
		return start === end ? null : decoder.decode(this.heap.subarray(start, end));
	}
}
