/** Exported files hold the rows that the API answers, in every format. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { loadPeerModule } from "../../bench/peers/peer.js";
import { joinParquet, writeParquet } from "../../builder/export/parquet-file.js";
import { encodeHybrid } from "../../builder/export/parquet-pages.js";
import { ByteSink, openLibrary, type Projection, type Snapshot } from "../../engine/index.js";
import {
	COLUMNS,
	EXPORT_MANIFEST_FILE,
	type ExportManifest,
	exportName,
	exportsFolder,
	hex,
	isoDateOfDays,
	profileName,
	readExportManifest,
	SnapshotFiles,
	snapshotFolder,
	storedExportName,
} from "../../formats/index.js";
import { withTwins } from "../engine/compiled-month.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { checkAsyncProperty, checkProperty } from "../oracle/seeded.js";
import { type BuilderFolder, builderFolder, csv, stateRows } from "./builder-process.js";

const EVERYTHING: Projection = { columns: COLUMNS.map(({ name }) => name), masked: false };
const MONTH = "2026-10";
const SCALING = fileURLToPath(new URL("../../../docs/SCALING.md", import.meta.url));

/** All rows of a Parquet file as the API's JSON shows them. */
async function rowsOfParquet(bytes: Buffer): Promise<Record<string, unknown>[]> {
	const rows = await parquetReadObjects({ file: Uint8Array.from(bytes).buffer });
	const plain = (value: unknown) => {
		if (typeof value === "bigint") return Number(value);
		return value instanceof Date ? isoDateOfDays(value.getTime() / 86_400_000) : (value ?? null);
	};
	return rows.map((row) => Object.fromEntries(COLUMNS.map(({ name }) => [name, plain(row[name])])));
}

/** Rows [from, to) as the engine has them. */
function recordsOf(snapshot: Snapshot, from = 0, to = snapshot.rows): Record<string, unknown>[] {
	return Array.from({ length: to - from }, (_, i) => snapshot.record(from + i, EVERYTHING));
}

/** Rows as the API answers them in `format`. */
function linesOf(snapshot: Snapshot, format: "csv" | "ndjson", from = 0, to = snapshot.rows): string {
	const sink = new ByteSink();
	const rows = Uint32Array.from({ length: to - from }, (_, i) => from + i);
	snapshot.renderRows(rows, EVERYTHING, format, sink);
	return sink.view().toString();
}

test("Parquet files hold the rows of random months, whatever their row groups, and joined as apart", (t) =>
	checkAsyncProperty(
		t,
		25,
		fc.asyncProperty(randomMonth(120), fc.integer({ min: 1, max: 90 }), async (month, groupRows) => {
			await withTwins(rawRows(month), month.month, { rowStore: false }, async ({ mapped }) => {
				const { files } = mapped.comparable;
				const folder = mkdtempSync(join(files.folder, "export-"));
				const parts = mapped.states.map((run) => {
					const path = join(folder, run.state);
					const range = { from: run.first, to: run.first + run.rows };
					return {
						...writeParquet(files, range, { state: run.state, profile: null }, path, groupRows),
						path,
					};
				});
				for (const [i, { first, rows, state }] of mapped.states.entries()) {
					const bytes = readFileSync(parts[i].path);
					assert.equal(parts[i].sha256, createHash("sha256").update(bytes).digest("hex"));
					assert.deepEqual(await rowsOfParquet(bytes), recordsOf(mapped, first, first + rows), state);
				}
				const whole = join(folder, "all");
				joinParquet(files, parts, { state: null, profile: null }, whole);
				assert.deepEqual(await rowsOfParquet(readFileSync(whole)), recordsOf(mapped));
			});
		}),
		10,
	));

