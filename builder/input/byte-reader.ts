/**
 * Bytes of a source, decompressed and recoded to UTF-8, pulled into buffers the caller owns.
 *
 * The compression is told by the first bytes, not by the name. Plain files are read straight into the
 * caller's buffer; gzip (all members), standard input and, where Node itself reads it, zstd come as
 * streams; elsewhere zstd is pulled (zstd-reader.ts). Memory: what the caller asks for at a time, plus
 * the stream's buffers; under 64 MiB (a zstd window may be larger where its writer chose so, up to 128 MiB).
 */

import { type FileHandle, open } from "node:fs/promises";
import { type Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import { BuildError, corruptCompression, systemErrorText } from "../errors.js";
import {
	type Encoding,
	RECODED_BYTES_PER_BYTE,
	type RecodingTable,
	recode,
	recodingTable,
} from "./encodings.js";
import { PieceFiller } from "./piece-filler.js";
import { STANDARD_INPUT } from "./source-files.js";
import { openZstd, openZstdStream } from "./zstd-reader.js";

/** Bytes looked at to tell the compression. */
const MAGIC_BYTES = 4;
const STREAM_BYTES = 1 << 18;
const RECODE_BYTES = 1 << 20;

export interface ByteReader {
	/** Bytes read so far as the source lies on disk: before decompression and recoding. */
	readonly sourceBytes: number;
	/** Fills `target` as far as the source goes; fewer bytes than asked for mean its end. Throws {@link BuildError}. */
	read(target: Uint8Array): Promise<number>;
	close(): Promise<void>;
}

/**
 * Opens a file, or standard input for `-`. Throws {@link BuildError} `missing_file` or
 * `unreadable_file`; reading throws `unreadable_file` or `corrupt_compression`.
 */
export async function openBytes(path: string, encoding: Encoding): Promise<ByteReader> {
	const reader = path === STANDARD_INPUT ? await openStream(process.stdin) : await openFile(path);
	const table = recodingTable(encoding);
	return table === null ? reader : new RecodingReader(reader, table);
}

async function openFile(path: string): Promise<ByteReader> {
	let handle: FileHandle;
	try {
		handle = await open(path, "r");
	} catch (error) {
		const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
		throw new BuildError(missing ? "missing_file" : "unreadable_file", systemErrorText(error), {
			file: path,
		});
	}
	try {
		// A pipe or device can be read only once, from its start, so it is never peeked into.
		if (!(await handle.stat()).isFile()) return await openStream(handle.createReadStream(), path);
		const magic = new Uint8Array(MAGIC_BYTES);
		const { bytesRead } = await handle.read(magic, 0, MAGIC_BYTES, 0);
		const head = magic.subarray(0, bytesRead);
		if (isPulled(head)) return await openZstd(path, handle);
		const decompress = decompressorOf(head);
		if (decompress === null) return new FileReader(path, handle);
		return new StreamReader(
			path,
			handle.createReadStream({ start: 0, highWaterMark: STREAM_BYTES }),
			[],
			decompress(),
		);
	} catch (error) {
		await handle.close();
		throw new BuildError("unreadable_file", systemErrorText(error), { file: path });
	}
}

/** A reader over a stream whose compression only its first bytes can tell. */
async function openStream(stream: Readable, path = STANDARD_INPUT): Promise<ByteReader> {
	const head: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const piece of stream.iterator({ destroyOnReturn: false })) {
			head.push(piece);
			bytes += piece.length;
			if (bytes >= MAGIC_BYTES) break;
		}
	} catch (error) {
		throw new BuildError("unreadable_file", systemErrorText(error), { file: path });
	}
	const start = Buffer.concat(head);
	if (isPulled(start)) return openZstdStream(path, head, stream);
	const decompress = decompressorOf(start);
	return new StreamReader(path, stream, head, decompress === null ? null : decompress());
}

/** Node's own zstd, which it has from version 22.15 on. */
const createZstdDecompress = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;

