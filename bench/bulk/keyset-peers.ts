/**
 * PostgreSQL and DuckDB paging by keyset: `WHERE key > the last key ORDER BY key LIMIT n`, over the same indexes as
 * in the other comparisons. Changes are a table of their own, as an operator would keep them: one row per entry with
 * its position, its row, and the former values.
 */

import { closeSync, existsSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ChangeSet, Snapshot } from "../../engine/index.js";
import { COLUMNS, TRACKED_COLUMNS } from "../../formats/index.js";
import type { BenchData } from "../data/bench-month.js";
import { median } from "../http/rounds.js";
import { openDatabase } from "../peers/open-peers.js";
import { keyOf, peersFolder } from "../peers/peer-table.js";
import { rowsOf, type SqlDatabase, type SqlRow } from "../peers/sql-peer.js";
import { type ChangesAnswer, type ChangesQuestion, PAGE_ROWS, streamedChanges } from "./changes-question.js";

const KEYSET_PEERS = ["postgres", "duckdb"] as const;
/** Rows of a page in walks, and of a query when all changes are read. */
const WALK_ROWS = 1_000;
const WALK_PAGES = 20;
const STREAM_ROWS = 10_000;

/** Latency of a page near the beginning of a walk and near its end, and the rate of a walk. */
export interface KeysetWalk {
	readonly nearMs: number;
	readonly deepMs: number;
	readonly rowsPerSecond: number;
}

export class KeysetPeer {
	readonly name: string;

	constructor(
		private readonly database: SqlDatabase,
		private readonly snapshot: Snapshot,
		/** Name of the table of changes. */
		private readonly changes: string,
	) {
		this.name = `${database.name} ${database.version}`;
	}

	async changesPage({ state, status, city, kinds }: ChangesQuestion): Promise<ChangesAnswer> {
		const values: string[] = [...kinds];
		const terms = [`kind IN (${kinds.map(() => "?").join(", ")})`];
		for (const [column, value] of Object.entries({
			state,
			member_license_status: status,
			member_city: city,
		})) {
			if (value === null) continue;
			terms.push(`${column} = ?`);
			values.push(value);
		}
		const where = `FROM ${this.changes} WHERE ${terms.join(" AND ")}`;
		const counted = await rowsOf(this.database, {
			text: `SELECT kind, count(*) AS total ${where} GROUP BY kind`,
			values,
		});
		const totals = { new: 0, changed: 0, gone: 0 };
		for (const { kind, total } of counted) totals[kind as keyof typeof totals] = Number(total);
		const text = `SELECT * ${where} AND position > ? ORDER BY position LIMIT ${PAGE_ROWS}`;
		const rows = await rowsOf(this.database, { text, values: [...values, -1] });
		JSON.stringify(plain(rows));
		return { totals, numbers: rows.map((row) => String(row.license_number)) };
	}

	/** Changes per second, read page by page and written as lines. */
	async changesRate(format: "csv" | "ndjson"): Promise<number> {
		const begunMs = performance.now();
		let [count, last] = [0, -1];
		for (;;) {
			const text = `SELECT * FROM ${this.changes} WHERE position > ? ORDER BY position LIMIT ${STREAM_ROWS}`;
			const rows = await rowsOf(this.database, { text, values: [last] });
			if (rows.length === 0) break;
			written(rows, format);
			count += rows.length;
			last = Number(rows[rows.length - 1].position);
		}
		return (count * 1000) / (performance.now() - begunMs);
	}

	/** Pages by `sort` near the beginning and after `deepRows` rows, as CSV. */
	async walk(sort: "id" | "office_name", deepRows: number): Promise<KeysetWalk> {
		const nearMs: number[] = [];
		const deepMs: number[] = [];
		for (const [first, latencies] of [
			[WALK_ROWS, nearMs],
			[deepRows, deepMs],
		] as const) {
			let after = await this.keyAt(sort, first);
			for (let page = 0; page < WALK_PAGES; page++) {
				const begunMs = performance.now();
				const rows = await this.pageAfter(sort, after);
				written(rows, "csv");
				latencies.push(performance.now() - begunMs);
				const last = rows[rows.length - 1];
				if (rows.length < WALK_ROWS) break;
				after = [String(last[keyOf(sort)]), Number(last.id)];
			}
		}
		const deep = median(deepMs);
		return { nearMs: median(nearMs), deepMs: deep, rowsPerSecond: (WALK_ROWS * 1000) / deep };
	}

	close(): void | Promise<void> {
		return this.database.close();
	}

