/**
 * Which changes a data folder that takes its months from a store needs no longer. A month brings the changes from and
 * to it that its pusher had, so those to a month may be there before it, and those from one that is not kept remain.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { snapshotDigest } from "../decode/snapshot-digest.js";
import { isMonth } from "../domain/row-id.js";
import { CHANGES_FOLDER, publications, RETIRED_FOLDER, snapshotFolder } from "../files/data-folder.js";
import { removeFolder } from "../files/durable.js";

const NAME = /^(\d{4}-\d{2})_(\d{4}-\d{2})\.([0-9a-f]{8})\.([0-9a-f]{8})$/;

/**
 * Removes the changes to, and from, revisions of months that are neither published nor retired here: of each month a
 * store can restore the revision that was retired last, and none before it. Changes from a month that is not here at
 * all are kept with the newer month. REQUIRES: every month of the index is published.
 */
export function removeOutdatedChanges(dataFolder: string): void {
	const folder = join(dataFolder, CHANGES_FOLDER);
	if (!existsSync(folder)) return;
	const revisions = revisionsIn(dataFolder);
	for (const name of readdirSync(folder)) {
		const [, from, to, fromDigest, toDigest] = NAME.exec(name) ?? [];
		if (from === undefined) continue;
		const older = revisions.get(from);
		const newer = revisions.get(to);
		// A snapshot that does not open may be repaired by replacing its files.
		if (older?.has(null) || newer?.has(null)) continue;
		if (newer?.has(toDigest) && older?.has(fromDigest) !== false) continue;
		removeFolder(join(folder, name));
	}
}

/** Digests of the published and the retired snapshot of each month; null for one that does not open. */
function revisionsIn(dataFolder: string): Map<string, Set<string | null>> {
	const revisions = new Map<string, Set<string | null>>();
	const retired = join(dataFolder, RETIRED_FOLDER);
	const folders = [...publications(dataFolder).keys()].map((month) => [
		month,
		snapshotFolder(dataFolder, month),
	]);
	for (const month of existsSync(retired) ? readdirSync(retired).filter(isMonth) : [])
		folders.push([month, join(retired, month)]);
	for (const [month, path] of folders)
		revisions.set(month, (revisions.get(month) ?? new Set()).add(snapshotDigest(path)));
	return revisions;
}
