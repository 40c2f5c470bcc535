/**
 * Lets one thread of one process at a time open the store, commit to it, or close it.
 *
 * LMDB serialises writers, but not an open with a commit or a close. A process that opens a database
 * reads the number of its newest commit from the file and then writes it where all writers look for
 * it; a commit in between is forgotten, and the next one overwrites it. The last process to close it
 * destroys the locks that one just opening has already found. (LMDB issues ITS#9496 and ITS#9278,
 * mended there in 0.9.29 and 0.9.32, but not in the copy within lmdb.)
 *
 * Invariants: the lock is a note (note.ts) made in one step with the name of its holder, which takes no
 * room on a full disk; every hold has a name of its own; a lock whose process is gone,
 * or that has not changed for {@link ABANDONED_MS}, is taken away by one of those who wait, so that
 * no process waits forever.
 */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { describeThisProcess, isRunning } from "../../formats/index.js";
import { makeNote, readNote } from "./note.js";

/** What the lock is called in the folder of keys. */
export const TURNSTILE = "turn";

/** How long one hold may last, in milliseconds: most last a few, those on a slow disk some hundred. */
const ABANDONED_MS = 20_000;
/** Pauses between looks at a lock that another has, in milliseconds: doubled from the first to the last. */
const PAUSE_MS = { first: 1, last: 16 } as const;

/** The folders that this thread holds, and the last of those in it that wait for their turn. */
const heldHere = new Set<string>();
const queues = new Map<string, Promise<void>>();
let holds = 0;
let thisProcess: string | null = null;

/**
 * Runs `work` alone, waiting in this thread. Where this thread is amid a commit to the same store, that
 * is open already and LMDB opens nothing anew: then there is nothing to wait for. Errors: those of
 * `work` and of the file system.
 */
export function takeTurnSync<T>(folder: string, work: () => T): T {
	if (heldHere.has(folder)) return work();
	const wait = new Wait(folder);
	const pause = new Int32Array(new SharedArrayBuffer(4));
	while (!wait.take()) Atomics.wait(pause, 0, 0, wait.pauseMs());
	try {
		return work();
	} finally {
		wait.release();
	}
}

/** Runs `work` alone, after those of this thread that came before. Errors: those of `work` and of the file system. */
export async function takeTurn<T>(folder: string, work: () => Promise<T>): Promise<T> {
	const before = queues.get(folder);
	let leave = (): void => undefined;
	const mine = new Promise<void>((resolve) => {
		leave = resolve;
	});
	queues.set(folder, mine);
	await before;
	try {
		return await hold(folder, work);
	} finally {
		if (queues.get(folder) === mine) queues.delete(folder);
		leave();
	}
}

async function hold<T>(folder: string, work: () => Promise<T>): Promise<T> {
	const wait = new Wait(folder);
	while (!wait.take()) await delay(wait.pauseMs());
	heldHere.add(folder);
	try {
		return await work();
	} finally {
		heldHere.delete(folder);
		wait.release();
	}
}

/** One wait for the lock of one folder, and the hold that it ends in. */
class Wait {
	private readonly path: string;
	private readonly name: string;
	private readonly lock = new Sighting();
	private readonly removal = new Sighting();
	private nextPauseMs: number = PAUSE_MS.first;

	constructor(folder: string) {
		this.path = join(folder, TURNSTILE);
		this.name = `${processName()}.${threadId}.${++holds}`;
	}

	/** Whether the lock is ours now; removes an abandoned one. */
	take(): boolean {
		if (makeNote(this.path, this.name)) return true;
		const holder = readNote(this.path);
		if (holder === null || !this.lock.abandoned(holder)) return false;
		this.remove(holder);
		return makeNote(this.path, this.name);
	}

	/** How long to wait until the next try, in milliseconds. */
	pauseMs(): number {
		const pauseMs = this.nextPauseMs;
		this.nextPauseMs = Math.min(2 * pauseMs, PAUSE_MS.last);
		return pauseMs;
	}

	release(): void {
		// Not ours any more where the folder was moved, or another took it for abandoned.
		if (readNote(this.path) === this.name) rmSync(this.path, { force: true });
	}

	/** Of several who find the lock of `holder` abandoned, one removes it, and never the next one's. */
	private remove(holder: string): void {
		const removing = `${this.path}.removing`;
		if (makeNote(removing, this.name)) {
			if (readNote(this.path) === holder) rmSync(this.path, { force: true });
			rmSync(removing, { force: true });
			return;
		}
		const remover = readNote(removing);
		if (remover !== null && this.removal.abandoned(remover)) rmSync(removing, { force: true });
	}
}

/** Whose lock was seen, and since when. */
class Sighting {
	private name = "";
	private sinceMs = 0;

	/** Whether the holder `name`, seen just now, will not give the lock back. */
	abandoned(name: string): boolean {
		const nowMs = performance.now();
		if (name !== this.name) {
			this.name = name;
			this.sinceMs = nowMs;
		}
		return nowMs - this.sinceMs > ABANDONED_MS || isGone(name);
	}
}

/** Whether the process of the holder `name` is known to have ended. */
function isGone(name: string): boolean {
	const [pid, space, digest] = name.split(".");
	// In another container ids mean other processes.
	if (space !== processSpace()) return false;
	return !isRunning(Number(pid), (description) => digestOf(description) === digest);
}

/** Names this process in less than the 60 bytes that a file system keeps beside the name of a link. */
function processName(): string {
	thisProcess ??= `${process.pid}.${processSpace()}.${digestOf(describeThisProcess())}`;
	return thisProcess;
}

function digestOf(description: string): string {
	return createHash("sha256").update(description).digest("hex").slice(0, 12);
}

/** Within what process ids are unique; empty where the system does not report it. */
function processSpace(): string {
	return (readNote("/proc/self/ns/pid") ?? "").replaceAll(/\D/g, "");
}