/** How a stream that begins with `head` is decompressed; null: it is plain. */
function decompressorOf(head: Uint8Array): (() => Transform) | null {
	if (head[0] === 0x1f && head[1] === 0x8b) return () => zlib.createGunzip({ chunkSize: STREAM_BYTES });
	return isZstd(head) && createZstdDecompress !== undefined ? createZstdDecompress : null;
}

/** Whether it is zstd, and Node does not read that itself. */
function isPulled(head: Uint8Array): boolean {
	return createZstdDecompress === undefined && isZstd(head);
}

function isZstd(head: Uint8Array): boolean {
	return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
}

class FileReader implements ByteReader {
	sourceBytes = 0;

	constructor(
		private readonly path: string,
		private readonly handle: FileHandle,
	) {}

	async read(target: Uint8Array): Promise<number> {
		let filled = 0;
		while (filled < target.length) {
			const { bytesRead } = await this.handle
				.read(target, filled, target.length - filled, this.sourceBytes)
				.catch((error: unknown) => {
					throw new BuildError("unreadable_file", systemErrorText(error), { file: this.path });
				});
			if (bytesRead === 0) break;
			filled += bytesRead;
			this.sourceBytes += bytesRead;
		}
		return filled;
	}

	close(): Promise<void> {
		return this.handle.close();
	}
}

class StreamReader implements ByteReader {
	sourceBytes = 0;
	private readonly pieces: AsyncIterator<Uint8Array>;
	private readonly filler = new PieceFiller(() => this.next());
	private readonly stream: Readable;

	/** `head` was taken off `source` already. `decompress` null reads it as it is. */
	constructor(
		private readonly path: string,
		private readonly source: Readable,
		head: readonly Uint8Array[],
		private readonly decompress: Transform | null,
	) {
		for (const piece of head) this.sourceBytes += piece.length;
		const counted = new Transform({
			transform: (piece: Uint8Array, _encoding, done) => {
				this.sourceBytes += piece.length;
				done(null, piece);
			},
		});
		for (const piece of head) counted.push(piece);
		const last = decompress ?? counted;
		source.on("error", (error) => last.destroy(sourceFault(error, path)));
		source.pipe(counted);
		if (decompress !== null) counted.pipe(decompress);
		this.stream = last;
		this.pieces = last[Symbol.asyncIterator]();
	}

	read(target: Uint8Array): Promise<number> {
		return this.filler.fill(target);
	}

	async close(): Promise<void> {
		this.source.destroy();
		this.stream.destroy();
	}

	private async next(): Promise<Uint8Array | null> {
		const next = await this.pieces.next().catch((error: unknown) => {
			throw this.faultOf(error);
		});
		return next.done === true ? null : next.value;
	}

	private faultOf(error: unknown): BuildError {
		if (error instanceof BuildError) return error;
		if (this.decompress === null) return sourceFault(error, this.path);
		return corruptCompression(this.path);
	}
}

function sourceFault(error: unknown, path: string): BuildError {
	return new BuildError("unreadable_file", systemErrorText(error), { file: path });
}

/** Recodes another reader's bytes to UTF-8. */
class RecodingReader implements ByteReader {
	private readonly raw = new Uint8Array(RECODE_BYTES);
	private readonly recoded = new Uint8Array(RECODE_BYTES * RECODED_BYTES_PER_BYTE);
	private readonly filler = new PieceFiller(() => this.next());

	constructor(
		private readonly source: ByteReader,
		private readonly table: RecodingTable,
	) {}

	get sourceBytes(): number {
		return this.source.sourceBytes;
	}

	read(target: Uint8Array): Promise<number> {
		return this.filler.fill(target);
	}

	close(): Promise<void> {
		return this.source.close();
	}

	private async next(): Promise<Uint8Array | null> {
		const read = await this.source.read(this.raw);
		if (read === 0) return null;
		return this.recoded.subarray(0, recode(this.raw.subarray(0, read), this.recoded, this.table));
	}
}
