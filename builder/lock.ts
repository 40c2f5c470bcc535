/**
 * The lock that lets one builder at a time write to a data folder.
 *
 * The file names its holder: process id and, where the system tells it, the moment the process
 * started, so that a lock left by a killed builder is not mistaken for that of an unrelated process
 * which later got the same id. A lock whose holder is gone is moved aside by a rename, which only one
 * of several builders can win.
 */

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { BuildError, systemErrorText } from "./errors.js";

export class BuilderLock {
	private constructor(
		private readonly path: string,
		private readonly holder: string,
	) {}

	/** Takes the lock at `path`. Throws {@link BuildError} `another_builder` or `unwritable_file`. */
	static take(path: string): BuilderLock {
		const holder = describeProcess(process.pid) ?? String(process.pid);
		if (!create(path, holder)) {
			removeDead(path);
			if (!create(path, holder)) throw atWork("another builder has just begun here", path);
		}
		return new BuilderLock(path, holder);
	}

	/** Throws {@link BuildError} `another_builder` where the lock is no longer ours. */
	requireHeld(): void {
		if (read(this.path) !== this.holder) throw atWork("another builder has taken over here", this.path);
	}

	/** Gives the lock back. */
	release(): void {
		if (read(this.path) === this.holder) rmSync(this.path, { force: true });
	}
}

function atWork(what: string, path: string): BuildError {
	return new BuildError("another_builder", what, { file: path });
}

function create(path: string, holder: string): boolean {
	try {
		writeFileSync(path, holder, { flag: "wx" });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw new BuildError("unwritable_file", systemErrorText(error), { file: path });
	}
}

/** What the lock says; null where there is none. */
function read(path: string): string | null {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
		throw error;
	}
}

/** Removes the lock of a builder that is gone; throws where it is at work. */
function removeDead(path: string): void {
	const holder = read(path);
	if (holder === null) return;
	const pid = Number.parseInt(holder, 10);
	if (isRunning(pid, holder)) throw atWork(`another builder (process ${pid}) is at work here`, path);
	const aside = `${path}.${process.pid}`;
	try {
		renameSync(path, aside);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
		throw error;
	}
	// Another builder may have removed the dead one's lock and put its own there in the meantime.
	if (read(aside) !== holder) linkSync(aside, path);
	rmSync(aside, { force: true });
}

function isRunning(pid: number, holder: string): boolean {
	// An empty file was cut off by a crash between its creation and its first byte.
	if (!Number.isInteger(pid) || pid <= 0) return false;
	const running = describeProcess(pid);
	if (running !== null) return running === holder;
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

/** `PID BOOT START` of a running process, or null where the system does not tell or there is none. */
function describeProcess(pid: number): string | null {
	try {
		const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The name, in parentheses, may hold anything; the start is the 20th field after it.
		const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
		return `${pid} ${boot} ${started}`;
	} catch {
		return null;
	}
}
