/**
 * A range of a file as the body of a response: read from a descriptor into one buffer, at the rate that all
 * downloads share. The opened file is sent even if it is removed in the meantime.
 */

import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Range } from "../../formats/index.js";
import type { BodyStream } from "../http/body-stream.js";
import type { Pace } from "./pace.js";

/** Bytes read at a time: the memory of one download, and what the thread copies without yielding. */
const READ_BYTES = 128 * 1024;

export class FileStream implements BodyStream {
	readonly bytes: number;
	private at: number;
	private readonly buffer: Buffer;

	private constructor(
		private readonly file: FileHandle,
		private readonly range: Range,
		private readonly pace: Pace,
		private readonly ended: () => void,
	) {
		this.bytes = range.to - range.from;
		this.at = range.from;
		this.buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, this.bytes));
	}

	/**
	 * Opens `path` to send bytes [from, to); calls `ended` when it is closed. Rejects with a system error, in
	 * which case `ended` is not called.
	 */
	static async open(path: string, range: Range, pace: Pace, ended: () => void): Promise<FileStream> {
		return new FileStream(await open(path, "r"), range, pace, ended);
	}

	async next(): Promise<Uint8Array | null> {
		const { file, range, buffer } = this;
		const wanted = Math.min(buffer.length, range.to - this.at);
		if (wanted === 0) return null;
		const waitMs = this.pace.admit(wanted);
		if (waitMs >= 1) await delay(waitMs);
		const { bytesRead } = await file.read(buffer, 0, wanted, this.at);
		if (bytesRead === 0) throw new RangeError(`an exported file ends at ${this.at}, before ${range.to}`);
		this.at += bytesRead;
		return buffer.subarray(0, bytesRead);
	}

	close(): void {
		// A descriptor that fails to close affects nothing here.
		this.file.close().catch(() => undefined);
		this.ended();
	}
}
