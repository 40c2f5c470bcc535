/**
 * Searches of full names by trigrams: PostgreSQL's pg_trgm with a GIN and with a GiST index, and SQLite's FTS5
 * with its trigram tokenizer. Each contains the distinct full names of the month, folded to plain letters,
 * without the rows that share a name, and returns the ten best.
 */

import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "../../engine/index.js";
import { looseWords } from "../../formats/index.js";
import { loadPeerModule } from "./peer.js";
import { hasRows, startPostgres } from "./postgres-server.js";

/** A search of names. */
export interface NamePeer {
	readonly name: string;
	/** The best names, best first, at most ten. */
	ask(name: string, state: string): readonly string[] | Promise<readonly string[]>;
	close(): Promise<void>;
}

/**
 * Least similarity of what GIN is asked for. At 0.45 it takes half the time that it takes at PostgreSQL's 0.3, and finds as
 * many of the names asked; at 0.6 it finds a twentieth less.
 */
const SIMILARITY_MIN = 0.45;

/** Names inserted per statement. */
const BATCH = 5_000;

/** The installed peers; loading one for the first time takes minutes at 2.5 million rows. */
export async function openNamePeers(
	folder: string,
	snapshot: Snapshot,
	told: (message: string) => void,
): Promise<NamePeer[]> {
	const opened = [openFts5(join(folder, "names.db"), snapshot), ...(await openTrgm(folder, snapshot))];
	const peers = opened.filter((peer) => peer !== null);
	told(
		peers.length === 0
			? "no peer installed: npm run bench -- peers"
			: peers.map(({ name }) => name).join(", "),
	);
	return peers;
}

/** The distinct full names, each with its words as plain text. */
function* distinctNames(snapshot: Snapshot): Generator<readonly [name: string, words: string]> {
	const seen = new Set<string>();
	for (let row = 0; row < snapshot.rows; row++) {
		const name = snapshot.value(row, "member_full_name");
		if (name === null || seen.has(String(name))) continue;
		seen.add(String(name));
		yield [String(name), looseWords(String(name)).join(" ")];
	}
}

interface SqliteConnection {
	prepare(sql: string): {
		all(...values: readonly unknown[]): { name: string }[];
		run(...values: readonly unknown[]): unknown;
	};
	exec(sql: string): void;
	close(): void;
}

type SqliteModule = new (file: string) => SqliteConnection;

function openFts5(file: string, snapshot: Snapshot): NamePeer | null {
	const Sqlite = loadPeerModule<SqliteModule>("better-sqlite3");
	if (Sqlite === null) return null;
	if (!existsSync(file)) {
		const unfinished = `${file}.loading`;
		rmSync(unfinished, { force: true });
		const loading = new Sqlite(unfinished);
		loading.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
		loading.exec("CREATE VIRTUAL TABLE names USING fts5(words, name UNINDEXED, tokenize = 'trigram')");
		const insert = loading.prepare("INSERT INTO names (words, name) VALUES (?, ?)");
		loading.exec("BEGIN");
		for (const [name, words] of distinctNames(snapshot)) insert.run(words, name);
		loading.exec("COMMIT; INSERT INTO names (names) VALUES ('optimize')");
		loading.close();
		renameSync(unfinished, file);
	}
	const connection = new Sqlite(file);
	connection.exec("PRAGMA mmap_size = 8589934592; PRAGMA query_only = 1");
	const best = connection.prepare("SELECT name FROM names WHERE names MATCH ? ORDER BY rank LIMIT 10");
	return {
		name: "SQLite FTS5 trigram",
		ask(name) {
			const trigrams = trigramsOf(looseWords(name));
			if (trigrams.length === 0) return [];
			return best.all(trigrams.map((t) => `"${t}"`).join(" OR ")).map((row) => row.name);
		},
		async close() {
			connection.close();
		},
	};
}

/** The trigrams of the words: a misspelled word has most of those of the correct one. */
function trigramsOf(words: readonly string[]): string[] {
	const trigrams = new Set<string>();
	for (const word of words) {
		const letters = [...word];
		for (let i = 0; i + 3 <= letters.length; i++) trigrams.add(letters.slice(i, i + 3).join(""));
	}
	return [...trigrams];
}

interface PgClient {
	connect(): Promise<void>;
	query(query: {
		text: string;
		name?: string;
		values?: readonly unknown[];
	}): Promise<{ rows: { name: string }[] }>;
	end(): Promise<void>;
}

interface PgModule {
	readonly Client: new (options: { host: string; user: string; database: string }) => PgClient;
}

const TRGM_WAYS = {
	gin: {
		label: "PostgreSQL pg_trgm, GIN",
		text: "SELECT name FROM names_gin WHERE words % $1 ORDER BY similarity(words, $1) DESC LIMIT 10",
	},
	gist: {
		label: "PostgreSQL pg_trgm, GiST",
		text: "SELECT name FROM names_gist ORDER BY words <-> $1 LIMIT 10",
	},
} as const;

async function openTrgm(folder: string, snapshot: Snapshot): Promise<NamePeer[]> {
	const pg = loadPeerModule<PgModule>("pg");
	const server = pg === null ? null : await startPostgres(join(folder, "postgres"));
	if (pg === null || server === null) return [];
	const client = new pg.Client({ host: server.socketFolder, user: server.user, database: "postgres" });
	await client.connect();
	if (!(await hasRows(client, "names_gist"))) await loadTrgm(client, snapshot);
	await client.query({ text: `SET pg_trgm.similarity_threshold = ${SIMILARITY_MIN}` });
	let open = 2;
	return (["gin", "gist"] as const).map((way) => ({
		name: TRGM_WAYS[way].label,
		async ask(name: string) {
			const values = [looseWords(name).join(" ")];
			const found = await client.query({ name: way, text: TRGM_WAYS[way].text, values });
			return found.rows.map((row) => row.name);
		},
		async close() {
			open--;
			if (open > 0) return;
			await client.end();
			await server.stop();
		},
	}));
}

async function loadTrgm(client: PgClient, snapshot: Snapshot): Promise<void> {
	for (const text of [
		"CREATE EXTENSION IF NOT EXISTS pg_trgm",
		"DROP TABLE IF EXISTS names_gin",
		"CREATE UNLOGGED TABLE names_gin (name TEXT, words TEXT)",
	])
		await client.query({ text });
	let names: string[] = [];
	let words: string[] = [];
	const insert = async () => {
		const text = "INSERT INTO names_gin SELECT * FROM unnest($1::text[], $2::text[])";
		await client.query({ text, values: [names, words] });
		names = [];
		words = [];
	};
	for (const [name, plain] of distinctNames(snapshot)) {
		names.push(name);
		words.push(plain);
		if (names.length === BATCH) await insert();
	}
	await insert();
	for (const text of [
		"CREATE UNLOGGED TABLE loading AS SELECT * FROM names_gin",
		"CREATE INDEX names_by_gin ON names_gin USING gin (words gin_trgm_ops)",
		"CREATE INDEX names_by_gist ON loading USING gist (words gist_trgm_ops(siglen = 64))",
		"VACUUM ANALYZE names_gin",
		"VACUUM ANALYZE loading",
		"DROP TABLE IF EXISTS names_gist",
		"ALTER TABLE loading RENAME TO names_gist",
	])
		await client.query({ text });
}