test("indexes of any width are read back as they were", (t) =>
	checkProperty(
		t,
		200,
		fc.property(
			fc.integer({ min: 0, max: 20 }),
			fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 30 })), { maxLength: 40 }),
			(bits, runs) => {
				const values = Uint32Array.from(
					runs.flatMap(([value, times]) => new Array<number>(times).fill(value % 2 ** bits)),
				);
				assert.deepEqual(
					[...decodeHybrid(encodeHybrid(values, values.length, bits), values.length, bits)],
					[...values],
				);
			},
		),
	));

/** The hybrid encoding read by its definition. */
function* decodeHybrid(bytes: Buffer, count: number, bits: number): Generator<number> {
	let at = 0;
	for (let left = count; left > 0; ) {
		let header = 0;
		for (let shift = 0; ; shift += 7) {
			header |= (bytes[at] & 0x7f) << shift;
			if (bytes[at++] < 0x80) break;
		}
		const packed = (header & 1) === 1;
		const length = packed ? (header >>> 1) * 8 : header >>> 1;
		for (let i = 0; i < length && left > 0; i++, left--) {
			let value = 0;
			for (let bit = 0; bit < bits; bit++) {
				const place = packed ? i * bits + bit : bit;
				value |= ((bytes[at + (place >>> 3)] >>> (place & 7)) & 1) << bit;
			}
			yield value;
		}
		at += packed ? (header >>> 1) * bits : Math.ceil(bits / 8);
	}
	assert.equal(at, bytes.length);
}

/** A published month of three states. */
async function publishedMonth(t: Parameters<typeof builderFolder>[0]): Promise<BuilderFolder> {
	const builder = builderFolder(t);
	const rows = [...stateRows("CA", 30), ...stateRows("ON", 12), ...stateRows("TX", 5)];
	rows[3].member_full_name = '=1+1, "quoted"\nline';
	rows[4].office_name = "Îlot 🏠 Realty";
	await builder.json("build", builder.write(`a-${MONTH}.csv`, csv(rows)), "--accept", "all");
	return builder;
}

interface Exported extends ExportManifest {
	readonly folder: string;
}

function bytesOf({ folder, files }: Exported, state: string | null, format: string): Buffer {
	const file = files.find((each) => each.state === state && each.format === format);
	assert.ok(file !== undefined, `${state}.${format}`);
	const bytes = readFileSync(join(folder, storedExportName(file)));
	assert.equal(bytes.length, file.bytes);
	assert.equal(createHash("sha256").update(bytes).digest("hex"), file.sha256);
	return bytes;
}

/** Folder and manifest agree. */
function requireWhole(data: string): ExportManifest | null {
	const folder = exportsFolder(data, digestOf(data));
	if (!existsSync(folder)) return null;
	const manifest = readExportManifest(folder);
	for (const file of manifest?.files ?? [])
		bytesOf({ ...(manifest as ExportManifest), folder }, file.state, file.format);
	return manifest;
}

function digestOf(data: string) {
	const { catalog, crc } = SnapshotFiles.open(snapshotFolder(data, MONTH));
	return { month: catalog.month, digest: hex(crc) };
}

test("files with RESO names hold the same rows beside those with ours", async (t) => {
	const builder = await publishedMonth(t);
	await builder.json<Exported>("export", MONTH, "--state", "CA");
	const exported = await builder.json<Exported>("export", MONTH, "--state", "CA", "--profile", "reso");
	assert.deepEqual(
		exported.files.map(exportName),
		["csv.gz", "ndjson.gz", "parquet", "reso.csv.gz", "reso.ndjson.gz", "reso.parquet"].map(
			(end) => `CA.${end}`,
		),
	);
	const names = COLUMNS.map(({ name }) => profileName(name, "reso"));
	assert.ok(names.includes("MemberStateLicenseExpirationDate") && names.includes("office_broker_name"));
	const lines = (format: string) => gunzipSync(bytesOf(exported, "CA", format)).toString();
	const [header, ...rows] = lines("reso.csv.gz").split("\r\n");
	assert.equal(header, names.join(","));
	assert.deepEqual(rows, lines("csv.gz").split("\r\n").slice(1));
	const renamed = (row: object) =>
		Object.fromEntries(Object.values(row).map((value, i) => [names[i], value]));
	const objects = (format: string): object[] =>
		lines(format)
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
	assert.deepEqual(objects("reso.ndjson.gz"), objects("ndjson.gz").map(renamed));
	const file = Uint8Array.from(bytesOf(exported, "CA", "reso.parquet")).buffer;
	const parquet = await parquetReadObjects({ file });
	assert.deepEqual(Object.keys(parquet[0]), names);
	assert.equal(parquet.length, 30);
	assert.equal(
		parquet[3].MemberFullName,
		objects("reso.ndjson.gz").map((row) => Object(row).MemberFullName)[3],
	);
});

