/**
 * Statistics by snapshot and geography, computed once: they cost some milliseconds, and the same few
 * geographies ask again. Goes with its snapshot.
 */

import type { Geography, Snapshot, Stats } from "../../../engine/index.js";

/** Geographies kept for one snapshot: every state alone, and as many grants. */
const GEOGRAPHIES_KEPT_MAX = 192;

export class StatsCache {
	private readonly kept = new WeakMap<Snapshot, Map<string, Stats>>();

	/** The statistics of the rows of `snapshot` that `geography` grants. */
	of(snapshot: Snapshot, geography: Geography | null): Stats {
		const known = this.kept.get(snapshot) ?? new Map<string, Stats>();
		this.kept.set(snapshot, known);
		const name = JSON.stringify(geography);
		const found = known.get(name);
		if (found !== undefined) return found;
		const stats = snapshot.stats(geography);
		if (known.size >= GEOGRAPHIES_KEPT_MAX) known.clear();
		known.set(name, stats);
		return stats;
	}
}
