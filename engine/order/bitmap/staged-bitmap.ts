/** Bitmaps that are stored in mapped files, copied to memory that WebAssembly can read (simd.ts). */

import { copyWords } from "../../kernels/bitmap.js";
import { memoryOf } from "../../kernels/simd.js";
import type { RowBitmap } from "../../select/selection.js";

/** `bits` in memory that WebAssembly can read: itself, or copied over `spare`. Cost O(words) where it is copied. */
export function stagedBitmap(bits: RowBitmap, spare: Uint32Array): RowBitmap {
	if (memoryOf(bits.words) !== undefined || memoryOf(spare) === undefined) return bits;
	spare.fill(0);
	copyWords(spare, bits.words, bits.from, bits.to);
	return { ...bits, words: spare };
}
