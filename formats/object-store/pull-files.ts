/**
 * Downloads the files of a month from a store: in parallel, rate-limited, resuming partial files. Each file is
 * written under a temporary name, compared with its digest, synced and then renamed, so a file under its final
 * name is complete and correct.
 *
 * Invariant: nothing outside `folder` is written.
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
	/** Number of concurrent downloads. */
	readonly parallel: number;
	/** For all files together; Infinity: no limit. */
	readonly bytesPerSecond: number;
	/** Aborts the download; what was written is used by the next attempt. */
	readonly signal?: AbortSignal;
	/** Called with the number of bytes received. */
	readonly onBytes?: (bytes: number) => void;
}

/** Attempts per file. After a wrong digest the next attempt starts over. */
const ATTEMPTS = 3;
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
			// A file with a wrong digest cannot be resumed; a partial one can.
			if (error.code === "corrupt_object") await rm(part, { force: true });
		}
	}
}

/** Appends the missing bytes of a file to `part`, and compares the digest of all of it. */
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
				// Written by another thread while this one computes the digest.
				const written = target.write(chunk);
				hash.update(chunk);
				await written;
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

/** A token bucket shared by all downloads, with a burst of a tenth of a second. */
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
