/**
 * A zstd file as bytes, pulled: libzstd compiled to WebAssembly, which refuses damaged data, checksums
 * included, and decodes no further than is asked for. It reads input while it produces output, so the
 * file is read synchronously; a stream is written to a temporary file first.
 *
 * Invariant: a source that ends without an error was decoded to the end of its last frame, and gave as
 * many bytes as the frame headers declare.
 */

import { readSync } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { ZSTDDecoder } from "zstddec/stream";
import { BuildError, corruptCompression, systemErrorText } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { PieceFiller } from "./piece-filler.js";
import { ZstdFrames } from "./zstd-frames.js";

const PIECE_BYTES = 1 << 18;

/** A reader of the frames in `handle`, which it closes. Errors are those of {@link ByteReader}. */
export async function openZstd(path: string, handle: FileHandle): Promise<ByteReader> {
	const decoder = new ZSTDDecoder();
	await decoder.init();
	return new ZstdReader(path, handle, decoder);
}

/** The same of a stream of which `head` was taken off already. Cost: its bytes on disk, while it is read. */
export async function openZstdStream(
	path: string,
	head: readonly Uint8Array[],
	stream: Readable,
): Promise<ByteReader> {
	const folder = await mkdtemp(join(tmpdir(), "rollcall-"));
	try {
		const handle = await open(join(folder, "source.zst"), "w+");
		try {
			for (const piece of head) await handle.appendFile(piece);
			for await (const piece of stream) await handle.appendFile(piece as Uint8Array);
			return await openZstd(path, handle);
		} catch (error) {
			await handle.close();
			throw error;
		}
	} catch (error) {
		throw new BuildError("unreadable_file", systemErrorText(error), { file: path });
	} finally {
		// The open file outlives its name.
		await rm(folder, { recursive: true, force: true });
	}
}

class ZstdReader implements ByteReader {
	sourceBytes = 0;
	private readonly frames: ZstdFrames;
	private readonly decoded: Iterator<Uint8Array>;
	private readonly filler = new PieceFiller(async () => this.next());
	private decodedBytes = 0;
	/** Times that the decoder gave nothing since it was handed a piece, and how often it may. */
	private blanks = 0;
	private blanksMax = 0;

	constructor(
		private readonly path: string,
		private readonly handle: FileHandle,
		decoder: ZSTDDecoder,
	) {
		this.frames = new ZstdFrames(path);
		this.decoded = decoder.decodeStreaming(this.pieces());
	}

	async read(target: Uint8Array): Promise<number> {
		// Reading keeps the thread to itself: others have their turn in between.
		await setImmediate();
		return this.filler.fill(target);
	}

	close(): Promise<void> {
		return this.handle.close();
	}

	/** The next bytes; null at the end. */
	private next(): Uint8Array | null {
		for (;;) {
			const { done, value } = this.decode();
			if (done === true) {
				this.checkWhole();
				return null;
			}
			this.decodedBytes += value.length;
			if (value.length > 0) return value;
			// The decoder reports no error: it stops where it met one and gives nothing from there on.
			this.blanks++;
			if (this.blanks > this.blanksMax) throw corruptCompression(this.path);
		}
	}

	/** Throws where less, or more, was decoded than the frames hold by their own headers. */
	private checkWhole(): void {
		const { declaredBytes, betweenFrames } = this.frames;
		if (!betweenFrames) throw corruptCompression(this.path);
		if (declaredBytes === null || declaredBytes === this.decodedBytes) return;
		const rule = `its zstd frames declare ${declaredBytes} bytes, but ${this.decodedBytes} were decoded`;
		throw new BuildError("corrupt_compression", rule, { file: this.path });
	}

	private decode(): IteratorResult<Uint8Array> {
		try {
			return this.decoded.next();
		} catch (error) {
			throw error instanceof BuildError ? error : corruptCompression(this.path);
		}
	}

	/** The file's bytes, a piece at a time, as the decoder asks for them. */
	private *pieces(): Generator<Uint8Array> {
		const piece = new Uint8Array(PIECE_BYTES);
		for (;;) {
			const bytes = this.readPiece(piece);
			if (bytes === 0) return;
			const ended = this.frames.ended;
			this.frames.push(piece.subarray(0, bytes));
			this.blanks = 0;
			// A frame may end without a byte, and the last of the piece may not be decoded yet.
			this.blanksMax = this.frames.ended - ended + 1;
			yield piece.subarray(0, bytes);
		}
	}

	private readPiece(piece: Uint8Array): number {
		try {
			const bytes = readSync(this.handle.fd, piece, 0, piece.length, this.sourceBytes);
			this.sourceBytes += bytes;
			return bytes;
		} catch (error) {
			throw new BuildError("unreadable_file", systemErrorText(error), { file: this.path });
		}
	}
}
