/**
 * A file that appears under its name only when it is whole: written aside, flushed to the disk, renamed.
 *
 * A run that is killed leaves `NAME.PID.partial` behind, never half a file under `NAME`; the next run
 * into the same folder removes what a process that is no more has left.
 */

import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BuildError, systemErrorText } from "../errors.js";

const PARTIAL = /\.(\d+)\.partial$/;

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// Somebody else's process is running too.
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

/** Removes what killed runs have left of the file at `path`. */
async function sweep(path: string): Promise<void> {
	const folder = dirname(path);
	for (const name of await readdir(folder)) {
		const pid = PARTIAL.exec(name)?.[1];
		if (pid !== undefined && name === `${basename(path)}.${pid}.partial` && !isRunning(Number(pid)))
			await rm(join(folder, name), { force: true });
	}
}

export class DropFile {
	/** The write under way; {@link write} waits for it before it starts the next. */
	private pending: Promise<unknown> = Promise.resolve();

	private constructor(
		private readonly path: string,
		private readonly aside: string,
		private readonly handle: FileHandle,
	) {}

	/** Opens the file that will become `path`; makes the folder. Throws {@link BuildError} `unwritable_file`. */
	static async create(path: string): Promise<DropFile> {
		const aside = `${path}.${process.pid}.partial`;
		try {
			await mkdir(dirname(path), { recursive: true });
			await sweep(path);
			return new DropFile(path, aside, await open(aside, "w"));
		} catch (error) {
			throw unwritable(path, error);
		}
	}

	/**
	 * Starts to append `bytes`, which stay untouched until the call after resolves. Resolves when the
	 * bytes of the call before are written; throws {@link BuildError} `unwritable_file`.
	 */
	async write(bytes: Uint8Array): Promise<void> {
		try {
			await this.pending;
		} catch (error) {
			throw unwritable(this.path, error);
		}
		this.pending = this.handle.writeFile(bytes);
		// Its failure is told by the next call; until then it is not an unhandled one.
		this.pending.catch(() => {});
	}

	/** Gives the file its name. Throws {@link BuildError} `unwritable_file`; {@link discard} is still due then. */
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
