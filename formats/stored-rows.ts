/**
 * Retention of stored rows. They take two thirds of the space of the rest of a month, and most requests are for the
 * newest month; so by default it alone has them, and older months are rendered from their columns. They may be dropped
 * or added at any time. With them go the rows of the month before that are stored with the changes.
 *
 * Invariant: a row store disappears by one rename out of the month's folder, which changes the stamp of the
 * publication ({@link publications}), so that readers open the month again without it.
 */

import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CHANGES_FOLDER, publications, RETIRED_FOLDER, snapshotFolder } from "./files/data-folder.js";
import { makeFolder, remnantName, syncPath } from "./files/durable.js";
import { ROW_STORE_FOLDER } from "./layout.js";

/** Newest published month; null: none is published. Cost: one stat per month. */
export function newestPublished(dataFolder: string): string | null {
	return [...publications(dataFolder).keys()].sort().at(-1) ?? null;
}

/** Whether a published month has stored rows. */
export function hasStoredRows(dataFolder: string, month: string): boolean {
	return existsSync(join(snapshotFolder(dataFolder, month), ROW_STORE_FOLDER));
}

/**
 * Runs `publish`. If it publishes a month newer than all others, and unless `keepOlder`, the stored rows of the month
 * that was newest before are dropped; that month is returned, else null. Rows that were added to a month
 * that was not the newest any more are kept. REQUIRES: the builder's lock is held, or no builder writes here.
 */
export function publishRetainingRows(
	dataFolder: string,
	keepOlder: boolean,
	publish: () => void,
): string | null {
	const before = newestPublished(dataFolder);
	publish();
	if (keepOlder || before === null || newestPublished(dataFolder) === before) return null;
	return dropStoredRows(dataFolder, before) ? before : null;
}

/**
 * Deletes the stored rows of a published month, and those stored with the changes to it, which serve beside them;
 * false if the month has none. Durable; what a crash leaves in `retired/` is removed by the next builder.
 */
export function dropStoredRows(dataFolder: string, month: string): boolean {
	for (const name of changesTo(dataFolder, month))
		dropRowsIn(dataFolder, join(dataFolder, CHANGES_FOLDER, name), name);
	return dropRowsIn(dataFolder, snapshotFolder(dataFolder, month), month);
}

/** Names of the folders of changes to a month. */
function changesTo(dataFolder: string, month: string): string[] {
	const folder = join(dataFolder, CHANGES_FOLDER);
	if (!existsSync(folder)) return [];
	return readdirSync(folder).filter((name) => name.split(".", 1)[0].endsWith(`_${month}`));
}

/** Deletes the rows in `folder`; false if there are none. `name`: distinguishes folders. */
function dropRowsIn(dataFolder: string, folder: string, name: string): boolean {
	const rows = join(folder, ROW_STORE_FOLDER);
	if (!existsSync(rows)) return false;
	const retired = join(dataFolder, RETIRED_FOLDER);
	makeFolder(retired);
	const removed = join(retired, remnantName(`rows-${name}`));
	rmSync(removed, { recursive: true, force: true });
	renameSync(rows, removed);
	// Before files are deleted: a power loss must not leave the folder under its name with some of them.
	syncPath(folder);
	syncPath(retired);
	rmSync(removed, { recursive: true });
	return true;
}
