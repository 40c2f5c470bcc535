/**
 * Which changes of keys each serving thread has applied: a file `seen.PID.THREAD` in the folder of keys
 * contains the newest generation that the thread has applied, as 16 digits. Commands that change keys wait for
 * it, so a change is in effect once they have printed their result.
 *
 * Invariants:
 * - A thread creates its file before it first reads keys, so a thread without one has read every earlier
 *   change.
 * - The file is overwritten in place through an open descriptor: confirming needs neither a free descriptor nor
 *   free disk space.
 */

import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runningServers } from "./presence.js";

const NAME = /^seen\.(\d+)\.\d+$/;
const DIGITS = 16;
/** How often a waiting command polls, in milliseconds. */
const POLL_MS = 5;

/** The file of one thread. */
export class Acknowledgement {
	private readonly path: string;
	private file: number | null;

	/** Creates the file of `thread` (unique within the process) in the folder `path`. Throws system errors. */
	constructor(path: string, thread: number) {
		this.path = join(path, `seen.${process.pid}.${thread}`);
		this.file = openSync(this.path, "w", 0o600);
		this.write(0);
	}

	/** Confirms every change up to `generation`. Throws system errors. */
	write(generation: number): void {
		if (this.file !== null) writeSync(this.file, String(generation).padStart(DIGITS, "0"), 0);
	}

	/** Removes the file. */
	close(): void {
		if (this.file === null) return;
		closeSync(this.file);
		this.file = null;
		rmSync(this.path, { force: true });
	}
}

/**
 * Waits until every running server of the folder `path` has applied `generation`, at most `timeoutMs`.
 * Returns the process ids of those that have not.
 */
export async function awaitAcknowledgement(
	path: string,
	generation: number,
	timeoutMs: number,
): Promise<number[]> {
	const deadlineMs = performance.now() + timeoutMs;
	for (;;) {
		const behind = serversBehind(path, generation);
		if (behind.length === 0 || performance.now() >= deadlineMs) return behind;
		await delay(POLL_MS);
	}
}

/** Process ids with a thread that has not applied `generation`; removes files of processes that ended. */
function serversBehind(path: string, generation: number): number[] {
	const servers = new Map<number, boolean>(runningServers(path).map((pid) => [pid, false]));
	const behind = new Set<number>();
	for (const name of readdirSync(path)) {
		const pid = Number(NAME.exec(name)?.[1] ?? 0);
		if (pid === 0) continue;
		if (!servers.has(pid)) {
			rmSync(join(path, name), { force: true });
			continue;
		}
		servers.set(pid, true);
		if (generationIn(join(path, name)) < generation) behind.add(pid);
	}
	// A server without any file failed to create one, and cannot confirm.
	for (const [pid, hasFile] of servers) if (!hasFile) behind.add(pid);
	return [...behind];
}

function generationIn(path: string): number {
	try {
		return Number(readFileSync(path, "latin1"));
	} catch (error) {
		// The thread ended after the folder was listed.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return Number.POSITIVE_INFINITY;
		throw error;
	}
}
