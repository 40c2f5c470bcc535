/**
 * A stream as bytes, plain or gzip. All members of a gzip file are read, to the end of the source.
 *
 * Node's gunzip ends at the first zero byte after a member, because tapes pad files with zeros, and ignores the
 * rest. Every byte that it did not consume must therefore be zero: otherwise members after the padding would be
 * lost without an error.
 */

import { type Readable, Transform } from "node:stream";
import { finished } from "node:stream/promises";
import { createGunzip, type Gunzip } from "node:zlib";
import { BuildError, corruptCompression, systemErrorText } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { PieceFiller } from "./piece-filler.js";

/** Bytes read and decompressed at a time. */
export const STREAM_BYTES = 1 << 18;

export class StreamReader implements ByteReader {
	sourceBytes = 0;
	private readonly pieces: AsyncIterator<Uint8Array>;
	private readonly filler = new PieceFiller(() => this.next());
	private readonly counted: Transform;
	private readonly gunzip: Gunzip | null;
	/** Position after the last byte of the source that is not zero. */
	private nonZeroEnd = 0;

	/** `head` was already read from `source`. */
	constructor(
		private readonly path: string,
		private readonly source: Readable,
		head: readonly Uint8Array[],
		compression: "gzip" | "none",
	) {
		this.counted = new Transform({
			transform: (piece: Uint8Array, _encoding, done) => {
				this.count(piece);
				done(null, piece);
			},
		});
		for (const piece of head) {
			this.count(piece);
			this.counted.push(piece);
		}
		this.gunzip = compression === "gzip" ? createGunzip({ chunkSize: STREAM_BYTES }) : null;
		const last = this.gunzip ?? this.counted;
		source.on("error", (error) => last.destroy(sourceFault(error, path)));
		source.pipe(this.counted);
		if (this.gunzip !== null) this.counted.pipe(this.gunzip);
		this.pieces = last[Symbol.asyncIterator]();
	}

	read(target: Uint8Array): Promise<number> {
		return this.filler.fill(target);
	}

	async close(): Promise<void> {
		this.source.destroy();
		this.counted.destroy();
		this.gunzip?.destroy();
	}

	private count(piece: Uint8Array): void {
		let end = piece.length;
		while (end > 0 && piece[end - 1] === 0) end--;
		if (end > 0) this.nonZeroEnd = this.sourceBytes + end;
		this.sourceBytes += piece.length;
	}

	private async next(): Promise<Uint8Array | null> {
		try {
			const next = await this.pieces.next();
			if (next.done !== true) return next.value;
			if (this.gunzip !== null) await this.checkConsumed(this.gunzip);
			return null;
		} catch (error) {
			throw this.faultOf(error);
		}
	}

	private async checkConsumed(gunzip: Gunzip): Promise<void> {
		const consumed = gunzip.bytesWritten;
		if (!this.counted.readableEnded) {
			this.counted.unpipe();
			await finished(this.counted.resume());
		}
		if (this.nonZeroEnd > consumed) {
			throw new BuildError(
				"corrupt_compression",
				`its gzip data ends in zero bytes at byte ${consumed}, but more follows up to byte ${this.nonZeroEnd}`,
				{ file: this.path },
			);
		}
	}

	private faultOf(error: unknown): BuildError {
		if (error instanceof BuildError) return error;
		return this.gunzip === null ? sourceFault(error, this.path) : corruptCompression(this.path);
	}
}

function sourceFault(error: unknown, path: string): BuildError {
	if (error instanceof BuildError) return error;
	return new BuildError("unreadable_file", systemErrorText(error), { file: path });
}
