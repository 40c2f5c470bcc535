/**
 * Taking published months out of service and restoring them. A retired month is kept whole under `retired/`;
 * each direction is one rename, so a reader sees the month or does not.
 */

import { existsSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, removeFile, removeFolder, syncPath } from "../../formats/files/durable.js";
import {
	isMonth,
	type Manifest,
	manifestFile,
	publishRetainingRows,
	RETIRED_FOLDER,
	snapshotFolder,
} from "../../formats/index.js";
import { BuildError } from "../errors.js";
import { readRetiredManifest, retiredManifestFile, switchMonth } from "./switch-month.js";

/** Folder of the retired snapshot of `month`. */
export function retiredFolder(dataFolder: string, month: string): string {
	return join(dataFolder, RETIRED_FOLDER, month);
}

/** Retired months, newest first. */
export function retiredMonths(dataFolder: string): string[] {
	const folder = join(dataFolder, RETIRED_FOLDER);
	return existsSync(folder) ? readdirSync(folder).filter(isMonth).sort().reverse() : [];
}

/**
 * Takes a published month out of service. Throws {@link BuildError} `not_published`, or `already_published` where the
 * month that it replaced is retired still.
 */
export function retireMonth(dataFolder: string, month: string): void {
	const from = snapshotFolder(dataFolder, month);
	if (!isMonth(month) || !existsSync(from)) {
		throw new BuildError("not_published", `${month} is not published in ${dataFolder}`);
	}
	const to = retiredFolder(dataFolder, month);
	if (existsSync(to)) {
		throw new BuildError(
			"already_published",
			`an earlier ${month} is retired already; prune ${month} first, which deletes that one for good, or restore ${month}, which serves it again`,
			{ file: to },
		);
	}
	moveMonth(from, to);
}

/** Restores a retired month. Throws {@link BuildError} `not_retired` or `already_published`. */
export function restoreMonth(dataFolder: string, month: string): void {
	const from = retiredFolder(dataFolder, month);
	requireRetired(dataFolder, month);
	const to = snapshotFolder(dataFolder, month);
	if (!existsSync(to)) {
		publishRetainingRows(dataFolder, false, () => moveMonth(from, to));
		return;
	}
	// The retired month was replaced: the two are exchanged.
	const manifest = readReplacedManifest(dataFolder, month);
	switchMonth(dataFolder, month, from, manifest);
}

/** Deletes a retired month and its manifest permanently. Throws {@link BuildError} `not_retired`. */
export function pruneMonth(dataFolder: string, month: string): void {
	requireRetired(dataFolder, month);
	removeFolder(retiredFolder(dataFolder, month));
	removeFile(retiredManifestFile(dataFolder, month));
	if (!existsSync(snapshotFolder(dataFolder, month))) removeFile(manifestFile(dataFolder, month));
}

/**
 * The manifest of a retired month that was replaced. Throws {@link BuildError} `already_published` if there is
 * none.
 */
function readReplacedManifest(dataFolder: string, month: string): Manifest {
	const manifest = readRetiredManifest(dataFolder, month);
	if (manifest !== null) return manifest;
	const rule = `${month} is already published, and the retired one has no manifest`;
	throw new BuildError("already_published", rule, { file: retiredManifestFile(dataFolder, month) });
}

/** Throws {@link BuildError} `not_retired` unless the month is. */
export function requireRetired(dataFolder: string, month: string): void {
	if (isMonth(month) && existsSync(retiredFolder(dataFolder, month))) return;
	throw new BuildError("not_retired", `${month} is not retired in ${dataFolder}`);
}

/** REQUIRES: there is nothing at `to`. */
function moveMonth(from: string, to: string): void {
	makeFolder(dirname(to));
	renameSync(from, to);
	syncPath(dirname(from));
	syncPath(dirname(to));
}
