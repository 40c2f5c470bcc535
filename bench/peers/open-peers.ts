/** Opens the peers that are installed and says why the others are missing. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "../../engine/index.js";
import type { BenchData } from "../data/bench-month.js";
import { openDuckDb } from "./duckdb-peer.js";
import type { Peer, PeerOutcome } from "./peer.js";
import { peersFolder } from "./peer-table.js";
import { openPostgres } from "./postgres-peer.js";
import type { SqlDatabase } from "./sql-peer.js";
import { SqlPeer } from "./sql-peer.js";
import { openSqlite } from "./sqlite-peer.js";
import { TextPeer } from "./text-peer.js";

export const PEER_NAMES = ["duckdb", "sqlite", "postgres"] as const;
/** The same databases with whole rows stored as JSON text too, which pages of default rows are made from. */
export const JSON_PEER_NAMES = ["sqlite-json", "postgres-json"] as const;
type PeerDatabase = (typeof PEER_NAMES)[number];
export type PeerName = PeerDatabase | (typeof JSON_PEER_NAMES)[number];

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
		const peerOf = await openPeer(base, data, snapshot, storedJson);
		told(`${base}: ${peerOf === null ? NOT_INSTALLED : `open after ${seconds(begun)} s`}`);
		for (const name of variants)
			outcomes.push(peerOf === null ? { name, skipped: NOT_INSTALLED } : { peer: peerOf(name !== base) });
	}
	return outcomes;
}

/** Opens a database; what gives the peer that reads its columns, and the one that reads stored JSON; null if it is not installed. */
async function openPeer(
	name: PeerDatabase,
	data: BenchData,
	snapshot: Snapshot,
	storedJson: boolean,
): Promise<((isJson: boolean) => Peer) | null> {
	const { month, rows } = snapshot;
	if (name === "sqlite") {
		const opened = openSqlite(join(homeOf(data), "sqlite.db"), snapshot, storedJson);
		if (opened === null) return null;
		const database = closedOnce(opened);
		return (isJson) => new TextPeer(database, month, rows, isJson);
	}
	const opened = await openDatabase(name, data, snapshot, storedJson);
	if (opened === null) return null;
	const database = closedOnce(opened);
	return (isJson) => new SqlPeer(database, month, rows, isJson);
}

/** The database, for several peers: the first of them that is closed closes it. */
function closedOnce<D extends { close(): void | Promise<void> }>(database: D): D {
	let isOpen = true;
	return {
		...database,
		async close() {
			if (!isOpen) return;
			isOpen = false;
			await database.close();
		},
	};
}

/** The database of one peer that gives rows, holding those of `snapshot`, as {@link openPeers}; null if it is not installed. */
export async function openDatabase(
	name: "duckdb" | "postgres",
	data: BenchData,
	snapshot: Snapshot,
	storedJson = false,
): Promise<SqlDatabase | null> {
	const home = homeOf(data);
	const tableFile = join(home, "table.csv");
	if (name === "duckdb") return openDuckDb(join(home, "duckdb.db"), tableFile, snapshot);
	return openPostgres(join(home, "postgres"), tableFile, join(home, "rows.csv"), snapshot, storedJson);
}

/** Folder of the databases, made where it is missing. PostgreSQL reads it as another user. */
function homeOf(data: BenchData): string {
	const home = peersFolder(data);
	mkdirSync(home, { recursive: true, mode: 0o755 });
	return home;
}

function seconds(begun: number): string {
	return ((performance.now() - begun) / 1000).toFixed(1);
}
