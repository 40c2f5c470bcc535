/** SQLite through better-sqlite3: one file in the page cache, mapped, with the sixteen indexes. */

import { existsSync, renameSync, rmSync } from "node:fs";
import type { Snapshot } from "../../engine/index.js";
import { loadPeerModule } from "./peer.js";
import { ALL_COLUMNS, INDEXES, tableRows, typeOf } from "./peer-table.js";
import type { Statement } from "./sql.js";
import type { SqlDatabase, SqlRow } from "./sql-peer.js";

interface SqliteStatement {
	all(...values: readonly (string | number)[]): SqlRow[];
	run(...values: readonly (string | number | null)[]): unknown;
	get(): Record<string, string>;
}

interface SqliteConnection {
	prepare(sql: string): SqliteStatement;
	exec(sql: string): void;
	close(): void;
}

type SqliteModule = new (file: string) => SqliteConnection;

/** Most bytes of a file that SQLite maps. */
const MMAP_BYTES = 2 ** 33;

/** The database in `file`, loaded from `snapshot` on first use; null where SQLite is not installed. */
export function openSqlite(file: string, snapshot: Snapshot): SqlDatabase | null {
	const Sqlite = loadPeerModule<SqliteModule>("better-sqlite3");
	if (Sqlite === null) return null;
	if (!existsSync(file)) load(Sqlite, file, snapshot);
	const connection = new Sqlite(file);
	connection.exec(`PRAGMA mmap_size = ${MMAP_BYTES}; PRAGMA cache_size = -262144; PRAGMA query_only = 1`);
	const prepared = new Map<string, SqliteStatement>();
	const { version } = connection.prepare("SELECT sqlite_version() AS version").get();
	return {
		name: "SQLite",
		version,
		all(statement: Statement) {
			const known = prepared.get(statement.text) ?? connection.prepare(statement.text);
			prepared.set(statement.text, known);
			return known.all(...statement.values);
		},
		close: () => connection.close(),
	};
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
	connection.exec("ANALYZE");
	connection.close();
	renameSync(unfinished, file);
}
