/** Reads the precomputed statistics. */

import { unpack } from "msgpackr/unpack";
import type { SnapshotStats } from "../domain/stats.js";

/** The document that encode/stats.ts wrote. */
export function decodeStats(bytes: Uint8Array): SnapshotStats {
	// Copied, since the native code that the decoder uses in a process with LMDB fails on shared memory.
	return unpack(Uint8Array.from(bytes)) as SnapshotStats;
}
