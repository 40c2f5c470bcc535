/** Writes the precomputed statistics as one MessagePack document. */

import { pack } from "msgpackr/pack";
import type { SnapshotStats } from "../domain/stats.js";

/** Bytes of the document, deterministic. */
export function encodeStats(stats: SnapshotStats): Uint8Array {
	return pack(stats);
}
