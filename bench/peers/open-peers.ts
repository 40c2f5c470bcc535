/** Opens the peers that are installed and says why the others are missing. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "../../engine/index.js";
import { type BenchData, rowsDigest } from "../data/bench-month.js";
import { openDuckDb } from "./duckdb-peer.js";
import type { PeerOutcome } from "./peer.js";
import { openPostgres } from "./postgres-peer.js";
import type { SqlDatabase } from "./sql-peer.js";
import { SqlPeer } from "./sql-peer.js";
import { openSqlite } from "./sqlite-peer.js";

export const PEER_NAMES = ["duckdb", "sqlite", "postgres"] as const;
/** The same databases with whole rows stored as JSON text too, which pages of default rows are made from. */
export const JSON_PEER_NAMES = ["sqlite-json", "postgres-json"] as const;
type DatabaseName = (typeof PEER_NAMES)[number];
export type PeerName = DatabaseName | (typeof JSON_PEER_NAMES)[number];

const NOT_INSTALLED = "not installed: npm run bench -- peers";

/**
 * The peers named, holding the rows of `snapshot`. They are loaded beside `data` on first use, which
 * takes minutes at 2.5 million rows. `told` receives progress messages.
 */
export async function openPeers(
	names: readonly PeerName[],
	data: BenchData,
	snapshot: Snapshot,
	told: (message: string) => void,
): Promise<PeerOutcome[]> {
	const outcomes: PeerOutcome[] = [];
	for (const base of PEER_NAMES) {
		const variants = names.filter((name) => name === base || name === `${base}-json`);
		if (variants.length === 0) continue;
		told(`opening ${variants.join(" and ")}`);
		const begun = performance.now();
		const storedJson = variants.includes(`${base}-json` as PeerName);
		const database = await openDatabase(base, data, snapshot, storedJson);
		told(`${base}: ${database === null ? NOT_INSTALLED : `open after ${seconds(begun)} s`}`);
		if (database === null) {
			outcomes.push(...variants.map((name) => ({ name, skipped: NOT_INSTALLED })));
			continue;
		}
		for (const [i, name] of variants.entries()) {
			// Variants of one database share it; the first closes it.
			const shared = i === 0 ? database : { ...database, close: () => undefined };
			outcomes.push({ peer: new SqlPeer(shared, snapshot.month, snapshot.rows, name !== base) });
		}
	}
	return outcomes;
}

/** The database of one peer, holding the rows of `snapshot`, as {@link openPeers}; null if it is not installed. */
export async function openDatabase(
	name: DatabaseName,
	data: BenchData,
	snapshot: Snapshot,
	storedJson = false,
): Promise<SqlDatabase | null> {
	const home = join(data.folder, `peers-${rowsDigest(data)}`);
	mkdirSync(home, { recursive: true, mode: 0o755 });
	const tableFile = join(home, "table.csv");
	switch (name) {
		case "duckdb":
			return openDuckDb(join(home, "duckdb-enum.db"), tableFile, snapshot);
		case "sqlite":
			return openSqlite(join(home, "sqlite.db"), snapshot, storedJson);
		case "postgres":
			return openPostgres(join(home, "postgres"), tableFile, join(home, "rows.csv"), snapshot, storedJson);
	}
}

function seconds(begun: number): string {
	return ((performance.now() - begun) / 1000).toFixed(1);
}
