/** Reads the precomputed statistics. */

import { unpack } from "msgpackr";
import type { SnapshotStats } from "../stats.js";

/** The document that encode/stats.ts wrote. */
export function decodeStats(bytes: Uint8Array): SnapshotStats {
	// A copy of its own: the decoder's native part reads past memory that threads share, and ends the process.
	return unpack(Uint8Array.from(bytes)) as SnapshotStats;
}
