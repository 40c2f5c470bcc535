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
export type PeerName = (typeof PEER_NAMES)[number];

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
	for (const name of names) {
		told(`opening ${name}`);
		const begun = performance.now();
		const database = await openDatabase(name, data, snapshot);
		if (database === null) outcomes.push({ name, skipped: NOT_INSTALLED });
		else outcomes.push({ peer: new SqlPeer(database, snapshot.month, snapshot.rows) });
		told(`${name}: ${database === null ? NOT_INSTALLED : `open after ${seconds(begun)} s`}`);
	}
	return outcomes;
}

/** The database of one peer, holding the rows of `snapshot`, as {@link openPeers}; null if it is not installed. */
export async function openDatabase(
	name: PeerName,
	data: BenchData,
	snapshot: Snapshot,
): Promise<SqlDatabase | null> {
	const home = join(data.folder, `peers-${rowsDigest(data)}`);
	mkdirSync(home, { recursive: true, mode: 0o755 });
	const tableFile = join(home, "table.csv");
	switch (name) {
		case "duckdb":
			return openDuckDb(join(home, "duckdb.db"), tableFile, snapshot);
		case "sqlite":
			return openSqlite(join(home, "sqlite.db"), snapshot);
		case "postgres":
			return openPostgres(join(home, "postgres"), tableFile, snapshot);
	}
}

function seconds(begun: number): string {
	return ((performance.now() - begun) / 1000).toFixed(1);
}