	private async keyAt(sort: "id" | "office_name", position: number): Promise<readonly [string, number]> {
		const order = sort === "id" ? "id" : `${keyOf(sort)}, id`;
		const text = `SELECT ${order} FROM licenses ORDER BY ${order} LIMIT 1 OFFSET ?`;
		const [row] = await rowsOf(this.database, { text, values: [Math.min(position, this.snapshot.rows) - 1] });
		return [String(row[keyOf(sort)]), Number(row.id)];
	}

	private pageAfter(sort: "id" | "office_name", [key, id]: readonly [string, number]) {
		const names = COLUMNS.map(({ name }) => name).filter((name) => name !== "snapshot");
		const selected = sort === "id" ? names : [...names, keyOf(sort)];
		const [where, order, values] =
			sort === "id"
				? ["id > ?", "id", [id]]
				: [`(${keyOf(sort)}, id) > (?, ?)`, `${keyOf(sort)}, id`, [key, id]];
		const text = `SELECT ${selected.join(", ")} FROM licenses WHERE ${where} ORDER BY ${order} LIMIT ${WALK_ROWS}`;
		return rowsOf(this.database, { text, values });
	}
}

function plain(rows: readonly SqlRow[]): SqlRow[] {
	return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

function written(rows: readonly SqlRow[], format: "csv" | "ndjson"): string {
	if (format === "ndjson")
		return plain(rows)
			.map((row) => JSON.stringify(row))
			.join("\n");
	const cell = (value: unknown) => {
		if (value === null) return "";
		const text = String(value);
		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	};
	return rows.map((row) => Object.values(row).map(cell).join(",")).join("\r\n");
}

/** The peers that are installed, holding the newer month and the changes; loaded on first use, which takes minutes. */
export async function openKeysetPeers(
	data: BenchData,
	set: ChangeSet,
	told: (message: string) => void,
): Promise<KeysetPeer[]> {
	const home = peersFolder(data);
	const peers: KeysetPeer[] = [];
	for (const name of KEYSET_PEERS) {
		told(`opening ${name}`);
		const database = await openDatabase(name, data, set.to);
		if (database === null) {
			told(`${name} is not installed: npm run bench -- peers`);
			continue;
		}
		const file = join(home, `changes-${set.from.digest}-${set.to.digest}.csv`);
		writeChangesFile(file, set);
		peers.push(new KeysetPeer(database, set.to, await loadChanges(database, name, file)));
	}
	return peers;
}

const CHANGES_COLUMNS = [
	"kind",
	"state_code",
	"license_number",
	"changed_fields",
	...COLUMNS.map(({ name }) => name as string),
	...TRACKED_COLUMNS.map(({ name }) => `previous_${name}`),
];

async function loadChanges(database: SqlDatabase, name: string, file: string): Promise<string> {
	const run = (text: string) => rowsOf(database, { text, values: [] });
	if (name === "duckdb") {
		const columns = CHANGES_COLUMNS.map((column) => `'${column}': 'TEXT'`).join(", ");
		await run(
			"CREATE TEMP TABLE changes AS SELECT row_number() OVER () - 1 AS position, * FROM " +
				`read_csv('${file}', header = false, delim = ',', quote = '"', escape = '"', nullstr = '', columns = {${columns}})`,
		);
		return "changes";
	}
	const columns = CHANGES_COLUMNS.map((column) => `${column} TEXT`).join(", ");
	await run("DROP TABLE IF EXISTS changes");
	await run(`CREATE UNLOGGED TABLE changes (position SERIAL PRIMARY KEY, ${columns})`);
	await run("ALTER SEQUENCE changes_position_seq MINVALUE 0 RESTART 0");
	await run(`COPY changes (${CHANGES_COLUMNS.join(", ")}) FROM '${file}' WITH (FORMAT csv)`);
	for (const column of ["state", "kind", "member_license_status", "member_city"])
		await run(`CREATE INDEX ON changes (${column}, position)`);
	await run("VACUUM ANALYZE changes");
	return "changes";
}

/** Writes the changes as CSV without a header, unless the file exists. */
function writeChangesFile(file: string, set: ChangeSet): void {
	if (existsSync(file)) return;
	const descriptor = openSync(`${file}.writing`, "w", 0o644);
	let isFirst = true;
	for (const bytes of streamedChanges(set, "csv", set.to.rows + set.from.rows)) {
		const header = isFirst ? bytes.indexOf(0x0a) + 1 : 0;
		writeSync(descriptor, bytes.subarray(header));
		isFirst = false;
	}
	closeSync(descriptor);
	renameSync(`${file}.writing`, file);
}
