/**
 * Getting the files of a month out of a store: several at a time, at a bounded rate, from where an earlier
 * attempt ended. Each file is written aside, compared with its digest, synced, and only then renamed to its
 * name, so a file under its name is whole and right.
 *
 * Invariant: nothing outside of `folder` is written.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectStoreError } from "./errors.js";
import { objectName, type StoredFile } from "./month-index.js";
import type { ObjectStore } from "./object-store.js";

export interface PullOptions {
	/** Files at a time. */
	readonly parallel: number;
	/** Over all files together; Infinity: no bound. */
	readonly bytesPerSecond: number;
	/** Ends the pull; what was written stays for the next. */
	readonly signal?: AbortSignal;
	/** Told of bytes as they come. */
	readonly onBytes?: (bytes: number) => void;
}

/** Attempts of one file: the second starts from nothing. */
const ATTEMPTS = 3;
/** Names of files that are not whole yet end so. */
const PART = ".part";

/**
 * Gets `files` into `folder`, at their paths. Fails with {@link ObjectStoreError}; what has been written by then
 * is used by the next attempt. Cost O(bytes that are missing), and a read of what an earlier attempt left.
 */
export async function pullFiles(
	store: ObjectStore,
	files: readonly StoredFile[],
	folder: string,
	options: PullOptions,
): Promise<void> {
	const rate = new Rate(options.bytesPerSecond);
	const waiting = [...files].sort((a, b) => b.bytes - a.bytes);
	const failed = new AbortController();
	const worker = async () => {
		for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
			if (failed.signal.aborted) return;
			await pullFile(store, file, join(folder, file.path), rate, options, failed.signal);
		}
	};
	const workers = Array.from({ length: Math.min(options.parallel, files.length) }, async () => {
		try {
			await worker();
		} catch (error) {
			failed.abort();
			throw error;
		}
	});
	const results = await Promise.allSettled(workers);
	const fault = results.find((result) => result.status === "rejected");
	if (fault !== undefined) throw fault.reason;
}

async function pullFile(
	store: ObjectStore,
	file: StoredFile,
	path: string,
	rate: Rate,
	options: PullOptions,
	failed: AbortSignal,
): Promise<void> {
	if ((await sizeOf(path)) === file.bytes) return;
	await mkdir(dirname(path), { recursive: true });
	const part = `${path}${PART}`;
	for (let attempt = 1; ; attempt++) {
		try {
			await fetchRest(store, file, part, rate, options, failed);
			await rename(part, path);
			return;
		} catch (error) {
			const mayHelp =
				error instanceof ObjectStoreError && ["corrupt_object", "store_unreachable"].includes(error.code);
			if (!mayHelp || attempt === ATTEMPTS || options.signal?.aborted === true || failed.aborted) throw error;
			// Wrong bytes are of no use to the next attempt; missing ones are.
			if (error.code === "corrupt_object") await rm(part, { force: true });
		}
	}
}

/** Appends what is missing of a file to `part`, and compares all of it with the digest. */
async function fetchRest(
	store: ObjectStore,
	file: StoredFile,
	part: string,
	rate: Rate,
	options: PullOptions,
	failed: AbortSignal,
): Promise<void> {
	const what = `${store.url}/${objectName(file.sha256)} (${file.path})`;
	const hash = createHash("sha256");
	let bytes = (await sizeOf(part)) ?? 0;
	if (bytes > file.bytes) {
		await rm(part);
		bytes = 0;
	}
	if (bytes > 0) for await (const chunk of createReadStream(part)) hash.update(chunk);
	const target = await open(part, "a");
	try {
		if (bytes < file.bytes) {
			for await (const chunk of await store.open(objectName(file.sha256), bytes)) {
				if (options.signal?.aborted === true || failed.aborted) {
					throw new ObjectStoreError("store_unreachable", `${what}: ended`);
				}
				bytes += chunk.length;
				if (bytes > file.bytes)
					throw new ObjectStoreError("corrupt_object", `${what}: longer than ${file.bytes} bytes`);
				hash.update(chunk);
				await target.write(chunk);
				options.onBytes?.(chunk.length);
				await rate.spend(chunk.length);
			}
		}
		if (bytes < file.bytes) {
			throw new ObjectStoreError("store_unreachable", `${what}: ended after ${bytes} of ${file.bytes} bytes`);
		}
		const found = hash.digest("hex");
		if (found !== file.sha256)
			throw new ObjectStoreError("corrupt_object", `${what}: its digest is ${found}`);
		await target.sync();
	} finally {
		await target.close();
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

/** A token bucket that several downloads share: holds a tenth of a second. */
class Rate {
	private freeAtMs = performance.now();

	constructor(private readonly bytesPerSecond: number) {}

	async spend(bytes: number): Promise<void> {
		if (!Number.isFinite(this.bytesPerSecond)) return;
		const nowMs = performance.now();
		this.freeAtMs = Math.max(this.freeAtMs, nowMs - 100) + (bytes / this.bytesPerSecond) * 1000;
		if (this.freeAtMs > nowMs) await sleep(this.freeAtMs - nowMs);
	}
}
