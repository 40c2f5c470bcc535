/**
 * Downloads one month from a store into a data folder: verified under `pulls/`, then published by renames.
 *
 * The folder under `pulls/` is named by the month and its manifest's digest, so that an interrupted download is
 * resumed. A month is published only once every file has its digest.
 */

import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { SnapshotFiles } from "../decode/snapshot.js";
import {
	MANIFESTS_FOLDER,
	nextRevisionFolder,
	PULLS_FOLDER,
	RETIRED_FOLDER,
	revisionFolders,
	SNAPSHOTS_FOLDER,
	snapshotFolder,
} from "../files/data-folder.js";
import { makeFolder, syncPath } from "../files/durable.js";
import { moveToRetired } from "../files/retired.js";
import { hex, ROW_STORE_FOLDER } from "../layout.js";
import { ObjectStoreError } from "./errors.js";
import { digestOfFile } from "./file-digest.js";
import { readStoredManifest, type StoredManifest } from "./month-index.js";
import type { ObjectStore } from "./object-store.js";
import { type PullOptions, pullFiles, requireRoom } from "./pull-files.js";

export interface MonthOptions extends PullOptions {
	/** Whether to download the row store, which makes rendering fast and is three quarters of a month's bytes. */
	readonly rowStore: boolean;
}

/** A downloaded and verified month, not yet published. */
export interface PulledMonth {
	readonly manifest: StoredManifest;
	/** Bytes downloaded by this call. */
	readonly pulledBytes: number;
	/** Publishes it and retires the revision it replaces. Cost: a few renames. */
	publish(): void;
}

/** Downloads the month whose manifest has the given digest. Fails with {@link ObjectStoreError}. */
export async function pullMonth(
	store: ObjectStore,
	digest: string,
	dataFolder: string,
	options: MonthOptions,
): Promise<PulledMonth> {
	const manifest = await readStoredManifest(store, digest, options.signal);
	const folder = join(dataFolder, PULLS_FOLDER, `${manifest.month}.${digest.slice(0, 16)}`);
	mkdirSync(folder, { recursive: true });
	let pulledBytes = 0;
	await reuseRetired(dataFolder, folder, manifest, options.signal);
	// The older rows of changes stay with the changes, whichever month they are of.
	const rows = `${SNAPSHOTS_FOLDER}/${manifest.month}/rows/`;
	const files = manifest.files.filter(({ path }) => options.rowStore || !path.startsWith(rows));
	await requireRoom(files, folder);
	await pullFiles(store, files, folder, {
		...options,
		onBytes(bytes) {
			pulledBytes += bytes;
			options.onBytes?.(bytes);
		},
	});
	requireSnapshot(folder, manifest);
	return { manifest, pulledBytes, publish: () => publish(dataFolder, folder, manifest.month) };
}

/** Links the files of the retired month that have the digests of the manifest, so that restoring downloads little. */
async function reuseRetired(
	dataFolder: string,
	folder: string,
	{ month, files }: StoredManifest,
	signal: AbortSignal | undefined,
): Promise<void> {
	const retired = join(dataFolder, RETIRED_FOLDER, month);
	if (!existsSync(retired)) return;
	const own = `${SNAPSHOTS_FOLDER}/${month}/`;
	for (const { path, bytes, sha256 } of files.filter((file) => file.path.startsWith(own))) {
		const source = join(retired, path.slice(own.length));
		const target = join(folder, path);
		const stat = statSync(source, { throwIfNoEntry: false });
		if (stat?.size !== bytes || existsSync(target)) continue;
		if ((await digestOfFile(source, signal)) !== sha256) continue;
		mkdirSync(dirname(target), { recursive: true });
		linkSync(source, target);
	}
}

/** Opens the snapshot and compares its digest with the manifest's. */
function requireSnapshot(folder: string, { month, digest }: StoredManifest): void {
	const snapshot = SnapshotFiles.open(snapshotFolder(folder, month));
	const found = hex(snapshot.crc);
	if (found !== digest || snapshot.catalog.month !== month) {
		throw new ObjectStoreError(
			"corrupt_object",
			`the snapshot of ${month} has digest ${found}, its manifest says ${digest}`,
		);
	}
}

function publish(dataFolder: string, folder: string, month: string): void {
	for (const name of [MANIFESTS_FOLDER, SNAPSHOTS_FOLDER, RETIRED_FOLDER]) {
		makeFolder(join(dataFolder, name));
	}
	moveInto(join(folder, MANIFESTS_FOLDER), join(dataFolder, MANIFESTS_FOLDER));
	moveInto(join(folder, "changes"), join(dataFolder, "changes"));
	const replaced = revisionFolders(dataFolder, month);
	// The highest revision is live, so the month is available throughout.
	renameSync(snapshotFolder(folder, month), nextRevisionFolder(dataFolder, month));
	syncPath(join(dataFolder, SNAPSHOTS_FOLDER));
	moveToRetired(dataFolder, month, replaced);
	rmSync(folder, { recursive: true, force: true });
}

/** Retires a month, and removes an earlier retired one of the same name. */
export function retire(dataFolder: string, month: string): void {
	moveToRetired(dataFolder, month, revisionFolders(dataFolder, month));
}

/**
 * Moves a folder's entries into another folder, replacing files; entries that are folders there already stay, but for
 * stored rows that they lack: an older month brings its changes without.
 */
function moveInto(from: string, to: string): void {
	if (!existsSync(from)) return;
	makeFolder(to);
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		const [source, target] = [join(from, entry.name), join(to, entry.name)];
		if (!entry.isDirectory() || !existsSync(target)) renameSync(source, target);
		else moveMissing(join(source, ROW_STORE_FOLDER), join(target, ROW_STORE_FOLDER));
	}
	syncPath(to);
}

function moveMissing(source: string, target: string): void {
	if (!existsSync(source) || existsSync(target)) return;
	renameSync(source, target);
	syncPath(dirname(target));
}
