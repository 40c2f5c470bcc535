/** Reads the precomputed statistics. */

import { unpack } from "msgpackr";
import type { SnapshotStats } from "../stats.js";

/** The document that encode/stats.ts wrote. */
export function decodeStats(bytes: Uint8Array): SnapshotStats {
	// Copied, since the decoder's native code crashes the process on shared memory.
	return unpack(Uint8Array.from(bytes)) as SnapshotStats;
}
