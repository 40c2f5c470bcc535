/**
 * Paths inside a data folder.
 *
 * ```
 * snapshots/2026-11/   a published month: immutable, the same bytes for the same CSV
 * snapshots/2026-11.1/ a later revision of the same month; the highest revision is live
 * manifests/2026-11.json   when, by whom and from which files the month was published
 * changes/2026-10_2026-11.DIGEST.DIGEST/   the changes from one published month to another, with rows of the older
 * exports/2026-11.DIGEST/   a month's rows as files to download (exports.ts)
 * reports/2026-11.html     the report of the published or held month, with .json for programs and .md for messages
 * rejects/2026-11.csv      rejected rows of its drop, with the reason
 * reports/2026-11.unpublished.html, rejects/2026-11.unpublished.csv   those of the last build that was refused or dry
 * staging/             months being built; never read by a server
 * pulls/               months being downloaded from an object store; never read by a server
 * retired/2026-11/     months out of service, with 2026-11.json the manifest of a replaced one
 * held/2026-11/        months that wait for their release, each with its manifest as 2026-11.json; never served
 * watch/journal.ndjson what became of every drop of a watched folder
 * keys/                LMDB: keys and usage
 * ```
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isMonth } from "../domain/row-id.js";

export const SNAPSHOTS_FOLDER = "snapshots";
export const MANIFESTS_FOLDER = "manifests";
export const STAGING_FOLDER = "staging";
export const PULLS_FOLDER = "pulls";
export const CHANGES_FOLDER = "changes";
export const RETIRED_FOLDER = "retired";
export const HELD_FOLDER = "held";
export const KEYS_FOLDER = "keys";

/** Name of a published month's folder: the month and, if it was replaced, its revision. */
const REVISION = /^(\d{4}-\d{2})(?:\.(\d{1,9}))?$/;

/** Month and revision of a folder under `snapshots/`; null for any other name. */
function revisionOf(name: string): { readonly month: string; readonly revision: number } | null {
	const match = REVISION.exec(name);
	if (match === null || !isMonth(match[1])) return null;
	return { month: match[1], revision: Number(match[2] ?? 0) };
}

/** Folders of the published snapshots of `month`, the live one last. More than one during a replacement. */
export function revisionFolders(dataFolder: string, month: string): string[] {
	const folder = join(dataFolder, SNAPSHOTS_FOLDER);
	if (!existsSync(folder)) return [];
	const found = readdirSync(folder).flatMap((name) => {
		const revision = revisionOf(name);
		return revision?.month === month ? [{ name, revision: revision.revision }] : [];
	});
	return found.sort((a, b) => a.revision - b.revision).map(({ name }) => join(folder, name));
}

/** The folder name under which a snapshot of `month` becomes live. */
export function nextRevisionFolder(dataFolder: string, month: string): string {
	const live = revisionFolders(dataFolder, month).at(-1);
	const revision = live === undefined ? null : (revisionOf(basename(live))?.revision ?? 0) + 1;
	return join(dataFolder, SNAPSHOTS_FOLDER, revision === null ? month : `${month}.${revision}`);
}

/** Folder of the live snapshot of `month`; if none is published, the folder that the first one would have. */
export function snapshotFolder(dataFolder: string, month: string): string {
	return revisionFolders(dataFolder, month).at(-1) ?? join(dataFolder, SNAPSHOTS_FOLDER, month);
}

/** Folder of the changes between two snapshots. It contains their digests, so a rebuilt month has a new folder. */
export function changesFolder(dataFolder: string, from: MonthOfDigest, to: MonthOfDigest): string {
	const name = `${from.month}_${to.month}.${from.digest}.${to.digest}`;
	return join(dataFolder, CHANGES_FOLDER, name);
}

/** A snapshot, as its month and digest. */
export interface MonthOfDigest {
	/** `YYYY-MM`. */
	readonly month: string;
	/** Eight hexadecimal digits. */
	readonly digest: string;
}

/** Page with the report of the last build of `month` that was published or held. */
export function reportFile(dataFolder: string, month: string): string {
	return join(dataFolder, "reports", `${month}.html`);
}

/** File of the manifest of `month`. */
export function manifestFile(dataFolder: string, month: string): string {
	return join(dataFolder, MANIFESTS_FOLDER, `${month}.json`);
}

/**
 * Published months of a data folder, each with a stamp that changes with every publication: inode and time of
 * its folder. Cost: one stat per month.
 */
export function publications(dataFolder: string): Map<string, string> {
	const folder = join(dataFolder, SNAPSHOTS_FOLDER);
	const months = new Map<string, string>();
	if (!existsSync(folder)) return months;
	const highest = new Map<string, number>();
	for (const name of readdirSync(folder)) {
		const found = revisionOf(name);
		if (found === null || found.revision < (highest.get(found.month) ?? 0)) continue;
		const stat = statSync(join(folder, name), { throwIfNoEntry: false, bigint: true });
		if (stat === undefined) continue;
		highest.set(found.month, found.revision);
		months.set(found.month, `${stat.ino}:${stat.mtimeNs}`);
	}
	return months;
}
