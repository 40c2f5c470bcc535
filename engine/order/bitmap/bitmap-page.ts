/** A page of a bitmap's rows along the index of one sort column. */

import type { RowBitmap } from "../../select/selection.js";
import type { IndexScan } from "../index-scan.js";
import type { PageWindow } from "../page-window.js";

/** The window's rows of `bits` along `scan`, the index of sort column `depth`. */
export interface BitmapPage extends PageWindow {
	readonly bits: RowBitmap;
	readonly scan: IndexScan;
	readonly depth: number;
	/** Rows of `bits` within the current peers, if they have been counted. */
	readonly matches: number | null;
}

/** Whether a bitmap has every row of the index. */
export function isWhole({ bits, scan }: BitmapPage): boolean {
	return bits.count === scan.to - scan.from;
}
