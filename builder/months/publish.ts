/**
 * Publishing: a month is written to a folder under `staging/`, synced, and renamed into `snapshots/`. The
 * rename is the publication: a reader sees the whole month or none of it.
 *
 * Invariants: one builder at a time holds `staging/lock`; anything else in `staging/` while the lock is free
 * was left by a builder that crashed, and the next one removes it.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, removeRemnants, replaceFile, syncPath } from "../../formats/files/durable.js";
import {
	CHANGES_FOLDER,
	EXPORTS_FOLDER,
	HELD_FOLDER,
	isMonth,
	MANIFESTS_FOLDER,
	type Manifest,
	manifestFile,
	RETIRED_FOLDER,
	SNAPSHOTS_FOLDER,
	STAGING_FOLDER,
	snapshotFolder,
} from "../../formats/index.js";
import { asBuildError, BuildError, systemErrorText } from "../errors.js";
import { refuseFile } from "../published-months.js";
import { FLAG_NAMES, type SettingNames } from "../setting-names.js";
import { BuilderLock } from "./lock.js";
import { finishSwitches, switchMonth } from "./switch-month.js";

const LOCK_FILE = "lock";

/** The purpose of a staged month: publish it, or replace the published one. A dry run is refused where these are. */
export type StagingPurpose = "publish" | "replace";

/** A builder's exclusive lock on a data folder, with an empty folder to write a month to. */
export class Staging {
	private constructor(
		private readonly dataFolder: string,
		/** Folder that the month is written to; its name is unique among builders. */
		readonly folder: string,
		private readonly lock: BuilderLock,
		private readonly purpose: StagingPurpose,
	) {}

	/**
	 * Takes the lock, removes what a crashed builder left, and creates the folder. `names`: how errors name settings.
	 * Throws {@link BuildError} `another_builder`, `already_published`, `not_published` or `unwritable_file`.
	 */
	static open(
		dataFolder: string,
		month: string,
		purpose: StagingPurpose = "publish",
		names: SettingNames = FLAG_NAMES,
	): Staging {
		const root = join(dataFolder, STAGING_FOLDER);
		try {
			refuseFile(dataFolder);
			for (const folder of [SNAPSHOTS_FOLDER, MANIFESTS_FOLDER, STAGING_FOLDER]) {
				makeFolder(join(dataFolder, folder));
			}
		} catch (error) {
			if (error instanceof BuildError) throw error;
			throw new BuildError("unwritable_file", systemErrorText(error), { file: dataFolder });
		}
		const lock = BuilderLock.take(join(root, LOCK_FILE));
		const staging = new Staging(dataFolder, join(root, `${month}-${process.pid}`), lock, purpose);
		try {
			removeLeftovers(dataFolder);
			requirePublishable(dataFolder, month, purpose === "replace", names);
			mkdirSync(staging.folder);
		} catch (error) {
			staging.close();
			throw error;
		}
		return staging;
	}

	/** Publishes the folder as the month, replacing the published one if that is the purpose. */
	publish(manifest: Manifest): void {
		this.lock.requireHeld();
		publishStaged(this.dataFolder, this.folder, manifest, this.purpose === "replace");
	}

	/** Throws {@link BuildError} `another_builder` unless the lock is still held. */
	requireHeld(): void {
		this.lock.requireHeld();
	}

	/** Removes the rest of the folder and releases the lock. */
	close(): void {
		rmSync(this.folder, { recursive: true, force: true });
		this.lock.release();
	}
}

/**
 * Publishes the finished snapshot in `folder` by one rename, replacing the published one if `replace`.
 * REQUIRES: the builder's lock is held and {@link requirePublishable}.
 */
export function publishStaged(
	dataFolder: string,
	folder: string,
	manifest: Manifest,
	replace: boolean,
): void {
	if (replace) {
		switchMonth(dataFolder, manifest.month, folder, manifest);
		return;
	}
	writeManifest(dataFolder, manifest);
	const target = snapshotFolder(dataFolder, manifest.month);
	renameSync(folder, target);
	syncPath(dirname(target));
}

