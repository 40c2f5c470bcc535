/**
 * Reads a zstd file: libzstd compiled to WebAssembly, which detects damaged data by its checksums, and decodes
 * only as far as requested. It reads input while it produces output, so the file is read synchronously; a
 * stream is written to a temporary file first.
 *
 * Invariant: a source that ends without an error was decoded to the end of its last frame, and returned as many
 * bytes as the frame headers declare.
 */

import { readSync } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { BuildError, corruptCompression, systemErrorText } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { PieceFiller } from "./piece-filler.js";
import { INPUT_BYTES_MAX, makeZstdDecoder, type ZstdDecoder } from "./zstd-decoder.js";
import { ZstdFrames } from "./zstd-frames.js";

/** A reader of the frames in `handle`, which it closes. Errors are those of {@link ByteReader}. */
export async function openZstd(path: string, handle: FileHandle): Promise<ByteReader> {
	return new ZstdReader(path, handle, await makeZstdDecoder());
}

/** The same for a stream whose first bytes are in `head`. Cost: its bytes on disk while it is read. */
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
		// The open file remains readable after its name is removed.
		await rm(folder, { recursive: true, force: true });
	}
}

class ZstdReader implements ByteReader {
	sourceBytes = 0;
	private readonly frames: ZstdFrames;
	private readonly piece = new Uint8Array(INPUT_BYTES_MAX);
	private readonly filler = new PieceFiller(async () => this.next());
	private decodedBytes = 0;

	constructor(
		private readonly path: string,
		private readonly handle: FileHandle,
		private readonly decoder: ZstdDecoder,
	) {
		this.frames = new ZstdFrames(path);
	}

	async read(target: Uint8Array): Promise<number> {
		// Reading blocks the thread, so it yields in between.
		await setImmediate();
		return this.filler.fill(target);
	}

	close(): Promise<void> {
		return this.handle.close();
	}

	/** The next bytes; null at the end. */
	private next(): Uint8Array | null {
		for (;;) {
			const decoded = this.decode();
			if (decoded !== null) {
				this.decodedBytes += decoded.length;
				return decoded;
			}
			const bytes = this.readPiece();
			if (bytes === 0) {
				this.checkWhole();
				return null;
			}
			this.frames.push(this.piece.subarray(0, bytes));
			this.decoder.push(this.piece.subarray(0, bytes));
		}
	}

	private decode(): Uint8Array | null {
		try {
			return this.decoder.next();
		} catch {
			throw corruptCompression(this.path);
		}
	}

	/**
	 * Throws if the last frame is incomplete, or if the bytes decoded are not those that the frame headers
	 * declare.
	 */
	private checkWhole(): void {
		const { declaredBytes, betweenFrames } = this.frames;
		if (!this.decoder.atFrameEnd || !betweenFrames) throw corruptCompression(this.path);
		if (declaredBytes === null || declaredBytes === this.decodedBytes) return;
		const rule = `its zstd frames declare ${declaredBytes} bytes, but ${this.decodedBytes} were decoded`;
		throw new BuildError("corrupt_compression", rule, { file: this.path });
	}

	private readPiece(): number {
		try {
			const bytes = readSync(this.handle.fd, this.piece, 0, this.piece.length, this.sourceBytes);
			this.sourceBytes += bytes;
			return bytes;
		} catch (error) {
			throw new BuildError("unreadable_file", systemErrorText(error), { file: this.path });
		}
	}
}
