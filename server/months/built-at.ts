/** When months were published, from their manifests. */

import type { Snapshot } from "../../engine/index.js";
import { readManifest } from "../../formats/index.js";
import type { Log } from "../log.js";

/**
 * Reads a snapshot's time of publication from its manifest, once; null without one, or where it does not read, which is
 * logged.
 */
export function builtAtReader(dataFolder: string, log: Log): (snapshot: Snapshot) => string | null {
	const known = new WeakMap<Snapshot, string>();
	return (snapshot) => {
		const found = known.get(snapshot);
		if (found !== undefined) return found;
		try {
			const builtAt = readManifest(dataFolder, snapshot.month)?.built_at;
			if (builtAt === undefined) return null;
			known.set(snapshot, builtAt);
			return builtAt;
		} catch (error) {
			// The manifest is metadata: without it everything else can still be served.
			log.warn({ month: snapshot.month, err: error }, "manifest does not read");
			return null;
		}
	};
}
