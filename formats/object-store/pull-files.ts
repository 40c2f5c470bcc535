/**
 * Downloads the files of a month from a store: in parallel, rate-limited, resuming partial files. Each file is
 * written under a temporary name, compared with its digest, synced and then renamed, so a file under its final
 * name is complete and correct.
 *
 * Invariant: nothing outside `folder` is written.
 */

import { createHash, type Hash } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { groupDigits } from "../group-digits.js";
import { ObjectStoreError, RESEND } from "./errors.js";
import { addToDigest } from "./file-digest.js";
import { ended, pause } from "./http-exchange.js";
import { FILES_PARALLEL, inParallel } from "./in-parallel.js";
import { objectName, type StoredFile } from "./month-index.js";
import type { ObjectStore } from "./object-store.js";

export interface PullOptions {
	/** Number of concurrent downloads. Default: {@link FILES_PARALLEL}. */
	readonly parallel?: number;
	/** For all files together; Infinity: no limit. */
	readonly bytesPerSecond: number;
	/** Aborts the download; what was written is used by the next attempt. */
	readonly signal?: AbortSignal;
	/** Called with the number of bytes received. */
	readonly onBytes?: (bytes: number) => void;
}

/** Attempts per file. After a wrong digest the next attempt starts over. */
const ATTEMPTS = 3;
/**
 * Bytes that are written at once. Writes of 64 KiB take a third more processor time for a gigabyte, those of 1 MiB
 * half more (ext4, medians of three).
 */
const WRITE_BYTES = 1 << 18;
/** Bytes of the file system that a download leaves free: the database of keys and counts is on it too. */
const LEFT_FREE_BYTES = 64 << 20;
/** Suffix of incomplete files. */
const PART = ".part";

/**
 * Downloads `files` into `folder`, at their paths. Fails with {@link ObjectStoreError}; the next attempt continues
 * from what was written. Cost O(missing bytes), and a read of what an earlier attempt left.
 */
export async function pullFiles(
	store: ObjectStore,
	files: readonly StoredFile[],
	folder: string,
	options: PullOptions,
): Promise<void> {
	const { bytesPerSecond, signal, onBytes, parallel = FILES_PARALLEL } = options;
	const rate = new Rate(bytesPerSecond);
	const largestFirst = [...files].sort((a, b) => b.bytes - a.bytes);
	const pull = (file: StoredFile, ending: AbortSignal) =>
		pullFile({ store, rate, signal: ending, onBytes }, file, join(folder, file.path));
	await inParallel(largestFirst, parallel, pull, signal);
}

/**
 * Fails with `no_room` if what is missing of `files` in `folder` does not fit its file system, as their stated sizes have
 * it. A download stops at a file's stated size, so one that passes does not fill the file system by itself.
 */
export async function requireRoom(
	files: readonly StoredFile[],
	folder: string,
	freeBytes: (folder: string) => Promise<number> = freeBytesOf,
): Promise<void> {
	let missing = 0;
	for (const file of files) {
		const path = join(folder, file.path);
		const present = (await sizeOf(path)) ?? (await sizeOf(`${path}${PART}`)) ?? 0;
		missing += Math.max(0, file.bytes - present);
	}
	const free = await freeBytes(folder);
	if (missing === 0 || missing + LEFT_FREE_BYTES <= free) return;
	// Without what is free, which changes all the time: a message that is repeated is logged once.
	const needed = groupDigits(missing + LEFT_FREE_BYTES);
	throw new ObjectStoreError(
		"no_room",
		`${folder}: the download needs ${needed} bytes free, which the disk has not; make room for it`,
	);
}

async function freeBytesOf(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
}

/** What the files of a download have in common. */
interface Download {
	readonly store: ObjectStore;
	readonly rate: Rate;
	readonly signal: AbortSignal;
	readonly onBytes: PullOptions["onBytes"];
}

async function pullFile(download: Download, file: StoredFile, path: string): Promise<void> {
	if ((await sizeOf(path)) === file.bytes) return;
	await mkdir(dirname(path), { recursive: true });
	const part = `${path}${PART}`;
	for (let attempt = 1; ; attempt++) {
		try {
			await fetchRest(download, file, part);
			await rename(part, path);
			return;
		} catch (error) {
			const mayHelp =
				error instanceof ObjectStoreError && ["corrupt_object", "store_unreachable"].includes(error.code);
			if (!mayHelp || attempt === ATTEMPTS || download.signal.aborted) throw error;
			// A file with a wrong digest cannot be resumed; a partial one can.
			if (error.code === "corrupt_object") await rm(part, { force: true });
		}
	}
}

