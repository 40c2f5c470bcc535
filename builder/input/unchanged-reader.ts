/**
 * Notices that a file changed while it was read, so that no mixture of two files is taken for one: by its size and its
 * time of modification, once it is opened and once it is read.
 *
 * The time of the last status change (ctime) is not compared: moving a file, or replacing it by a rename, changes it,
 * and an open file has the same bytes after either.
 */

import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { BuildError } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { HandleReader } from "./handle-reader.js";

/** What differs between two files, and between two states of one. */
export interface FileStamp {
	readonly device: bigint;
	readonly inode: bigint;
	readonly bytes: bigint;
	readonly modifiedNs: bigint;
}

export function fileStamp({ dev, ino, size, mtimeNs }: BigIntStats): FileStamp {
	return { device: dev, inode: ino, bytes: size, modifiedNs: mtimeNs };
}

/** Throws {@link BuildError} `unreadable_file` if the file `path` was `opened` and is now another or changed. */
export function requireUnchanged(path: string, opened: FileStamp, now: FileStamp): void {
	const isSame =
		opened.device === now.device &&
		opened.inode === now.inode &&
		opened.bytes === now.bytes &&
		opened.modifiedNs === now.modifiedNs;
	if (isSame) return;
	throw new BuildError("unreadable_file", "it changed while it was read; was it still being written?", {
		file: path,
	});
}

/** A regular file's reader, which fails at its end if the file changed since it was opened. */
export class UnchangedReader extends HandleReader {
	/** The file had the stamp `opened`; `sizeBytes`: what {@link sourceBytes} is at the end. */
	constructor(
		private readonly path: string,
		source: ByteReader,
		handle: FileHandle,
		private readonly opened: FileStamp,
		private readonly sizeBytes: number,
	) {
		super(source, handle);
	}

	get sourceBytes(): number {
		return this.source.sourceBytes;
	}

	protected async atEnd(): Promise<void> {
		const { path, sourceBytes, sizeBytes } = this;
		if (sourceBytes !== sizeBytes) {
			const rule = `it had ${sizeBytes} bytes when opened, but ${sourceBytes} were read; was it still being written?`;
			throw new BuildError("unreadable_file", rule, { file: path });
		}
		requireUnchanged(path, this.opened, fileStamp(await this.handle.stat({ bigint: true })));
	}
}
