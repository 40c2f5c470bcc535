/**
 * Opens a source as bytes, decompressed and recoded to UTF-8, read into buffers of the caller.
 *
 * The compression is identified by the first bytes, not by the name. Plain files are read directly into the
 * caller's buffer; gzip and standard input are streams (stream-reader.ts); zstd is decoded by one decoder on
 * every version of Node (zstd-reader.ts): Node's own, which some versions have, stops after the first frame
 * without an error. A regular file is read whole and unchanged, or refused (unchanged-reader.ts). Memory: the caller's
 * buffers plus the stream's; under 64 MiB (up to 128 MiB more for a zstd window).
 */

import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { BuildError, systemErrorText } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { recodingTable } from "./encodings.js";
import type { SourceMap } from "./map-file.js";
import { RecodingReader } from "./recoding-reader.js";
import { type SourceFile, STANDARD_INPUT } from "./source-files.js";
import { STREAM_BYTES, StreamReader } from "./stream-reader.js";
import { fileStamp, requireUnchanged, UnchangedReader } from "./unchanged-reader.js";
import { Utf16Reader } from "./utf16-reader.js";
import { WORKBOOK_ENTRY, ZipArchive } from "./zip-archive.js";
import { isZip, openZipDrop } from "./zip-reader.js";

/** Bytes that identify the compression. */
const MAGIC_BYTES = 4;

type Compression = "none" | "gzip" | "zstd" | "zip";

/**
 * Opens a file, or standard input for `-`. Throws {@link BuildError} `missing_file` or
 * `unreadable_file`; reading throws `unreadable_file`, `corrupt_compression` or `limit_exceeded`.
 */
export async function openBytes(source: SourceFile, map: SourceMap): Promise<ByteReader> {
	if (source.open !== undefined) return source.open();
	const { path } = source;
	const { encoding } = map;
	const reader = path === STANDARD_INPUT ? await openStream(process.stdin) : await openFile(source, map);
	if (encoding === "utf-8" || reader.workbook != null) return reader;
	if (encoding === "utf-16" || encoding === "utf-16le" || encoding === "utf-16be")
		return new Utf16Reader(path, reader, encoding);
	return new RecodingReader(path, reader, recodingTable(encoding));
}

async function openFile(source: SourceFile, map: SourceMap): Promise<ByteReader> {
	const path = source.inside?.archive ?? source.path;
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
		const status = await handle.stat({ bigint: true });
		// A pipe or device can be read only once, from its start, so it is never read ahead.
		if (!status.isFile()) return await openStream(handle.createReadStream(), path);
		const sizeBytes = Number(status.size);
		const opened = fileStamp(status);
		if (source.inside !== null) requireUnchanged(path, source.inside.stamp, opened);
		const reader = await openRegular(source, handle, sizeBytes, map);
		const readBytes = source.inside === null ? sizeBytes : (source.bytes ?? 0);
		return new UnchangedReader(source.path, reader, handle, opened, readBytes);
	} catch (error) {
		await handle.close();
		if (error instanceof BuildError) throw error;
		throw new BuildError("unreadable_file", systemErrorText(error), { file: path });
	}
}

async function openRegular(
	source: SourceFile,
	handle: FileHandle,
	sizeBytes: number,
	map: SourceMap,
): Promise<ByteReader> {
	const { path } = source;
	const magic = new Uint8Array(MAGIC_BYTES);
	const { bytesRead } = await handle.read(magic, 0, MAGIC_BYTES, 0);
	const compression = compressionOf(magic.subarray(0, bytesRead));
	if (compression === "zstd") return (await import("./zstd-reader.js")).openZstd(path, handle);
	if (compression === "zip") {
		const archive = await ZipArchive.open(source.inside?.archive ?? path, handle, sizeBytes);
		const settings = { ...map, columns: map.header === true ? 0 : map.header.length, mapFile: map.path };
		if (archive.find(WORKBOOK_ENTRY) === undefined) return openZipDrop(archive, handle, source, settings);
		const { XlsxReader } = await import("./workbook/xlsx-reader.js");
		return XlsxReader.open(archive, handle, settings);
	}
	if (compression === "none") return new FileReader(path, handle);
	// The file stays open at the stream's end, since it is looked at then.
	const stream = handle.createReadStream({ start: 0, highWaterMark: STREAM_BYTES, autoClose: false });
	return new StreamReader(path, stream, [], compression);
}

/** A reader of a stream, whose compression is determined from its first bytes. */
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
	const compression = compressionOf(Buffer.concat(head));
	if (compression === "zstd") return (await import("./zstd-reader.js")).openZstdStream(path, head, stream);
	return new StreamReader(path, stream, head, compression === "gzip" ? "gzip" : "none");
}

/** The compression of a source that begins with `head`. */
function compressionOf(head: Uint8Array): Compression {
	if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
	if (isZip(head)) return "zip";
	const isZstd = head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
	return isZstd ? "zstd" : "none";
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
