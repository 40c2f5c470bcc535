/**
 * The lock that lets one builder at a time write to a data folder.
 *
 * The file identifies its holder by process id, boot and start time (formats/files/process-identity.ts), so that the
 * lock of a killed builder is not attributed to an unrelated process with the same id. A lock whose holder has
 * ended is renamed away, which succeeds for only one of several builders.
 */

import {
	closeSync,
	linkSync,
	lstatSync,
	openSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { describeThisProcess, isRunning } from "../../formats/files/process-identity.js";
import { BuildError, systemErrorText } from "../errors.js";

export class BuilderLock {
	private constructor(
		private readonly path: string,
		private readonly holder: string,
	) {}

	/** Takes the lock at `path`. `kind`: what its holders are, for messages. Throws {@link BuildError} `another_builder` or `unwritable_file`. */
	static take(path: string, kind: "builder" | "watcher" = "builder"): BuilderLock {
		const holder = describeThisProcess();
		if (!create(path, holder)) {
			removeDead(path, kind);
			if (!create(path, holder)) throw inUse(`another ${kind} has just started`, path);
		}
		return new BuilderLock(path, holder);
	}

	/** Throws {@link BuildError} `another_builder` unless this process still holds the lock. */
	requireHeld(): void {
		if (read(this.path) !== this.holder) throw inUse("another builder has taken the lock", this.path);
	}

	/** Releases the lock if this process still holds it. */
	release(): void {
		if (read(this.path) === this.holder) rmSync(this.path, { force: true });
	}
}

function inUse(what: string, path: string): BuildError {
	return new BuildError("another_builder", what, { file: path });
}

/** Codes of errors of a full disk. */
const FULL: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/**
 * Creates the lock; false if there is one. On a full disk it is a symbolic link whose target is the holder, which takes
 * no block, so that months can be deleted there.
 */
function create(path: string, holder: string): boolean {
	try {
		writeNew(path, holder);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw new BuildError("unwritable_file", systemErrorText(error), { file: path });
	}
}

function writeNew(path: string, holder: string): void {
	const descriptor = openSync(path, "wx");
	try {
		writeFileSync(descriptor, holder);
	} catch (error) {
		rmSync(path);
		if (!FULL.includes((error as NodeJS.ErrnoException).code)) throw error;
		symlinkSync(holder, path);
	} finally {
		closeSync(descriptor);
	}
}

/** The holder named in the lock; null if there is no lock. */
function read(path: string): string | null {
	try {
		const isLink = lstatSync(path).isSymbolicLink();
		return isLink ? readlinkSync(path) : readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
		throw error;
	}
}

/** Removes the lock of a builder that has ended; throws if it is running. */
function removeDead(path: string, kind: string): void {
	const holder = read(path);
	if (holder === null) return;
	const pid = Number.parseInt(holder, 10);
	// An empty file was left by a crash between its creation and its first byte.
	const isNamed = Number.isInteger(pid) && pid > 0;
	if (isNamed && isRunning(pid, (identity) => identity === holder))
		throw inUse(`another ${kind} (process ${pid}) is running`, path);
	const aside = `${path}.${process.pid}`;
	try {
		renameSync(path, aside);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
		throw error;
	}
	// Another builder may have replaced the dead lock by its own in the meantime: put that back.
	if (read(aside) !== holder) linkSync(aside, path);
	rmSync(aside, { force: true });
}
