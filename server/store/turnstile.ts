/**
 * Lets one thread of one process at a time open the store, commit to it, or close it.
 *
 * LMDB serialises writers, but not opening with commits or closes. A process that opens a database reads the
 * number of its newest commit from the file and then publishes it to all writers; a commit in between is
 * forgotten, and the next one overwrites it. The last process to close a database destroys the locks that a
 * process just opening it has already found. (LMDB issues ITS#9496 and ITS#9278, fixed there in 0.9.29 and
 * 0.9.32, but not in the copy within lmdb.)
 *
 * Invariants: the lock is a note (note.ts) created atomically with the name of its holder, which needs no free
 * disk space; every hold has a unique name; a lock whose process has ended, or that has not changed for {@link
 * ABANDONED_MS}, is removed by one of the waiting processes, so that no process waits forever.
 */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { describeThisProcess, isRunning } from "../../formats/index.js";
import { makeNote, readNote } from "./note.js";

/** Name of the lock in the folder of keys. */
export const TURNSTILE = "turn";

/** Maximum duration of one hold, in milliseconds: most take a few, on a slow disk some hundred. */
const ABANDONED_MS = 20_000;
/** Delay between attempts to take the lock, in milliseconds: doubled from the first to the last. */
const PAUSE_MS = { first: 1, last: 16 } as const;

/** The folders that this thread holds, and by folder the last of the operations queued in this thread. */
const heldHere = new Set<string>();
const queues = new Map<string, Promise<void>>();
let holds = 0;
let thisProcess: string | null = null;

/**
 * Runs `work` exclusively, blocking this thread. If this thread is within a commit to the same store, the store
 * is open and LMDB opens nothing, so it does not wait. Errors: those of `work` and of the file system.
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

/** Runs `work` exclusively, after earlier calls of this thread. Errors: those of `work` and of the file system. */
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

/** One wait for the lock of one folder, and the hold that follows it. */
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

	/** Tries to take the lock; removes an abandoned one. */
	take(): boolean {
		if (makeNote(this.path, this.name)) return true;
		const holder = readNote(this.path);
		if (holder === null || !this.lock.abandoned(holder)) return false;
		this.remove(holder);
		return makeNote(this.path, this.name);
	}

	/** Delay until the next attempt, in milliseconds. */
	pauseMs(): number {
		const pauseMs = this.nextPauseMs;
		this.nextPauseMs = Math.min(2 * pauseMs, PAUSE_MS.last);
		return pauseMs;
	}

	release(): void {
		// Not the holder any more if the folder was moved, or if another process considered the lock abandoned.
		if (readNote(this.path) === this.name) rmSync(this.path, { force: true });
	}

	/** Of several processes that find the lock of `holder` abandoned, one removes it, and never a later holder's. */
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

/** The holder last seen, and since when. */
class Sighting {
	private name = "";
	private sinceMs = 0;

	/** Whether the holder `name`, seen just now, will not release the lock. */
	abandoned(name: string): boolean {
		const nowMs = performance.now();
		if (name !== this.name) {
			this.name = name;
			this.sinceMs = nowMs;
		}
		return nowMs - this.sinceMs > ABANDONED_MS || isGone(name);
	}
}

/** Whether the holder's process is known to have ended. */
function isGone(name: string): boolean {
	const [pid, space, digest] = name.split(".");
	// Process ids of another container refer to other processes.
	if (space !== processSpace()) return false;
	return !isRunning(Number(pid), (description) => digestOf(description) === digest);
}

/** Identifies this process in less than 60 bytes, the target length that file systems store inline with a link. */
function processName(): string {
	thisProcess ??= `${process.pid}.${processSpace()}.${digestOf(describeThisProcess())}`;
	return thisProcess;
}

function digestOf(description: string): string {
	return createHash("sha256").update(description).digest("hex").slice(0, 12);
}

/** The namespace of process ids; empty if the system does not report it. */
function processSpace(): string {
	return (readNote("/proc/self/ns/pid") ?? "").replaceAll(/\D/g, "");
}
