/**
 * DuckDB through its Node client: a database file cached in memory; all cores; zone maps, and
 * ART indexes of ids and of columns that are looked up by equality.
 */

import { existsSync, renameSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Snapshot } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import { readFiles } from "../data/read-files.js";
import { loadPeerModule } from "./peer.js";
import { ALL_COLUMNS, DATE_COLUMNS, SUMMARIES, summaryQuery, typeOf } from "./peer-table.js";
import type { Statement } from "./sql.js";
import type { SqlDatabase, SqlRow } from "./sql-peer.js";
import { writeTableFile } from "./table-file.js";

interface DuckReader {
	getRowObjectsJson(): SqlRow[];
}

interface DuckPrepared {
	bind(values: readonly (string | number | bigint)[]): void;
	runAndReadAll(): Promise<DuckReader>;
}

interface DuckConnection {
	prepare(sql: string): Promise<DuckPrepared>;
	run(sql: string): Promise<unknown>;
	runAndReadAll(sql: string): Promise<DuckReader>;
	closeSync(): void;
}

interface DuckInstance {
	connect(): Promise<DuckConnection>;
	closeSync(): void;
}

interface DuckModule {
	readonly DuckDBInstance: { create(file: string, options?: Record<string, string>): Promise<DuckInstance> };
}

/** Columns of few values, kept as ENUM: grouping by them takes less than half the time, filters by a fifth less. */
const ENUM_COLUMNS: readonly ColumnName[] = [
	"country",
	"state",
	"member_state_or_province",
	"member_license_status",
	"license_status_group",
	"member_type",
	"member_type_group",
];

/** The database in `file`, loaded from `snapshot` on first use; null where DuckDB is not installed. */
export async function openDuckDb(
	file: string,
	tableFile: string,
	snapshot: Snapshot,
): Promise<SqlDatabase | null> {
	const duck = loadPeerModule<DuckModule>("@duckdb/node-api");
	if (duck === null) return null;
	if (!existsSync(file)) await load(duck, file, tableFile, snapshot);
	await tune(duck, file);
	readFiles([file]);
	const instance = await duck.DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
	const connection = await instance.connect();
	await connection.run(`SET threads = ${availableParallelism()}`);
	const prepared = new Map<string, DuckPrepared>();
	const [{ version }] = (await connection.runAndReadAll("SELECT version() AS version")).getRowObjectsJson();
	return {
		name: "DuckDB",
		version: String(version),
		pages: "ids",
		dates: "date",
		async bind(statement: Statement) {
			const known = prepared.get(statement.text) ?? (await connection.prepare(statement.text));
			prepared.set(statement.text, known);
			const values = statement.values.map((v) => (typeof v === "number" ? BigInt(v) : v));
			return async () => {
				known.bind(values);
				return (await known.runAndReadAll()).getRowObjectsJson();
			};
		},
		async close() {
			connection.closeSync();
			instance.closeSync();
		},
	};
}

/** Columns whose indexes answer an equality faster than a scan with zone maps. */
const INDEXED_COLUMNS: Readonly<Record<string, ColumnName>> = {
	licenses_number: "member_state_license_number",
	licenses_city: "member_city",
	licenses_postal_code: "member_postal_code",
};

/** Adds the indexes and the summaries, where they are missing; the last summary tells. */
async function tune(duck: DuckModule, file: string): Promise<void> {
	const instance = await duck.DuckDBInstance.create(file);
	const connection = await instance.connect();
	const last = SUMMARIES[SUMMARIES.length - 1].name;
	const known = await connection.runAndReadAll(
		`SELECT table_name FROM duckdb_tables() WHERE table_name = '${last}'`,
	);
	if (known.getRowObjectsJson().length === 0) {
		for (const [name, column] of Object.entries(INDEXED_COLUMNS))
			await connection.run(`CREATE INDEX IF NOT EXISTS ${name} ON licenses (${column})`);
		for (const summary of SUMMARIES)
			await connection.run(`CREATE OR REPLACE TABLE ${summary.name} AS ${summaryQuery(summary)}`);
		await connection.run("CHECKPOINT");
	}
	connection.closeSync();
	instance.closeSync();
}

async function load(duck: DuckModule, file: string, tableFile: string, snapshot: Snapshot): Promise<void> {
	writeTableFile(tableFile, snapshot);
	const unfinished = `${file}.loading`;
	rmSync(unfinished, { force: true });
	const instance = await duck.DuckDBInstance.create(unfinished);
	const connection = await instance.connect();
	const dates: readonly string[] = DATE_COLUMNS;
	const types = ALL_COLUMNS.map((c) => `'${c}': '${dates.includes(c) ? "DATE" : typeOf(c, "BIGINT")}'`);
	await connection.run("SET preserve_insertion_order = true");
	await connection.run(
		`CREATE TEMP TABLE loading AS SELECT * FROM read_csv('${tableFile}', header = true, delim = ',', quote = '"', ` +
			`escape = '"', nullstr = '', columns = {${types.join(", ")}})`,
	);
	for (const name of ENUM_COLUMNS) {
		// Sorted, since an ENUM's order is that of its values' list.
		const values = `SELECT DISTINCT ${name} FROM loading WHERE ${name} IS NOT NULL ORDER BY 1`;
		await connection.run(`CREATE TYPE enum_${name} AS ENUM (${values})`);
	}
	const enums = ENUM_COLUMNS.map((name) => `${name}::enum_${name} AS ${name}`);
	// Dates are their own keys.
	const keys = dates.map((name) => `key_${name}`);
	await connection.run(
		`CREATE TABLE licenses AS SELECT * EXCLUDE (${keys.join(", ")}) REPLACE (${enums.join(", ")}) FROM loading`,
	);
	await connection.run("DROP TABLE loading");
	await connection.run("CREATE UNIQUE INDEX licenses_id ON licenses (id)");
	await connection.run("CHECKPOINT");
	connection.closeSync();
	instance.closeSync();
	renameSync(unfinished, file);
}
