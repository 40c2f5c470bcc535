/**
 * Loads the drop into databases the way a user would to query it there: PostgreSQL with COPY and sixteen
 * indexes, DuckDB with read_csv into a table. Neither does the builder's other work: validating states
 * and dates, rejecting rows, computing statistics, syncing to disk.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { INPUT_COLUMNS } from "../../formats/index.js";
import { loadPeerModule } from "../peers/peer.js";
import { INDEXES } from "../peers/peer-table.js";
import { startPostgres } from "../peers/postgres-server.js";

/** Time of a load; null where the database is not installed. */
export interface LoadFigures {
	readonly seconds: number;
	readonly rows: number;
}

interface PgClient {
	connect(): Promise<void>;
	query(text: string): Promise<{ rows: { total: string }[] }>;
	end(): Promise<void>;
}

interface PgModule {
	readonly Client: new (options: { host: string; user: string; database: string }) => PgClient;
}

interface DuckConnection {
	run(sql: string): Promise<unknown>;
	runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): { total: string }[] }>;
	closeSync(): void;
}

interface DuckModule {
	readonly DuckDBInstance: {
		create(file: string): Promise<{ connect(): Promise<DuckConnection>; closeSync(): void }>;
	};
}

/** SQL types of the drop's columns. */
const TYPES = INPUT_COLUMNS.map(({ name, kind }) => ({
	name,
	type: kind === "date" ? "DATE" : kind === "int" ? "INTEGER" : "TEXT",
}));

/** The peers' indexes over the drop's own columns. Building them costs less than over folded keys. */
const PLAIN_INDEXES = INDEXES.map((terms) =>
	terms.map((term) => term.replace(/key_/g, "").replace(/ = '[^']*'\)/, " IS NULL)")),
);

/** Loads the drop into an unlogged table, builds the indexes, then checkpoints. */
export async function loadPostgres(folder: string, drop: string): Promise<LoadFigures | null> {
	const pg = loadPeerModule<PgModule>("pg");
	const server = pg === null ? null : await startPostgres(folder);
	if (pg === null || server === null) return null;
	const client = new pg.Client({ host: server.socketFolder, user: server.user, database: "postgres" });
	await client.connect();
	try {
		await client.query("DROP TABLE IF EXISTS drop_load");
		await client.query("CHECKPOINT");
		const columns = TYPES.map(({ name, type }) => `${name} ${type}`).join(", ");
		const startedMs = performance.now();
		await client.query(`CREATE UNLOGGED TABLE drop_load (${columns}, id BIGSERIAL PRIMARY KEY)`);
		const names = TYPES.map(({ name }) => name).join(", ");
		await client.query(`COPY drop_load (${names}) FROM '${drop}' WITH (FORMAT csv, HEADER true)`);
		for (const terms of PLAIN_INDEXES) await client.query(`CREATE INDEX ON drop_load (${terms.join(", ")})`);
		await client.query("CHECKPOINT");
		const seconds = (performance.now() - startedMs) / 1000;
		const counted = await client.query("SELECT count(*) AS total FROM drop_load");
		await client.query("DROP TABLE drop_load");
		return { seconds, rows: Number(counted.rows[0].total) };
	} finally {
		await client.end();
		await server.stop();
	}
}

/** Reads the drop into a table of a database file, without indexes. */
export async function loadDuckDb(folder: string, drop: string): Promise<LoadFigures | null> {
	const duck = loadPeerModule<DuckModule>("@duckdb/node-api");
	if (duck === null) return null;
	const file = join(folder, "drop-load.duckdb");
	rmSync(file, { force: true });
	const instance = await duck.DuckDBInstance.create(file);
	const connection = await instance.connect();
	try {
		const columns = TYPES.map(({ name, type }) => `'${name}': '${type}'`).join(", ");
		const startedMs = performance.now();
		await connection.run(
			`CREATE TABLE drop_load AS SELECT * FROM read_csv('${drop}', header = true, delim = ',', quote = '"', ` +
				`escape = '"', nullstr = '', columns = {${columns}})`,
		);
		await connection.run("CHECKPOINT");
		const seconds = (performance.now() - startedMs) / 1000;
		const counted = await connection.runAndReadAll("SELECT count(*) AS total FROM drop_load");
		return { seconds, rows: Number(counted.getRowObjectsJson()[0].total) };
	} finally {
		connection.closeSync();
		instance.closeSync();
		rmSync(file, { force: true });
	}
}
