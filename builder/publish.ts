/**
 * Publishing: a month is written aside under `staging/`, synced, and renamed into `snapshots/`.
 * The rename is the publication: a reader sees the whole month or none of it.
 *
 * Invariants: one builder at a time holds `staging/lock`; whatever else lies in `staging/` while
 * the lock is free was left by a builder that died, and the next one removes it.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
	MANIFESTS_FOLDER,
	type Manifest,
	manifestFile,
	RETIRED_FOLDER,
	SNAPSHOTS_FOLDER,
	STAGING_FOLDER,
	snapshotFolder,
} from "../formats/index.js";
import { syncPath } from "./durable.js";
import { BuildError, systemErrorText } from "./errors.js";

const LOCK_FILE = "lock";

/** A builder's exclusive hold on a data folder, with an empty folder to write a month to. */
export class Staging {
	/** Folder that the month is written to. */
	readonly folder: string;
	private readonly root: string;

	private constructor(
		private readonly dataFolder: string,
		private readonly month: string,
	) {
		this.root = join(dataFolder, STAGING_FOLDER);
		this.folder = join(this.root, month);
	}

	/**
	 * Takes the lock, removes what a dead builder left, and makes the folder. Throws
	 * {@link BuildError} `another_builder`, `already_published` or `unwritable_file`.
	 */
	static open(dataFolder: string, month: string): Staging {
		const staging = new Staging(dataFolder, month);
		try {
			for (const folder of [SNAPSHOTS_FOLDER, MANIFESTS_FOLDER, STAGING_FOLDER]) {
				mkdirSync(join(dataFolder, folder), { recursive: true });
			}
		} catch (error) {
			throw new BuildError("unwritable_file", systemErrorText(error), { file: dataFolder });
		}
		staging.lock();
		try {
			requireUnpublished(dataFolder, month);
			mkdirSync(staging.folder);
		} catch (error) {
			staging.close();
			throw error;
		}
		return staging;
	}

	/** Publishes the folder as the month. */
	publish(manifest: Manifest): void {
		writeManifest(this.dataFolder, manifest);
		const target = snapshotFolder(this.dataFolder, this.month);
		renameSync(this.folder, target);
		syncPath(dirname(target));
	}

	/** Removes what is left of the folder and gives back the lock. */
	close(): void {
		rmSync(this.folder, { recursive: true, force: true });
		rmSync(join(this.root, LOCK_FILE), { force: true });
	}

	private lock(): void {
		const path = join(this.root, LOCK_FILE);
		if (!createLock(path)) {
			const holder = Number(readFileSync(path, "utf8"));
			if (isRunning(holder)) {
				throw new BuildError("another_builder", `another builder (process ${holder}) is at work here`, {
					file: path,
				});
			}
			rmSync(path, { force: true });
			if (!createLock(path))
				throw new BuildError("another_builder", "another builder has just begun here", { file: path });
		}
		for (const name of readdirSync(this.root)) {
			if (name !== LOCK_FILE) rmSync(join(this.root, name), { recursive: true, force: true });
		}
	}
}

function createLock(path: string): boolean {
	try {
		writeFileSync(path, String(process.pid), { flag: "wx" });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw new BuildError("unwritable_file", systemErrorText(error), { file: path });
	}
}

function isRunning(pid: number): boolean {
	if (!Number.isInteger(pid) || pid <= 0) return false;
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

function requireUnpublished(dataFolder: string, month: string): void {
	const published = snapshotFolder(dataFolder, month);
	if (existsSync(published)) {
		throw new BuildError("already_published", `${month} is already published; retire it first`, {
			file: published,
		});
	}
	const retired = join(dataFolder, RETIRED_FOLDER, month);
	if (existsSync(retired)) {
		throw new BuildError("already_published", `${month} is retired; restore or prune it first`, {
			file: retired,
		});
	}
}

/** Writes the manifest aside and renames it into place. */
export function writeManifest(dataFolder: string, manifest: Manifest): void {
	const path = manifestFile(dataFolder, manifest.month);
	const aside = `${path}.${process.pid}`;
	writeFileSync(aside, `${JSON.stringify(manifest, null, "\t")}\n`);
	syncPath(aside);
	renameSync(aside, path);
	syncPath(dirname(path));
}
