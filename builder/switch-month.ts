/**
 * Switching a published month to another snapshot of it, with no moment without the month: the other is
 * renamed to a higher revision, which is live from then on (formats/data-folder.ts), and the one before
 * is moved to `retired/`, its manifest beside it.
 *
 * Invariant: a switch that a crash cuts short is finished, or undone, by {@link finishSwitches}: it is done
 * once there are two revisions. REQUIRES throughout: the builder's lock is held.
 */

import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { syncPath } from "../formats/durable.js";
import {
	MANIFESTS_FOLDER,
	type Manifest,
	manifestFile,
	nextRevisionFolder,
	publications,
	RETIRED_FOLDER,
	revisionFolders,
	SNAPSHOTS_FOLDER,
} from "../formats/index.js";
import { moveToRetired } from "../formats/retired.js";

/** File of the manifest of a retired month that a live one replaced. */
export function retiredManifestFile(dataFolder: string, month: string): string {
	return join(dataFolder, RETIRED_FOLDER, `${month}.json`);
}

/** Manifest of a retired month that a live one replaced; null where it is missing or unreadable. */
export function readRetiredManifest(dataFolder: string, month: string): Manifest | null {
	try {
		return JSON.parse(readFileSync(retiredManifestFile(dataFolder, month), "utf8")) as Manifest;
	} catch {
		// A month that was retired by itself has none; the caller decides what that means.
		return null;
	}
}

/** File of the manifest that a switch is about to put in place. */
function nextManifestFile(dataFolder: string, month: string): string {
	return join(dataFolder, MANIFESTS_FOLDER, `${month}.next.json`);
}

/**
 * Makes the snapshot in `folder` live in place of the published one, which is retired. REQUIRES: the month
 * is published, and `retired/` holds none of it but, at most, `folder` itself.
 */
export function switchMonth(dataFolder: string, month: string, folder: string, manifest: Manifest): void {
	const next = nextManifestFile(dataFolder, month);
	writeFileSync(next, `${JSON.stringify(manifest, null, "\t")}\n`);
	syncPath(next);
	renameSync(folder, nextRevisionFolder(dataFolder, month));
	syncPath(join(dataFolder, SNAPSHOTS_FOLDER));
	finishSwitches(dataFolder);
}

/** Finishes the switches that a crash cut short, and removes what is left of those that did not happen. */
export function finishSwitches(dataFolder: string): void {
	for (const month of publications(dataFolder).keys()) {
		const revisions = revisionFolders(dataFolder, month);
		if (revisions.length > 1) retireRevisions(dataFolder, month, revisions.slice(0, -1));
	}
	const manifests = join(dataFolder, MANIFESTS_FOLDER);
	if (!existsSync(manifests)) return;
	for (const name of readdirSync(manifests)) {
		if (name.endsWith(".next.json")) rmSync(join(manifests, name), { force: true });
	}
}

function retireRevisions(dataFolder: string, month: string, folders: readonly string[]): void {
	mkdirSync(join(dataFolder, RETIRED_FOLDER), { recursive: true });
	const current = manifestFile(dataFolder, month);
	const next = nextManifestFile(dataFolder, month);
	if (existsSync(next)) {
		if (existsSync(current)) copyFileSync(current, retiredManifestFile(dataFolder, month));
		renameSync(next, current);
		syncPath(join(dataFolder, MANIFESTS_FOLDER));
	}
	moveToRetired(dataFolder, month, folders);
	syncPath(join(dataFolder, SNAPSHOTS_FOLDER));
}
