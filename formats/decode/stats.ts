/** Reads the precomputed statistics. */

import { unpack } from "msgpackr/unpack";
import type { SnapshotStats } from "../stats.js";

/** The document that encode/stats.ts wrote. */
export function decodeStats(bytes: Uint8Array): SnapshotStats {
	return unpack(bytes) as SnapshotStats;
}
