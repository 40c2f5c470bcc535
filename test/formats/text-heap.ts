/** Values as offsets into one heap of UTF-8, as dictionaries and text columns store them. */

export interface EncodedText {
	/** `rows + 1` offsets into `heap`. */
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

/** The text column of `values`; null and the empty string are the same. */
export function encodeText(values: readonly (string | null)[]): EncodedText {
	const encoder = new TextEncoder();
	const parts = values.map((value) => encoder.encode(value ?? ""));
	const offsets = new Uint32Array(values.length + 1);
	for (let row = 0; row < parts.length; row++) offsets[row + 1] = offsets[row] + parts[row].length;
	const heap = new Uint8Array(offsets[values.length]);
	for (let row = 0; row < parts.length; row++) heap.set(parts[row], offsets[row]);
	return { offsets, heap };
}
