/**
 * Exports a month: one file for each state and format, and, where all states are exported, one of the whole
 * month for each format.
 *
 * Files are written under `staging/`, synced, and renamed into the month's folder of exports; then the
 * manifest that lists them is replaced by one rename (formats/files/exports.ts). Before that rename nothing of them
 * is listed, after it all of them. Files that no manifest lists are removed by the next export.
 *
 * REQUIRES: the builder's lock is held.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, removeFolder, replaceFile, syncPath } from "../../formats/files/durable.js";
import {
	EXPORT_MANIFEST_FILE,
	EXPORTS_FOLDER,
	type ExportedFile,
	type ExportFormat,
	type ExportManifest,
	exportName,
	exportsFolder,
	hex,
	type MonthOfDigest,
	readExportManifest,
	SnapshotFiles,
	STAGING_FOLDER,
	type StateRun,
	snapshotFolder,
	storedExportName,
} from "../../formats/index.js";
import { BuildError } from "../errors.js";
import { retiredFolder, retiredMonths } from "../months/retire.js";
import { openPublished, publishedMonths } from "../published-months.js";
import type { PartFile } from "./parquet-file.js";
import type { ExportTasks } from "./tasks.js";

export interface ExportOptions {
	readonly dataFolder: string;
	/** `YYYY-MM`. */
	readonly month: string;
	/** States to export; null: all of them and the whole month. */
	readonly states: readonly string[] | null;
	readonly formats: readonly ExportFormat[];
	readonly now: () => Date;
	/** Runs a task somewhere and gives its result. */
	readonly run: <K extends keyof ExportTasks>(
		kind: K,
		input: ExportTasks[K]["input"],
	) => Promise<ExportTasks[K]["output"]>;
}

/** A file as written under `staging/`. */
interface StagedFile {
	readonly listed: ExportedFile;
	readonly part: PartFile;
}

/**
 * Exports the month; returns the manifest with all its files, those of earlier exports included. Throws
 * {@link BuildError} `not_published`, `bad_query` for a state without rows, `unwritable_file`.
 */
export async function exportMonth(options: ExportOptions): Promise<ExportManifest> {
	const { dataFolder, month } = options;
	const files = openPublished(dataFolder, month);
	const states = statesOf(files, options.states);
	const staging = join(dataFolder, STAGING_FOLDER, `export-${process.pid}`);
	removeLeftovers(dataFolder);
	mkdirSync(staging);
	try {
		const staged = await writeFiles(options, states, staging);
		return publish(options, { month, digest: hex(files.crc) }, staged);
	} finally {
		rmSync(staging, { recursive: true, force: true });
	}
}

function statesOf(files: SnapshotFiles, asked: readonly string[] | null): StateRun[] {
	const states = files.catalog.states.filter(({ rows }) => rows > 0);
	if (asked === null) return states;
	return asked.map((state) => {
		const found = states.find((each) => each.state === state);
		if (found !== undefined) return found;
		const known = states.map((each) => each.state).join(", ");
		throw new BuildError(
			"bad_query",
			`${files.catalog.month} has no rows of state ${state}; it has ${known}`,
		);
	});
}

/** Removes what exports that died left under `staging/`. */
function removeLeftovers(dataFolder: string): void {
	const staging = join(dataFolder, STAGING_FOLDER);
	for (const name of readdirSync(staging)) {
		if (name.startsWith("export-")) rmSync(join(staging, name), { recursive: true, force: true });
	}
}

async function writeFiles(
	{ dataFolder, month, formats, run, states: asked }: ExportOptions,
	states: readonly StateRun[],
	staging: string,
): Promise<StagedFile[]> {
	const staged: StagedFile[] = [];
	for (const format of formats) {
		const parts = new Map<StateRun, PartFile>();
		// The largest first, so that threads end together.
		const bySize = [...states].sort((a, b) => b.rows - a.rows);
		await Promise.all(
			bySize.map(async (run_) => {
				const { state, first, rows } = run_;
				const path = join(staging, exportName({ state, format }));
				const range = { from: first, to: first + rows };
				const written = await run("export-state", { dataFolder, month, state, rows: range, format, path });
				parts.set(run_, { ...written, path });
			}),
		);
		const ordered = states.map((each) => parts.get(each) as PartFile);
		states.forEach(({ state, country, rows }, i) => {
			const { bytes, sha256 } = ordered[i];
			staged.push({ listed: { state, country, format, rows, bytes, sha256 }, part: ordered[i] });
		});
		if (asked !== null) continue;
		const path = join(staging, exportName({ state: null, format }));
		const written = await run("export-month", { dataFolder, month, parts: ordered, format, path });
		const { bytes, sha256 } = written;
		const rows = states.reduce((sum, each) => sum + each.rows, 0);
		const listed = { state: null, country: null, format, rows, bytes, sha256 };
		staged.push({ listed, part: { ...written, path } });
	}
	return staged;
}

/** Moves the files to where they stay, and lists them. */
function publish(
	{ dataFolder, now }: ExportOptions,
	snapshot: MonthOfDigest,
	staged: readonly StagedFile[],
): ExportManifest {
	const folder = exportsFolder(dataFolder, snapshot);
	makeFolder(folder);
	for (const { listed, part } of staged) renameSync(part.path, join(folder, storedExportName(listed)));
	syncPath(folder);
	const names = new Set(staged.map(({ listed }) => exportName(listed)));
	const kept = (readExportManifest(folder)?.files ?? []).filter((file) => !names.has(exportName(file)));
	const files = [...kept, ...staged.map(({ listed }) => listed)].sort((a, b) =>
		exportName(a) < exportName(b) ? -1 : 1,
	);
	const manifest = { ...snapshot, exported_at: now().toISOString(), files };
	replaceFile(join(folder, EXPORT_MANIFEST_FILE), `${JSON.stringify(manifest, null, "\t")}\n`);
	removeUnlisted(folder, manifest);
	return manifest;
}

function removeUnlisted(folder: string, { files }: ExportManifest): void {
	const listed = new Set([EXPORT_MANIFEST_FILE, ...files.map(storedExportName)]);
	for (const name of readdirSync(folder))
		if (!listed.has(name)) rmSync(join(folder, name), { recursive: true });
}

/**
 * Removes the exports of snapshots that are neither published nor retired. Readers that have a file open
 * read it to its end.
 */
export function removeStaleExports(dataFolder: string): void {
	const folder = join(dataFolder, EXPORTS_FOLDER);
	if (!existsSync(folder)) return;
	const kept = new Set<string>();
	const folders = [
		...publishedMonths(dataFolder).map((month) => snapshotFolder(dataFolder, month)),
		...retiredMonths(dataFolder).map((month) => retiredFolder(dataFolder, month)),
	];
	for (const each of folders) {
		const opened = openOrNull(each);
		// A month that does not open may be mended: its exports are kept until then.
		if (opened === null) return;
		kept.add(exportsFolder(dataFolder, { month: opened.catalog.month, digest: hex(opened.crc) }));
	}
	for (const name of readdirSync(folder)) {
		if (!kept.has(join(folder, name))) removeFolder(join(folder, name));
	}
}

function openOrNull(folder: string): SnapshotFiles | null {
	try {
		return SnapshotFiles.open(folder);
	} catch {
		return null;
	}
}
