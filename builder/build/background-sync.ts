/**
 * Syncs files to storage while others are still being written, so that disk writes overlap with computation
 * and little is left to sync at the end.
 *
 * Every file below a folder is flushed as it grows, one at a time, on libuv's thread pool. Only
 * {@link BackgroundSync.finish} gives a guarantee: once it resolves, everything that was in the folder when it was
 * called has reached storage.
 */

import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { syncPath } from "../../formats/files/durable.js";

/** Delay between scans when there was nothing to flush. */
const PAUSE_MS = 50;
/** A growing file is flushed early once it has gained this many bytes. */
const GAINED_BYTES_MIN = 16 * 1024 * 1024;

export class BackgroundSync {
	/** Bytes of each file at its last flush. */
	private readonly flushed = new Map<string, number>();
	private readonly loop: Promise<void>;
	private ending = false;
	private failure: unknown = null;

	/** Starts flushing the files below `folder`, which need not exist yet. */
	constructor(private readonly folder: string) {
		this.loop = this.run().catch((error: unknown) => {
			this.failure = error;
		});
	}

	/** Flushes the remaining files, then the folders. Throws the system's error. */
	async finish(): Promise<void> {
		await this.stop();
		if (this.failure !== null) throw this.failure;
		for (const path of this.files()) await this.flush(path);
		for (const folder of this.folders()) syncPath(folder);
	}

	/** Stops flushing. The folder may be removed afterwards. */
	async stop(): Promise<void> {
		this.ending = true;
		await this.loop;
	}

	private async run(): Promise<void> {
		while (!this.ending) {
			const grown = this.files().find((path) => this.gained(path) >= GAINED_BYTES_MIN);
			if (grown === undefined) await delay(PAUSE_MS);
			else await this.flush(grown);
		}
	}

	private gained(path: string): number {
		const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
		return bytes - (this.flushed.get(path) ?? 0);
	}

	private async flush(path: string): Promise<void> {
		const file = await open(path, "r");
		try {
			const { size } = await file.stat();
			await file.sync();
			this.flushed.set(path, size);
		} finally {
			await file.close();
		}
	}

	private entries(): Dirent[] {
		if (!existsSync(this.folder)) return [];
		return readdirSync(this.folder, { recursive: true, withFileTypes: true });
	}

	private files(): string[] {
		return this.entries().flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
	}

	private folders(): string[] {
		const below = this.entries().flatMap((entry) =>
			entry.isDirectory() ? [join(entry.parentPath, entry.name)] : [],
		);
		return [...below, this.folder];
	}
}