test("export writes every state and the whole month in each format, equal to the API's rows", async (t) => {
	const builder = await publishedMonth(t);
	const exported = await builder.json<Exported & Record<string, unknown>>("export", MONTH);
	const snapshot = openLibrary({ dataFolder: builder.data }).latest as Snapshot;
	assert.deepEqual(readdirSync(exported.folder).length, 13);
	const whole = { state: null, first: 0, rows: snapshot.rows };
	for (const { state, first, rows } of [whole, ...snapshot.states]) {
		const end = first + rows;
		assert.deepEqual(
			await rowsOfParquet(bytesOf(exported, state, "parquet")),
			recordsOf(snapshot, first, end),
		);
		for (const format of ["csv", "ndjson"] as const) {
			const lines = gunzipSync(bytesOf(exported, state, `${format}.gz`)).toString();
			assert.equal(lines, linesOf(snapshot, format, first, end), `${state}.${format}`);
		}
	}
	const bytes = bytesOf(exported, null, "parquet");
	const metadata = parquetMetadata(Uint8Array.from(bytes).buffer);
	assert.equal(metadata.row_groups.length, 3, "row groups by state");
	const described = Object.fromEntries(
		(metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value]),
	);
	assert.deepEqual(described, { "rollcall.month": MONTH, "rollcall.digest": snapshot.digest });
	const dates = metadata.schema.filter(({ converted_type }) => converted_type === "DATE");
	assert.equal(dates.length, COLUMNS.filter(({ kind }) => kind === "date").length);
	const [{ columns }] = metadata.row_groups;
	const status = columns.find((c) => c.meta_data?.path_in_schema[0] === "member_license_status")?.meta_data;
	assert.ok(status?.encodings.includes("RLE_DICTIONARY"));
	assert.ok(Number(status?.dictionary_page_offset) > 0);
	// The same month, exported again, is the same bytes.
	const again = await builder.json<Exported>("export", MONTH);
	assert.deepEqual(again.files, exported.files);
});

test("DuckDB reads an exported file as the engine has it, where it is installed", async (t) => {
	const duckdb = loadPeerModule<{ DuckDBInstance: DuckDb }>("@duckdb/node-api");
	if (duckdb === null) {
		t.skip("no peer is installed: npm run bench -- peers");
		return;
	}
	const builder = await publishedMonth(t);
	const exported = await builder.json<Exported>("export", MONTH, "--format", "parquet");
	const path = join(
		exported.folder,
		storedExportName(exported.files.find(({ state }) => state === null) as never),
	);
	const instance = await duckdb.DuckDBInstance.create();
	const connection = await instance.connect();
	try {
		const typed = await connection.runAndReadAll(`describe select * from '${path}'`);
		const types = Object.fromEntries(typed.getRowObjectsJson().map((c) => [c.column_name, c.column_type]));
		for (const { name, kind } of COLUMNS) {
			const expected = { id: "BIGINT", int: "INTEGER", date: "DATE" }[kind as string] ?? "VARCHAR";
			assert.equal(types[name], expected, name);
		}
		const read = await connection.runAndReadAll(`select * from '${path}'`);
		const rows = read.getRowObjectsJson().map((row) => ({ ...row, id: Number(row.id) }));
		const expected = recordsOf(openLibrary({ dataFolder: builder.data }).latest as Snapshot);
		assert.deepEqual(rows, expected);
		// The line that docs/SCALING.md gives for DuckDB, beside the exports of this data folder.
		const line = /```sql\n-- DuckDB\n(.*?)```/s.exec(readFileSync(SCALING, "utf8"))?.[1] ?? "";
		assert.ok(line.includes("'exports/2026-11"), line);
		const local = line
			.replace("'exports/2026-11", `'${join(builder.data, "exports", MONTH)}`)
			.trim()
			.replace(/;$/, "");
		const counted = (await connection.runAndReadAll(local)).getRowObjectsJson();
		const counts = new Map<unknown, number>();
		for (const { state } of expected) counts.set(state, (counts.get(state) ?? 0) + 1);
		assert.deepEqual(new Map(counted.map((row) => [row.state, Number(row["count_star()"])])), counts);
	} finally {
		connection.closeSync();
		instance.closeSync();
	}
});

