/** What changes cost a publication and the disk, and how long an export takes, in builder processes of their own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
	COLUMNS,
	changesFolder,
	type MonthOfDigest,
	ROW_STORE_FOLDER,
	snapshotFolder,
} from "../../formats/index.js";
import { runBuilder } from "../build/run-builder.js";
import { rowsOf, type SqlDatabase } from "../peers/sql-peer.js";
import { ownChild } from "../processes/own-children.js";
import { atMost, type Figure, percent, times } from "./figure.js";

const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));
const PUBLISHING_SHARE = 0.1;
const DISK_SHARE = 0.05;
const EXPORT_TIMES = 3;

/**
 * Bytes of the changes over those of the newer month's columns and indexes, and of both with their stored rows, which
 * are there or not there together.
 */
export function measureDisk(dataFolder: string, from: MonthOfDigest, to: MonthOfDigest): Figure[] {
	const changes = changesFolder(dataFolder, from, to);
	const month = snapshotFolder(dataFolder, to.month);
	const [changesRows, monthRows] = [changes, month].map((folder) => bytesOf(join(folder, ROW_STORE_FOLDER)));
	const name = "disk of the changes over the month's columns and indexes";
	const figures = [atMost(name, bytesOf(changes) / bytesOf(month), DISK_SHARE, percent)];
	if (changesRows === 0 || monthRows === 0) return figures;
	const share = (bytesOf(changes) + changesRows) / (bytesOf(month) + monthRows);
	return [...figures, atMost(`${name}, both with stored rows`, share, DISK_SHARE, percent)];
}

/** Bytes of the files in a folder, not of folders in it; 0 where there is none. */
function bytesOf(folder: string): number {
	if (!existsSync(folder)) return 0;
	return readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0);
}

export interface PublishingOptions {
	readonly from: string;
	readonly to: string;
	/** That of month `to`. */
	readonly drop: string;
	readonly work: string;
	readonly rounds: number;
}

/**
 * Time of computing and storing the changes, over that of building and publishing the newer month from `drop`: the
 * least of `rounds`, by turns, as with exports.
 */
export async function measurePublishing(
	dataFolder: string,
	{ from, to, drop, work, rounds }: PublishingOptions,
): Promise<Figure> {
	const changes: number[] = [];
	const idle: number[] = [];
	const builds: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const scratch = scratchOf(dataFolder, [from, to], work);
		try {
			builds.push((await runBuilder(drop, join(scratch, "built"), true)).seconds);
			changes.push(await secondsOf(["changes", from, to, "--data", scratch]));
			idle.push(await secondsOf(["list", "--data", scratch]));
		} finally {
			rmSync(scratch, { recursive: true });
		}
	}
	const added = Math.min(...changes) - Math.min(...idle);
	const build = Math.min(...builds);
	const figure = atMost("publishing grows by the changes", added / build, PUBLISHING_SHARE, percent);
	const told = `${added.toFixed(1)} s beside ${build.toFixed(1)} s, the least of ${rounds} each`;
	return { ...figure, measured: `${figure.measured} (${told})` };
}

/** Time of exporting a month to Parquet, by turns with DuckDB's COPY of the same rows and columns. */
export async function measureExport(
	dataFolder: string,
	month: string,
	duckdb: SqlDatabase | null,
	rounds: number,
	work: string,
): Promise<Figure> {
	const name = `export of ${month} to Parquet, every state and the whole month`;
	const scratch = scratchOf(dataFolder, [month], work);
	const ours: number[] = [];
	const theirs: number[] = [];
	const columns = COLUMNS.map((column) => column.name).filter((column) => column !== "snapshot");
	const copied = join(scratch, "copied.parquet");
	const copy =
		`COPY (SELECT '${month}' AS snapshot, ${columns.join(", ")} FROM licenses ORDER BY id) ` +
		`TO '${copied}' (FORMAT parquet)`;
	try {
		for (let round = 0; round < rounds; round++) {
			ours.push(await secondsOf(["export", month, "--data", scratch, "--format", "parquet"]));
			if (duckdb === null) continue;
			const begunMs = performance.now();
			await rowsOf(duckdb, { text: copy, values: [] });
			theirs.push((performance.now() - begunMs) / 1000);
		}
		const least = Math.min(...ours);
		const measured = `${least.toFixed(1)} s`;
		if (duckdb === null) return { name, measured, target: "", reached: null };
		const peer = Math.min(...theirs);
		const figure = atMost(`${name}, over DuckDB's COPY`, least / peer, EXPORT_TIMES, times);
		const peers = { [`${duckdb.name} ${duckdb.version}`]: `${peer.toFixed(1)} s` };
		return { ...figure, measured: `${figure.measured} (${measured})`, peers };
	} finally {
		rmSync(scratch, { recursive: true });
	}
}

/**
 * A data folder with links to some months of another, for commands that write beside them; `withRows`: those of them
 * whose stored rows are linked. Where that is not all, the changes are linked too.
 */
export function scratchOf(
	dataFolder: string,
	months: readonly string[],
	work: string,
	withRows: readonly string[] = months,
): string {
	mkdirSync(work, { recursive: true });
	const scratch = mkdtempSync(join(work, "bulk-"));
	for (const folder of ["staging", "snapshots"]) mkdirSync(join(scratch, folder));
	for (const month of months) linkMonth(dataFolder, month, scratch, withRows.includes(month));
	const changes = join(dataFolder, "changes");
	if (existsSync(changes) && withRows.length < months.length)
		symlinkSync(resolve(changes), join(scratch, "changes"));
	return scratch;
}

function linkMonth(dataFolder: string, month: string, scratch: string, withRows: boolean): void {
	const source = resolve(snapshotFolder(dataFolder, month));
	const target = snapshotFolder(scratch, month);
	mkdirSync(target);
	for (const name of readdirSync(source))
		if (withRows || name !== "rows") symlinkSync(join(source, name), join(target, name));
}

/** Seconds of a builder command. Rejects if it fails. */
export async function secondsOf(args: readonly string[]): Promise<number> {
	const begunMs = performance.now();
	const child = ownChild(
		spawn(process.execPath, [BUILDER, ...args], { stdio: ["ignore", "ignore", "pipe"] }),
	);
	let said = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		said = `${said}${text}`.slice(-2_000);
	});
	const [code] = (await once(child, "close")) as [number | null];
	if (code !== 0) throw new Error(`builder ${args[0]} ended with code ${code}: ${said.trim()}`);
	return (performance.now() - begunMs) / 1000;
}
