/** A file that is written from its beginning on and hashed on the way. */

import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

const COPY_BYTES = 4 * 1024 * 1024;

export class HashedFile {
	/** Bytes written so far. */
	bytes = 0;
	private readonly descriptor: number;
	private readonly hash = createHash("sha256");

	/** Creates the file at `path`, or empties it. */
	constructor(path: string) {
		this.descriptor = openSync(path, "w", 0o644);
	}

	write(bytes: Uint8Array): void {
		this.hash.update(bytes);
		for (let written = 0; written < bytes.length; )
			written += writeSync(this.descriptor, bytes, written, bytes.length - written);
		this.bytes += bytes.length;
	}

	/** Appends bytes [from, to) of the file at `path`. */
	copy(path: string, from: number, to: number): void {
		const source = openSync(path, "r");
		const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, to - from));
		try {
			for (let at = from; at < to; ) {
				const read = readSync(source, buffer, 0, Math.min(buffer.length, to - at), at);
				if (read === 0) throw new RangeError(`${path} ends at ${at}, before ${to}`);
				this.write(buffer.subarray(0, read));
				at += read;
			}
		} finally {
			closeSync(source);
		}
	}

	/** Flushes the file to storage and closes it. Returns its SHA-256 as hexadecimal digits. */
	finish(): string {
		fsyncSync(this.descriptor);
		this.abandon();
		return this.hash.digest("hex");
	}

	/** Closes the file as it is. */
	abandon(): void {
		closeSync(this.descriptor);
	}
}
