/**
 * Statistics by snapshot and geography: computing them takes some milliseconds, and few distinct
 * geographies ask. Entries are released with their snapshot.
 */

import type { Geography, Snapshot, Stats } from "../../../engine/index.js";

/** Maximum geographies cached for one snapshot: each state alone, and as many grants. */
const GEOGRAPHIES_MAX = 192;

export class StatsCache {
	private readonly bySnapshot = new WeakMap<Snapshot, Map<string, Stats>>();

	/** The statistics of the rows of `snapshot` within `geography`. */
	of(snapshot: Snapshot, geography: Geography | null): Stats {
		let cached = this.bySnapshot.get(snapshot);
		if (cached === undefined) {
			cached = new Map();
			this.bySnapshot.set(snapshot, cached);
		}
		const name = JSON.stringify(geography);
		const found = cached.get(name);
		if (found !== undefined) return found;
		const stats = snapshot.stats(geography);
		if (cached.size >= GEOGRAPHIES_MAX) cached.clear();
		cached.set(name, stats);
		return stats;
	}
}