interface DuckDb {
	create(): Promise<{
		connect(): Promise<{
			runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
			closeSync(): void;
		}>;
		closeSync(): void;
	}>;
}

test("files that no manifest lists, which a killed export left, are removed by the next", async (t) => {
	const builder = await publishedMonth(t);
	const { folder, files } = await builder.json<Exported>(
		"export",
		MONTH,
		"--state",
		"CA",
		"--format",
		"csv.gz",
	);
	writeFileSync(join(folder, "CA.0123456789abcdef.csv.gz"), "left");
	const two = ["--state", "TX", "--state", "CA", "--format", "csv.gz"];
	const again = await builder.json<Exported>("export", MONTH, ...two);
	const listed = [EXPORT_MANIFEST_FILE, ...again.files.map(storedExportName)];
	assert.deepEqual(readdirSync(folder).sort(), listed.sort());
	assert.equal(again.files.length, files.length + 1);
});

test("states and formats are exported by themselves beside what was exported before", async (t) => {
	const builder = await publishedMonth(t);
	const names = async (...args: string[]) =>
		(await builder.json<Exported>("export", MONTH, ...args)).files.map(
			({ state, format }) => `${state}.${format}`,
		);
	assert.deepEqual(await names("--state", "ca", "--format", "csv.gz"), ["CA.csv.gz"]);
	assert.deepEqual(await names("--state", "TX,ON", "--format", "parquet"), [
		"CA.csv.gz",
		"ON.parquet",
		"TX.parquet",
	]);
	for (const [args, fault] of [
		[["--state", "NY"], /2026-10 has no rows of state NY/],
		[["--state", "ZZ"], /no jurisdiction has the code ZZ/],
		[["--format", "xls"], /no format is called xls: parquet, csv.gz, ndjson.gz/],
	] as const) {
		const { code, stderr } = await builder.run("export", MONTH, ...args);
		assert.notEqual(code, 0);
		assert.match(stderr, fault);
	}
	assert.equal((await builder.run("export", "2026-09")).code, 1);
	assert.equal(requireWhole(builder.data)?.files.length, 3);
});

test("exports go with their snapshot: kept while it is retired, removed when it is replaced or pruned", async (t) => {
	const builder = await publishedMonth(t);
	const { folder } = await builder.json<Exported>("export", MONTH, "--format", "parquet");
	await builder.json("retire", MONTH);
	assert.ok(existsSync(folder));
	await builder.json("restore", MONTH);
	const drop = builder.write(`b-${MONTH}.csv`, csv(stateRows("CA", 31)));
	await builder.json("build", drop, "--replace", "--accept", "all");
	assert.ok(existsSync(folder), "the replaced month is retired");
	await builder.json("prune", MONTH);
	assert.equal(existsSync(folder), false);
});
