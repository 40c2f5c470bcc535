/**
 * Makes files last while others are still being written, so that the disk works beside the threads
 * that compute, and little is left to wait for at the end.
 *
 * Every file below a folder is flushed as it grows, at most one at a time, on the platform's own
 * threads. What counts is {@link BackgroundSync.finish}: once it resolves, everything that was in the
 * folder when it was called has reached storage.
 */

import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { syncPath } from "../formats/durable.js";

/** Pause after a look that found nothing to flush. */
const PAUSE_MS = 50;
/** Bytes that a growing file must have gained to be flushed before the end. */
const GAINED_BYTES_MIN = 16 * 1024 * 1024;

export class BackgroundSync {
	/** Bytes of each file at its last flush. */
	private readonly flushed = new Map<string, number>();
	private readonly loop: Promise<void>;
	private ending = false;
	private failure: unknown = null;

	/** Begins to flush the files below `folder`, which may not exist yet. */
	constructor(private readonly folder: string) {
		this.loop = this.run().catch((error: unknown) => {
			this.failure = error;
		});
	}

	/** Flushes what is left, then the folders themselves. Throws what the disk says. */
	async finish(): Promise<void> {
		await this.stop();
		if (this.failure !== null) throw this.failure;
		for (const path of this.files()) await this.flush(path);
		for (const folder of this.folders()) syncPath(folder);
	}

	/** Ends the flushing, after which the folder may be removed. */
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
