/**
 * Switches a published month to another snapshot of it without an interruption: the new one is renamed to a
 * higher revision, which is then live (formats/files/data-folder.ts), and the old one is moved to `retired/`, with
 * its manifest beside it.
 *
 * Invariant: a switch interrupted by a crash is completed or undone by {@link finishSwitches}: it is completed
 * if there are two revisions. REQUIRES throughout: the builder's lock is held.
 */

import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, removeFile, replaceFile, syncPath } from "../../formats/files/durable.js";
import { moveToRetired } from "../../formats/files/retired.js";
import {
	MANIFESTS_FOLDER,
	type Manifest,
	manifestFile,
	nextRevisionFolder,
	publications,
	RETIRED_FOLDER,
	revisionFolders,
	SNAPSHOTS_FOLDER,
} from "../../formats/index.js";

/** File of the manifest of a retired month that was replaced. */
export function retiredManifestFile(dataFolder: string, month: string): string {
	return join(dataFolder, RETIRED_FOLDER, `${month}.json`);
}

/** Manifest of a retired month that was replaced; null if it is missing or unreadable. */
export function readRetiredManifest(dataFolder: string, month: string): Manifest | null {
	try {
		return JSON.parse(readFileSync(retiredManifestFile(dataFolder, month), "utf8")) as Manifest;
	} catch {
		// A month that was retired without a replacement has none; the caller decides what that means.
		return null;
	}
}

/** File of the manifest that a switch will publish. */
function nextManifestFile(dataFolder: string, month: string): string {
	return join(dataFolder, MANIFESTS_FOLDER, `${month}.next.json`);
}

/**
 * Makes the snapshot in `folder` live in place of the published one, which is retired. REQUIRES: the month is
 * published, and `retired/` has no snapshot of it other than `folder`.
 */
export function switchMonth(dataFolder: string, month: string, folder: string, manifest: Manifest): void {
	const next = nextManifestFile(dataFolder, month);
	// Durable before the month is, since after a power loss the switch is finished with it.
	replaceFile(next, `${JSON.stringify(manifest, null, "\t")}\n`);
	renameSync(folder, nextRevisionFolder(dataFolder, month));
	syncPath(join(dataFolder, SNAPSHOTS_FOLDER));
	finishSwitches(dataFolder);
}

/** Completes the switches that a crash interrupted, and removes the remains of those that did not take effect. */
export function finishSwitches(dataFolder: string): void {
	for (const month of publications(dataFolder).keys()) {
		const revisions = revisionFolders(dataFolder, month);
		if (revisions.length > 1) retireRevisions(dataFolder, month, revisions.slice(0, -1));
	}
	const manifests = join(dataFolder, MANIFESTS_FOLDER);
	if (!existsSync(manifests)) return;
	for (const name of readdirSync(manifests)) {
		if (name.endsWith(".next.json")) removeFile(join(manifests, name));
	}
}

function retireRevisions(dataFolder: string, month: string, folders: readonly string[]): void {
	makeFolder(join(dataFolder, RETIRED_FOLDER));
	const current = manifestFile(dataFolder, month);
	const next = nextManifestFile(dataFolder, month);
	if (existsSync(next)) {
		if (existsSync(current)) replaceFile(retiredManifestFile(dataFolder, month), readFileSync(current));
		renameSync(next, current);
		syncPath(join(dataFolder, MANIFESTS_FOLDER));
	}
	moveToRetired(dataFolder, month, folders);
	syncPath(join(dataFolder, SNAPSHOTS_FOLDER));
}
