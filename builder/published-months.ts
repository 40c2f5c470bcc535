/** The published months of a data folder, for the builder's commands. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
	CATALOG_FILE,
	isMonth,
	type Manifest,
	mappingMode,
	publications,
	RETIRED_FOLDER,
	ROW_STORE_FOLDER,
	readManifest,
	SnapshotFiles,
	snapshotFolder,
} from "../formats/index.js";
import { BuildError } from "./errors.js";
import { readRetiredManifest } from "./months/switch-month.js";

/** Published months, newest first. */
export function publishedMonths(dataFolder: string): string[] {
	requireFolder(dataFolder);
	return [...publications(dataFolder).keys()].sort().reverse();
}

/**
 * Opens a published month; null: the newest. Throws {@link BuildError} `not_published`, or FormatError for a
 * damaged month.
 */
export function openPublished(dataFolder: string, month: string | null): SnapshotFiles {
	const found = month ?? publishedMonths(dataFolder)[0];
	if (found === undefined) throw new BuildError("not_published", `no month is published in ${dataFolder}`);
	requireFolder(dataFolder);
	const folder = snapshotFolder(dataFolder, found);
	if (!isMonth(found))
		throw new BuildError("bad_month", `month is ${found}, expected YYYY-MM from 2000-01 on`);
	if (!mayExist(join(folder, CATALOG_FILE)))
		throw new BuildError("not_published", `${found} is not published in ${dataFolder}`);
	return SnapshotFiles.open(folder, mappingMode(), found);
}

/** False only if there is no such file; of one that cannot be reached, as without the right to, opening it says why. */
function mayExist(file: string): boolean {
	try {
		return statSync(file, { throwIfNoEntry: false }) !== undefined;
	} catch {
		return true;
	}
}

export interface PublishedMonth {
	readonly month: string;
	readonly rows: number;
	/** Bytes of columns, indexes and statistics. */
	readonly bytes: number;
	/** Bytes of the row store; 0 if there is none. */
	readonly row_store_bytes: number;
	/** When it was published; null without a manifest. */
	readonly built_at: string | null;
}

/** A month's entry in `builder list`. Reads headers only. */
export function describeMonth(dataFolder: string, month: string): PublishedMonth {
	return description(openPublished(dataFolder, month), readManifest(dataFolder, month));
}

/** A retired month as listed by `builder list --retired`. Throws FormatError for a damaged one. */
export function describeRetired(dataFolder: string, month: string): PublishedMonth {
	const files = SnapshotFiles.open(join(dataFolder, RETIRED_FOLDER, month));
	// The manifest of a replaced month is kept beside it.
	return description(files, readRetiredManifest(dataFolder, month) ?? readManifest(dataFolder, month));
}

/** A month as listed, from its files and manifest. */
export function description({ catalog, folder }: SnapshotFiles, manifest: Manifest | null): PublishedMonth {
	return {
		month: catalog.month,
		rows: catalog.rows,
		bytes: catalog.files.reduce((sum, file) => sum + file.bytes, 0),
		row_store_bytes: folderBytes(join(folder, ROW_STORE_FOLDER)),
		built_at: manifest?.built_at ?? null,
	};
}

function folderBytes(folder: string): number {
	if (!existsSync(folder)) return 0;
	return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Throws {@link BuildError} `missing_file` unless there is a folder at the path of a data folder. */
export function requireFolder(dataFolder: string): void {
	if (!existsSync(dataFolder))
		throw new BuildError("missing_file", "no such data folder", { file: dataFolder });
	refuseFile(dataFolder);
}

/** Throws {@link BuildError} `missing_file` if there is something else than a folder at the path of a data folder. */
export function refuseFile(dataFolder: string): void {
	if (statSync(dataFolder, { throwIfNoEntry: false })?.isDirectory() === false)
		throw new BuildError("missing_file", "is a file, not a data folder", { file: dataFolder });
}
