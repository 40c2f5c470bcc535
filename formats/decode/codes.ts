/** Reads a column's codes: one unsigned integer per row, 1, 2 or 4 bytes wide. */

import type { Codes } from "../encode/codes.js";

export type { Codes };

/** A view of `bytes` as codes of `width` bytes. Cost O(1). */
export function decodeCodes(bytes: Uint8Array, width: 1 | 2 | 4): Codes {
	switch (width) {
		case 1:
			return bytes;
		case 2:
			return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
		case 4:
			return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
	}
}
