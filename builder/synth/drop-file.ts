/**
 * A file that appears under its name only when it is complete: written under a temporary name, synced, renamed.
 *
 * An interrupted run leaves `NAME.PID.partial`, never an incomplete `NAME`; the next run into the same folder
 * removes the files of processes that have ended.
 */

import type { FileHandle } from "node:fs/promises";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../../formats/files/durable.js";
import { isRunning } from "../../formats/files/process-identity.js";
import { BuildError, systemErrorText } from "../errors.js";

const PARTIAL = /\.(\d+)\.partial$/;

/** Removes temporary files of the file at `path` left by interrupted runs. */
async function sweep(path: string): Promise<void> {
	const folder = dirname(path);
	for (const name of await readdir(folder)) {
		const pid = PARTIAL.exec(name)?.[1];
		if (
			pid !== undefined &&
			name === `${basename(path)}.${pid}.partial` &&
			!isRunning(Number(pid), () => true)
		)
			await rm(join(folder, name), { force: true });
	}
}

export class DropFile {
	/** The pending write; {@link write} waits for it before it starts the next. */
	private pending: Promise<unknown> = Promise.resolve();

	private constructor(
		private readonly path: string,
		private readonly aside: string,
		private readonly handle: FileHandle,
	) {}

	/** Opens the file that will become `path`; creates the folder. Throws {@link BuildError} `unwritable_file`. */
	static async create(path: string): Promise<DropFile> {
		const aside = `${path}.${process.pid}.partial`;
		try {
			makeFolder(dirname(path));
			await sweep(path);
			return new DropFile(path, aside, await open(aside, "w"));
		} catch (error) {
			throw unwritable(path, error);
		}
	}

	/**
	 * Starts to append `bytes`, which must not change until the next call resolves. Resolves when the bytes of
	 * the previous call are written; throws {@link BuildError} `unwritable_file`.
	 */
	async write(bytes: Uint8Array): Promise<void> {
		try {
			await this.pending;
		} catch (error) {
			throw unwritable(this.path, error);
		}
		this.pending = this.handle.writeFile(bytes);
		// A failure is reported by the next call; until then it must not count as unhandled.
		this.pending.catch(() => {});
	}

	/** Renames the file. Throws {@link BuildError} `unwritable_file`; {@link discard} must still be called then. */
	async publish(): Promise<void> {
		try {
			await this.pending;
			await this.handle.sync();
			await this.handle.close();
			await rename(this.aside, this.path);
			const folder = await open(dirname(this.path), "r");
			await folder.sync().finally(() => folder.close());
		} catch (error) {
			throw unwritable(this.path, error);
		}
	}

	/** Removes what was written. */
	async discard(): Promise<void> {
		await this.pending.catch(() => {});
		await this.handle.close();
		await rm(this.aside, { force: true });
	}
}

function unwritable(path: string, error: unknown): BuildError {
	return new BuildError("unwritable_file", systemErrorText(error), { file: path });
}