/** Appends the missing bytes of a file to `part`, and compares the digest of all of it. */
async function fetchRest(
	{ store, rate, signal, onBytes }: Download,
	file: StoredFile,
	part: string,
): Promise<void> {
	const what = `${store.url}/${objectName(file.sha256)} (${file.path})`;
	const hash = createHash("sha256");
	let bytes = (await sizeOf(part)) ?? 0;
	if (bytes > file.bytes) {
		await rm(part);
		bytes = 0;
	}
	if (bytes > 0) await addToDigest(hash, part, signal);
	const target = await open(part, "a");
	const appender = new Appender(target, hash, part);
	try {
		if (bytes < file.bytes) {
			for await (const chunk of await store.open(objectName(file.sha256), bytes, signal)) {
				if (signal.aborted) throw ended(what);
				bytes += chunk.length;
				if (bytes > file.bytes)
					throw new ObjectStoreError("corrupt_object", `${what}: longer than ${file.bytes} bytes; ${RESEND}`);
				await appender.add(chunk);
				onBytes?.(chunk.length);
				await rate.spend(chunk.length, signal);
			}
		}
		if (bytes < file.bytes) {
			// Not a connection that broke off: no further attempt brings more.
			if ((await store.size(objectName(file.sha256), signal)) === bytes)
				throw new ObjectStoreError(
					"corrupt_object",
					`${what}: has ${bytes} of ${file.bytes} bytes; ${RESEND}`,
				);
			throw new ObjectStoreError("store_unreachable", `${what}: ended after ${bytes} of ${file.bytes} bytes`);
		}
		await appender.finish();
		const found = hash.digest("hex");
		if (found !== file.sha256)
			throw new ObjectStoreError("corrupt_object", `${what}: its digest is ${found}; ${RESEND}`);
		await target.sync();
	} catch (error) {
		// The next attempt continues from what has come.
		await appender.finish().catch(() => undefined);
		throw error;
	} finally {
		await target.close();
	}
}

/**
 * Writes chunks to the end of a file and computes their digest, {@link WRITE_BYTES} at a time: one write and one update of
 * the digest for many chunks, while the next ones are received. Memory: two buffers.
 */
class Appender {
	private filling = Buffer.allocUnsafeSlow(WRITE_BYTES);
	private spare = Buffer.allocUnsafeSlow(WRITE_BYTES);
	private filled = 0;
	private writing: Promise<void> = Promise.resolve();

	constructor(
		private readonly target: FileHandle,
		private readonly hash: Hash,
		private readonly path: string,
	) {}

	/** Fails if an earlier write did. */
	async add(chunk: Uint8Array): Promise<void> {
		for (let at = 0; at < chunk.length; ) {
			const part = chunk.subarray(at, at + WRITE_BYTES - this.filled);
			this.filling.set(part, this.filled);
			this.filled += part.length;
			at += part.length;
			if (this.filled < WRITE_BYTES) return;
			await this.writing;
			this.begin();
			// Reported by the next call that waits for it.
			this.writing.catch(() => undefined);
		}
	}

	/** Writes the rest. Fails if a write did. */
	async finish(): Promise<void> {
		await this.writing;
		this.begin();
		await this.writing;
	}

	/** Begins to write what is there; the digest is computed meanwhile. */
	private begin(): void {
		const bytes = this.filling.subarray(0, this.filled);
		this.writing = this.write(bytes);
		this.hash.update(bytes);
		this.filled = 0;
		[this.filling, this.spare] = [this.spare, this.filling];
	}

	private async write(bytes: Uint8Array): Promise<void> {
		if (bytes.length === 0) return;
		const { bytesWritten } = await this.target.write(bytes);
		if (bytesWritten < bytes.length)
			throw new Error(`${this.path}: ${bytesWritten} of ${bytes.length} bytes written; is the disk full?`);
	}
}

async function sizeOf(path: string): Promise<number | null> {
	try {
		return (await stat(path)).size;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
		throw error;
	}
}

/** A token bucket shared by all downloads, with a burst of a tenth of a second. */
class Rate {
	private freeAtMs = performance.now();

	constructor(private readonly bytesPerSecond: number) {}

	/** Waits until the bytes may have come; a signal that is aborted ends it. */
	async spend(bytes: number, signal: AbortSignal): Promise<void> {
		if (!Number.isFinite(this.bytesPerSecond)) return;
		const nowMs = performance.now();
		this.freeAtMs = Math.max(this.freeAtMs, nowMs - 100) + (bytes / this.bytesPerSecond) * 1000;
		if (this.freeAtMs > nowMs) await pause(this.freeAtMs - nowMs, signal);
	}
}
