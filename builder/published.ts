/** The months of a data folder as the builder's commands see them. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
	CATALOG_FILE,
	isMonth,
	publications,
	ROW_STORE_FOLDER,
	readManifest,
	SnapshotFiles,
	snapshotFolder,
} from "../formats/index.js";
import { BuildError } from "./errors.js";

/** Published months, newest first. */
export function publishedMonths(dataFolder: string): string[] {
	requireFolder(dataFolder);
	return [...publications(dataFolder).keys()].sort().reverse();
}

/** Opens a published month. Throws {@link BuildError} `not_published`, or FormatError for a damaged one. */
export function openPublished(dataFolder: string, month: string): SnapshotFiles {
	requireFolder(dataFolder);
	const folder = snapshotFolder(dataFolder, month);
	if (!isMonth(month))
		throw new BuildError("bad_month", `month is ${month}, expected YYYY-MM from 2000-01 on`);
	if (!existsSync(join(folder, CATALOG_FILE))) {
		throw new BuildError("not_published", `${month} is not published in ${dataFolder}`);
	}
	return SnapshotFiles.open(folder);
}

export interface PublishedMonth {
	readonly month: string;
	readonly rows: number;
	/** Bytes of columns, indexes and statistics. */
	readonly bytes: number;
	/** Bytes of the row store; 0 where there is none. */
	readonly row_store_bytes: number;
	/** When it was published; null where its manifest is gone. */
	readonly built_at: string | null;
}

/** What `builder list` tells of a month. Reads headers only. */
export function describeMonth(dataFolder: string, month: string): PublishedMonth {
	const { catalog, folder } = openPublished(dataFolder, month);
	return {
		month,
		rows: catalog.rows,
		bytes: catalog.files.reduce((sum, file) => sum + file.bytes, 0),
		row_store_bytes: folderBytes(join(folder, ROW_STORE_FOLDER)),
		built_at: readManifest(dataFolder, month)?.built_at ?? null,
	};
}

function folderBytes(folder: string): number {
	if (!existsSync(folder)) return 0;
	return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function requireFolder(dataFolder: string): void {
	if (!existsSync(dataFolder))
		throw new BuildError("missing_file", "no such data folder", { file: dataFolder });
}