/** Throws {@link BuildError} `already_published` or `not_published` if `month` cannot be published in this way. */
export function requirePublishable(
	dataFolder: string,
	month: string,
	replace: boolean,
	names: SettingNames = FLAG_NAMES,
): void {
	if (replace) requireReplaceable(dataFolder, month, names);
	else requireUnpublished(dataFolder, month, names);
}

/**
 * Runs `act` while no other builder writes to the data folder, to change published months without building one.
 * Throws {@link BuildError} `another_builder`, and `unwritable_file` for what the file system refuses.
 */
export async function whileLocked<T>(dataFolder: string, act: () => T | Promise<T>): Promise<T> {
	const root = join(dataFolder, STAGING_FOLDER);
	if (!existsSync(dataFolder))
		throw new BuildError("missing_file", "no such data folder", { file: dataFolder });
	makeFolder(root);
	const lock = BuilderLock.take(join(root, LOCK_FILE));
	try {
		finishInterrupted(dataFolder);
		return await act();
	} catch (error) {
		throw asBuildError(error, dataFolder);
	} finally {
		lock.release();
	}
}

/** Removes what crashed builders left: incomplete months, and manifests of months that were not published. */
function removeLeftovers(dataFolder: string): void {
	finishInterrupted(dataFolder);
	const staging = join(dataFolder, STAGING_FOLDER);
	for (const name of readdirSync(staging)) {
		if (name !== LOCK_FILE) rmSync(join(staging, name), { recursive: true, force: true });
	}
	const manifests = join(dataFolder, MANIFESTS_FOLDER);
	for (const name of readdirSync(manifests)) {
		const month = name.slice(0, "YYYY-MM".length);
		if (name === `${month}.json` && existsAnywhere(dataFolder, month)) continue;
		if (isMonth(month)) rmSync(join(manifests, name), { force: true });
	}
}

/** Finishes the switches and removals that a crash cut short. */
function finishInterrupted(dataFolder: string): void {
	finishSwitches(dataFolder);
	for (const name of [RETIRED_FOLDER, HELD_FOLDER, CHANGES_FOLDER, EXPORTS_FOLDER])
		removeRemnants(join(dataFolder, name));
}

function existsAnywhere(dataFolder: string, month: string): boolean {
	return existsSync(snapshotFolder(dataFolder, month)) || existsSync(join(dataFolder, RETIRED_FOLDER, month));
}

function requireUnpublished(dataFolder: string, month: string, { replace }: SettingNames): void {
	const published = snapshotFolder(dataFolder, month);
	if (existsSync(published)) {
		throw new BuildError(
			"already_published",
			`${month} is already published; ${replace} builds in its place`,
			{
				file: published,
			},
		);
	}
	const retired = join(dataFolder, RETIRED_FOLDER, month);
	if (existsSync(retired)) {
		throw new BuildError("already_published", `${month} is retired; restore or prune it first`, {
			file: retired,
		});
	}
}

function requireReplaceable(dataFolder: string, month: string, { replace, merge }: SettingNames): void {
	if (!existsSync(snapshotFolder(dataFolder, month))) {
		throw new BuildError(
			"not_published",
			`${month} is not published: build it without ${replace} or ${merge}`,
		);
	}
	const retired = join(dataFolder, RETIRED_FOLDER, month);
	if (existsSync(retired)) {
		throw new BuildError(
			"already_published",
			`an earlier ${month} is still retired; prune ${month} first, which deletes the replaced one for good`,
			{
				file: retired,
			},
		);
	}
}

/** Writes the manifest, durably. */
function writeManifest(dataFolder: string, manifest: Manifest): void {
	replaceFile(manifestFile(dataFolder, manifest.month), `${JSON.stringify(manifest, null, "\t")}\n`);
}
