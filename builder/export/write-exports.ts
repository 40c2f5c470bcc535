/** Writes the files of an export: one of one state, and one of a whole month. */

import { openLibrary, type Snapshot } from "../../engine/index.js";
import {
	type ExportFormat,
	type FileFormat,
	partsOfFormat,
	type Range,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import { BuildError } from "../errors.js";
import { joinParquet, type PartFile, type WrittenFile, writeParquet } from "./parquet-file.js";
import { joinLines, type LineFormat, writeLines } from "./row-file.js";

interface MonthOfData {
	readonly dataFolder: string;
	/** `YYYY-MM`; published. */
	readonly month: string;
}

export interface StateExport extends MonthOfData {
	readonly state: string;
	readonly rows: Range;
	readonly format: ExportFormat;
	/** File to write. */
	readonly path: string;
}

export interface MonthExport extends MonthOfData {
	/** The states' files, in canonical order. */
	readonly parts: readonly PartFile[];
	readonly format: ExportFormat;
	readonly path: string;
}

/** What the lines of the files that are not Parquet are. */
const LINE_FORMS: Readonly<Record<Exclude<FileFormat, "parquet">, LineFormat["form"]>> = {
	"csv.gz": "csv",
	"ndjson.gz": "ndjson",
};

/** Writes the file of one state. */
export function writeState(input: StateExport): WrittenFile {
	const { state, rows, format, path } = input;
	const { file, profile } = partsOfFormat(format);
	if (file === "parquet") return writeParquet(filesOf(input), rows, { state, profile }, path);
	return writeLines(snapshotOf(input), rows, { form: LINE_FORMS[file], profile }, path);
}

/** Writes the file of a whole month from those of its states. */
export function writeMonth(input: MonthExport): WrittenFile {
	const { parts, format, path } = input;
	const { file, profile } = partsOfFormat(format);
	if (file === "parquet") return joinParquet(filesOf(input), parts, { state: null, profile }, path);
	return joinLines(snapshotOf(input), parts, { form: LINE_FORMS[file], profile }, path);
}

/** The month of the last task: all tasks of an export read one, whose derived columns are made once. */
let lastFiles: SnapshotFiles | null = null;
let lastSnapshot: { readonly folder: string; readonly snapshot: Snapshot } | null = null;

function filesOf({ dataFolder, month }: MonthOfData): SnapshotFiles {
	const folder = snapshotFolder(dataFolder, month);
	if (lastFiles?.folder !== folder) lastFiles = SnapshotFiles.open(folder);
	return lastFiles;
}

function snapshotOf({ dataFolder, month }: MonthOfData): Snapshot {
	const folder = snapshotFolder(dataFolder, month);
	if (lastSnapshot?.folder === folder) return lastSnapshot.snapshot;
	const snapshot = openLibrary({ dataFolder, hugePages: false }).find(month);
	if (snapshot === undefined)
		throw new BuildError("not_published", `${month} is not published in ${dataFolder}`);
	lastSnapshot = { folder, snapshot };
	return snapshot;
}
