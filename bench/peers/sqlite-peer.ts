/** SQLite through better-sqlite3: one file in the page cache, mapped, with the sixteen indexes and the covering ones. */

import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Snapshot } from "../../engine/index.js";
import { readFiles } from "../data/read-files.js";
import { jsonRows } from "./json-rows.js";
import { loadPeerModule } from "./peer.js";
import {
	ALL_COLUMNS,
	COVERING_INDEXES,
	INDEXES,
	JSON_TABLE,
	SUMMARIES,
	summaryQuery,
	tableRows,
	typeOf,
} from "./peer-table.js";
import type { Statement } from "./sql.js";
import { loadPlanControl } from "./sqlite-plans.js";
import type { TextDatabase, TextValue } from "./text-peer.js";

interface SqliteStatement {
	all(): Record<string, string | number>[];
	run(...values: readonly (string | number | null)[]): unknown;
	get(): Record<string, string | number>;
	raw(): { get(...values: readonly (string | number)[]): readonly TextValue[] };
}

interface SqliteConnection {
	prepare(sql: string): SqliteStatement;
	exec(sql: string): void;
	loadExtension(file: string): void;
	close(): void;
}

type SqliteModule = new (file: string) => SqliteConnection;

/** Most bytes of a file that SQLite maps. */
const MMAP_BYTES = 2 ** 33;

/**
 * The database in `file`, loaded from `snapshot` on first use, with rows as JSON text where `storedJson` is true; null
 * where SQLite is not installed.
 */
export function openSqlite(file: string, snapshot: Snapshot, storedJson: boolean): TextDatabase | null {
	const Sqlite = loadPeerModule<SqliteModule>("better-sqlite3");
	if (Sqlite === null) return null;
	if (!existsSync(file)) load(Sqlite, file, snapshot);
	const connection = new Sqlite(file);
	tune(connection);
	if (storedJson) addJson(connection, snapshot);
	readFiles([file]);
	const counts = loadPlanControl(connection, dirname(file));
	connection.exec(`PRAGMA mmap_size = ${MMAP_BYTES}; PRAGMA cache_size = -262144; PRAGMA query_only = 1`);
	touch(connection, storedJson);
	const prepared = new Map<string, ReturnType<SqliteStatement["raw"]>>();
	const { version } = connection.prepare("SELECT sqlite_version() AS version").get();
	const reprepares = counts ? connection.prepare("SELECT reprepares() AS reprepares") : null;
	return {
		name: "SQLite",
		version: String(version),
		reprepared: () => (reprepares === null ? null : Number(reprepares.get().reprepares)),
		bind({ text, values }: Statement) {
			const known = prepared.get(text) ?? connection.prepare(text).raw();
			prepared.set(text, known);
			return () => known.get(...values);
		},
		close: () => connection.close(),
	};
}

/**
 * Reads every index and the tables once, so that their pages are in the process's page table, as those of a server that
 * has run for a while: each first access to a page of a mapped file faults.
 */
function touch(connection: SqliteConnection, storedJson: boolean): void {
	const indexes = "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
	for (const { name, tbl_name } of connection.prepare(indexes).all())
		connection.prepare(`SELECT count(*) FROM ${tbl_name} INDEXED BY ${name}`).get();
	connection.prepare("SELECT sum(length(last_refreshed)) FROM licenses NOT INDEXED").get();
	if (storedJson) connection.prepare(`SELECT sum(length(json)) FROM ${JSON_TABLE}`).get();
}

/** Version of what {@link tune} adds; in the file as `user_version`. */
const TUNING = 4;

/**
 * Adds the covering indexes and the summaries, and forgets the samples that ANALYZE took: with them, this build of SQLite
 * (STAT4) plans a statement again for every value bound to it, which takes longer than most questions.
 */
function tune(connection: SqliteConnection): void {
	const { user_version } = connection.prepare("PRAGMA user_version").get();
	if (Number(user_version) >= TUNING) return;
	COVERING_INDEXES.forEach((terms, i) => {
		connection.exec(`CREATE INDEX IF NOT EXISTS licenses_covering_${i} ON licenses (${terms.join(", ")})`);
	});
	for (const summary of SUMMARIES) {
		const { name, by, indexed } = summary;
		connection.exec(`DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} AS ${summaryQuery(summary)}`);
		if (indexed) connection.exec(`CREATE INDEX ${name}_covering ON ${name} (${by.join(", ")}, total)`);
	}
	connection.exec(
		`ANALYZE; DELETE FROM sqlite_stat4; ANALYZE sqlite_schema; PRAGMA user_version = ${TUNING}`,
	);
}

function addJson(connection: SqliteConnection, snapshot: Snapshot): void {
	const known = connection.prepare(`SELECT name FROM sqlite_schema WHERE name = '${JSON_TABLE}'`).get();
	if (known !== undefined) return;
	connection.exec(`BEGIN; CREATE TABLE ${JSON_TABLE} (id INTEGER PRIMARY KEY, json TEXT)`);
	const insert = connection.prepare(`INSERT INTO ${JSON_TABLE} VALUES (?, ?)`);
	for (const row of jsonRows(snapshot)) insert.run(...row);
	connection.exec("COMMIT");
}

function load(Sqlite: SqliteModule, file: string, snapshot: Snapshot): void {
	const unfinished = `${file}.loading`;
	rmSync(unfinished, { force: true });
	const connection = new Sqlite(unfinished);
	connection.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1048576");
	const columns = ALL_COLUMNS.map((c) => `${c} ${c === "id" ? "INTEGER PRIMARY KEY" : typeOf(c, "INTEGER")}`);
	connection.exec(`CREATE TABLE licenses (${columns.join(", ")})`);
	const insert = connection.prepare(`INSERT INTO licenses VALUES (${ALL_COLUMNS.map(() => "?").join(",")})`);
	connection.exec("BEGIN");
	for (const row of tableRows(snapshot)) insert.run(...row);
	connection.exec("COMMIT");
	INDEXES.forEach((terms, i) => {
		connection.exec(`CREATE INDEX licenses_${i} ON licenses (${terms.join(", ")})`);
	});
	connection.close();
	renameSync(unfinished, file);
}
