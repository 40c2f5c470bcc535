/**
 * The data that benchmarks run on: synthetic months with a fixed seed, generated and built once per size in a
 * work folder, and reused.
 */

import { existsSync, mkdirSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { buildMonth } from "../../builder/build/build-month.js";
import { dropName, synthesize } from "../../builder/synth/index.js";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { FILE_TYPE, FORMAT_VERSION, hex, SnapshotFiles, snapshotFolder } from "../../formats/index.js";

export interface BenchData {
	/** Folder of this size's files; peers keep theirs in it too. */
	readonly folder: string;
	readonly dataFolder: string;
	readonly months: readonly string[];
}

export interface BenchDataOptions {
	/** Folder that contains the folders of each size. */
	readonly work: string;
	readonly rows: number;
	readonly seed: number;
	readonly months: readonly string[];
	readonly rowStore?: boolean;
}

export const DEFAULT_WORK_FOLDER = join(tmpdir(), "rollcall-bench");
export const DEFAULT_MONTH = "2026-11";

/** Generates and builds months that are missing or of an earlier version of the format. `told` receives progress messages. */
export async function prepareData(
	options: BenchDataOptions,
	told: (message: string) => void,
): Promise<BenchData> {
	const folder = join(options.work, `${options.rows}-${options.seed}`);
	const dataFolder = join(folder, "data");
	for (const month of options.months) {
		if (isBuilt(dataFolder, month, told)) continue;
		const drop = await prepareDrop(options, month, told);
		told(`building ${month}`);
		await buildDrop(drop, dataFolder, month, options.rowStore ?? true);
	}
	return { folder, dataFolder, months: options.months };
}

/** Whether a month is there as this version builds it. Removes one of an earlier version of the format. */
export function isBuilt(dataFolder: string, month: string, told: (message: string) => void): boolean {
	const snapshot = snapshotFolder(dataFolder, month);
	if (!existsSync(snapshot)) return false;
	const { version } = SnapshotFiles.open(snapshot);
	if (version === FORMAT_VERSION) return true;
	told(`${month} is of version ${version} of the format, not ${FORMAT_VERSION}`);
	rmSync(snapshot, { recursive: true });
	return false;
}

/** The synthetic drop of a month, generated if it is missing. */
export async function prepareDrop(
	{ work, rows, seed }: Pick<BenchDataOptions, "work" | "rows" | "seed">,
	month: string,
	told: (message: string) => void,
): Promise<string> {
	const drops = join(work, `${rows}-${seed}`, "drops");
	mkdirSync(drops, { recursive: true });
	const drop = join(drops, dropName(month));
	if (!existsSync(drop)) {
		told(`making ${rows.toLocaleString("en-US")} rows of ${month}`);
		await synthesize({ rows, months: [month], seed, out: drops });
	}
	return drop;
}

/** Builds and publishes a drop. */
export async function buildDrop(
	drop: string,
	dataFolder: string,
	month: string,
	rowStore: boolean,
): Promise<void> {
	await buildMonth({
		files: [drop],
		dataFolder,
		month,
		maps: [],
		dateFormat: null,
		accept: new Set(["rejects"]),
		dryRun: false,
		rowStore,
		threads: availableParallelism(),
		now: () => new Date(),
	});
}

/**
 * Identifies the rows of a month regardless of its indexes: the checksums of its columns. Peers that
 * were loaded from the same rows are reused.
 */
export function rowsDigest(data: BenchData): string {
	const { catalog } = SnapshotFiles.open(snapshotFolder(data.dataFolder, data.months[0]));
	const columns = catalog.sections.filter(
		(section) => catalog.files[section.file].type === FILE_TYPE.columns,
	);
	return hex(crc32(columns.map((section) => hex(section.crc)).join()));
}

/** The files of the newest month of `data`. */
export function openFiles({ dataFolder, months }: BenchData): SnapshotFiles {
	return SnapshotFiles.open(snapshotFolder(dataFolder, months[0]));
}

/** The newest month of `data`, opened over new mappings. */
export function openSnapshot(data: BenchData): Snapshot {
	const library = openLibrary({ dataFolder: data.dataFolder });
	for (const { error } of library.failed) throw error;
	if (library.latest === null) throw new Error(`no month in ${data.dataFolder}`);
	return library.latest;
}
