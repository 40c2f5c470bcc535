/** PostgreSQL over its socket, with prepared statements, the sixteen indexes and the covering ones. */

import type { Snapshot } from "../../engine/index.js";
import { writeJsonFile } from "./json-rows.js";
import { loadPeerModule } from "./peer.js";
import {
	ALL_COLUMNS,
	COVERING_INDEXES,
	INDEXES,
	JSON_TABLE,
	SUMMARIES,
	summaryQuery,
	typeOf,
} from "./peer-table.js";
import { hasRows, startPostgres } from "./postgres-server.js";
import type { Statement } from "./sql.js";
import type { SqlDatabase, SqlRow } from "./sql-peer.js";
import { writeTableFile } from "./table-file.js";

interface PgClient {
	connect(): Promise<void>;
	query(query: { name?: string; text: string; values?: readonly unknown[] }): Promise<{ rows: SqlRow[] }>;
	end(): Promise<void>;
}

interface PgModule {
	readonly Client: new (options: { host: string; user: string; database: string }) => PgClient;
}

/**
 * The database of the server over `folder`, loaded from `snapshot` where it is empty; null where
 * PostgreSQL or its client is not installed.
 */
export async function openPostgres(
	folder: string,
	tableFile: string,
	jsonFile: string,
	snapshot: Snapshot,
	storedJson: boolean,
): Promise<SqlDatabase | null> {
	const pg = loadPeerModule<PgModule>("pg");
	const server = pg === null ? null : await startPostgres(folder);
	if (pg === null || server === null) return null;
	const client = new pg.Client({ host: server.socketFolder, user: server.user, database: "postgres" });
	await client.connect();
	const close = async () => {
		await client.end();
		await server.stop();
	};
	if (!(await hasRows(client, "licenses"))) await load(client, tableFile, snapshot);
	await tune(client);
	if (storedJson) await addJson(client, jsonFile, snapshot);
	await warm(client);
	const names = new Map<string, string>();
	const [version] = (await client.query({ text: "SHOW server_version" })).rows;
	return {
		name: "PostgreSQL",
		// Without the name of the package, which follows a space.
		version: String(version.server_version).split(" ")[0],
		pages: "rows",
		dates: "text",
		async bind({ text, values }: Statement) {
			const name = names.get(text) ?? `s${names.size}`;
			names.set(text, name);
			let mark = 0;
			const query = { name, text: text.replaceAll("?", () => `$${++mark}`), values };
			return async () => (await client.query(query)).rows;
		},
		close,
	};
}

async function load(client: PgClient, tableFile: string, snapshot: Snapshot): Promise<void> {
	writeTableFile(tableFile, snapshot);
	const columns = ALL_COLUMNS.map(
		(c) => `${c} ${typeOf(c, c === "id" ? "BIGINT" : "INTEGER")}${c === "id" ? " PRIMARY KEY" : ""}`,
	);
	const statements = [
		"DROP TABLE IF EXISTS loading",
		`CREATE UNLOGGED TABLE loading (${columns.join(", ")})`,
		`COPY loading FROM '${tableFile}' WITH (FORMAT csv, HEADER true)`,
		"DROP TABLE IF EXISTS licenses",
		...INDEXES.map((terms, i) => `CREATE INDEX licenses_${i} ON loading (${terms.join(", ")})`),
		"VACUUM ANALYZE loading",
		"ALTER TABLE loading RENAME TO licenses",
		"CHECKPOINT",
	];
	for (const text of statements) await client.query({ text });
}

/** Adds the covering indexes, extended statistics of columns that are correlated, and the summaries, where they are missing. */
async function tune(client: PgClient): Promise<void> {
	const last = `licenses_covering_${COVERING_INDEXES.length - 1}`;
	const indexed = await client.query({ text: `SELECT 1 WHERE to_regclass('${last}') IS NOT NULL` });
	if (indexed.rows.length > 0 && (await hasRows(client, SUMMARIES[SUMMARIES.length - 1].name))) return;
	const statements = [
		...COVERING_INDEXES.map(
			(terms, i) => `CREATE INDEX IF NOT EXISTS licenses_covering_${i} ON licenses (${terms.join(", ")})`,
		),
		...CORRELATED_COLUMNS.map(
			(columns, i) =>
				`CREATE STATISTICS IF NOT EXISTS licenses_correlated_${i} ON ${columns.join(", ")} FROM licenses`,
		),
		"VACUUM ANALYZE licenses",
		...SUMMARIES.flatMap((summary) => [
			`DROP TABLE IF EXISTS ${summary.name}`,
			`CREATE UNLOGGED TABLE ${summary.name} AS ${summaryQuery(summary)}`,
			...(summary.indexed
				? [`CREATE INDEX ${summary.name}_covering ON ${summary.name} (${summary.by.join(", ")}, total)`]
				: []),
			`VACUUM ANALYZE ${summary.name}`,
		]),
		"CHECKPOINT",
	];
	for (const text of statements) await client.query({ text });
}

/** Columns that questions filter together. */
const CORRELATED_COLUMNS: readonly (readonly string[])[] = [
	["state", "country", "member_license_status", "member_type"],
	["state", "member_city", "member_postal_code"],
	["key_member_license_issued", "key_member_license_expires", "key_member_license_first_issued"],
];

async function addJson(client: PgClient, jsonFile: string, snapshot: Snapshot): Promise<void> {
	if (await hasRows(client, JSON_TABLE)) return;
	writeJsonFile(jsonFile, snapshot);
	const statements = [
		"DROP TABLE IF EXISTS loading_json",
		"CREATE UNLOGGED TABLE loading_json (id BIGINT PRIMARY KEY, json TEXT)",
		`COPY loading_json FROM '${jsonFile}' WITH (FORMAT csv)`,
		"VACUUM ANALYZE loading_json",
		`DROP TABLE IF EXISTS ${JSON_TABLE}`,
		`ALTER TABLE loading_json RENAME TO ${JSON_TABLE}`,
		"CHECKPOINT",
	];
	for (const text of statements) await client.query({ text });
}

/** Reads table and indexes into shared buffers, where the extension for it is installed. */
async function warm(client: PgClient): Promise<void> {
	const available = await client.query({
		text: "SELECT 1 AS one FROM pg_available_extensions WHERE name = 'pg_prewarm'",
	});
	if (available.rows.length === 0) return;
	await client.query({ text: "CREATE EXTENSION IF NOT EXISTS pg_prewarm" });
	await client.query({
		text:
			"SELECT sum(pg_prewarm(c.oid::regclass)) FROM pg_class c WHERE c.relname LIKE 'licenses%' " +
			"OR c.relname LIKE 'loading%_pkey'",
	});
}
