/**
 * Names inside a data folder.
 *
 * ```
 * snapshots/2026-11/   a published month: immutable, the same bytes for the same CSV
 * manifests/2026-11.json   when, by whom and from what the month was published
 * changes/2026-10_2026-11.DIGEST.DIGEST/   what changed from one published month to another
 * reports/2026-11.html     what its build found, for people; .json beside it for programs
 * rejects/2026-11.csv      rows of its drop that were rejected, with the reason
 * staging/             months being built; never read by a server
 * retired/2026-11/     months taken out of service
 * keys/                LMDB: keys and usage
 * ```
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMonth } from "./row-id.js";

export const SNAPSHOTS_FOLDER = "snapshots";
export const MANIFESTS_FOLDER = "manifests";
export const STAGING_FOLDER = "staging";
export const CHANGES_FOLDER = "changes";
export const RETIRED_FOLDER = "retired";
export const KEYS_FOLDER = "keys";

/** Folder of the published snapshot of `month`. */
export function snapshotFolder(dataFolder: string, month: string): string {
	return join(dataFolder, SNAPSHOTS_FOLDER, month);
}

/** Folder of the changes between two snapshots, which their digests tell apart from any built before or after. */
export function changesFolder(dataFolder: string, from: MonthOfDigest, to: MonthOfDigest): string {
	const name = `${from.month}_${to.month}.${from.digest}.${to.digest}`;
	return join(dataFolder, CHANGES_FOLDER, name);
}

/** A month and which snapshot of it. */
export interface MonthOfDigest {
	/** `YYYY-MM`. */
	readonly month: string;
	/** Eight hexadecimal digits. */
	readonly digest: string;
}

/** File of the manifest of `month`. */
export function manifestFile(dataFolder: string, month: string): string {
	return join(dataFolder, MANIFESTS_FOLDER, `${month}.json`);
}

/**
 * Published months of a data folder, each with what tells one publication from the next: the inode
 * and the time of its folder. Cost: a stat a month.
 */
export function publications(dataFolder: string): Map<string, string> {
	const folder = join(dataFolder, SNAPSHOTS_FOLDER);
	const months = new Map<string, string>();
	if (!existsSync(folder)) return months;
	for (const name of readdirSync(folder)) {
		if (!isMonth(name)) continue;
		const stat = statSync(join(folder, name), { throwIfNoEntry: false, bigint: true });
		if (stat !== undefined) months.set(name, `${stat.ino}:${stat.mtimeNs}`);
	}
	return months;
}
