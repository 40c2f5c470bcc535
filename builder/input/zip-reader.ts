/**
 * A drop inside a .zip archive: the one entry with a drop's name, decompressed as it is read. Entries of
 * other names are ignored; an archive with several drops, an encrypted or an overly compressed one is
 * refused. Memory: the stream's buffers.
 */

import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { BuildError, corruptCompression } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { StreamReader } from "./stream-reader.js";

/** Names that entries must have to be read as drops. */
const ENTRY_NAME = /(^|\/)[^/.][^/]*\.(csv|tsv|txt)$/i;
/** An entry that every .xlsx workbook has. */
const WORKBOOK_ENTRY = "xl/workbook.xml";
const ENTRIES_MAX = 10_000;
/** Bytes that a byte of an entry may decompress to. Rosters compress 5 to 30 times. */
const RATIO_MAX = 200;
const ENTRIES_NAMED_MAX = 5;

/** Opens the drop in the archive behind `handle`. Throws {@link BuildError}. */
export async function openZip(path: string, handle: FileHandle, sizeBytes: number): Promise<ByteReader> {
	const zip = await new Promise<ZipFile>((resolve, reject) => {
		const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true } as const;
		yauzl.fromFd(handle.fd, options, (error, opened) => {
			if (error === null) resolve(opened);
			else reject(corruptCompression(path));
		});
	});
	const entry = await findDrop(path, zip);
	if (entry.uncompressedSize > RATIO_MAX * entry.compressedSize + (1 << 20)) {
		const rule = `"${entry.fileName}" decompresses to more than ${RATIO_MAX} times its size`;
		throw new BuildError("limit_exceeded", rule, { file: path });
	}
	const stream = await new Promise<Readable>((resolve, reject) => {
		zip.openReadStream(entry, (error, opened) => {
			if (error === null) resolve(opened);
			else reject(new BuildError("unreadable_file", `"${entry.fileName}": ${error.message}`, { file: path }));
		});
	});
	return new ZipReader(new StreamReader(path, stream, [], "none"), handle, sizeBytes, entry);
}

/** The archive's one drop. */
async function findDrop(path: string, zip: ZipFile): Promise<Entry> {
	if (zip.entryCount > ENTRIES_MAX)
		throw new BuildError("limit_exceeded", `the archive has more than ${ENTRIES_MAX} entries`, {
			file: path,
		});
	const entries: Entry[] = [];
	await new Promise<void>((resolve, reject) => {
		zip.on("entry", (entry: Entry) => {
			entries.push(entry);
			zip.readEntry();
		});
		zip.on("end", () => resolve());
		zip.on("error", () => reject(corruptCompression(path)));
		zip.readEntry();
	});
	if (entries.some(({ fileName }) => fileName === WORKBOOK_ENTRY)) {
		const rule = "the file is no CSV but an Excel workbook (.xlsx): save the sheet as CSV";
		throw new BuildError("malformed_header", rule, { file: path });
	}
	const drops = entries.filter(
		({ fileName }) => ENTRY_NAME.test(fileName) && !fileName.startsWith("__MACOSX/"),
	);
	if (drops.length === 1) return drops[0];
	const listed = (drops.length > 0 ? drops : entries).map(({ fileName }) => fileName);
	const names = listed.slice(0, ENTRIES_NAMED_MAX).join(", ");
	const more = listed.length > ENTRIES_NAMED_MAX ? ", …" : "";
	const rule =
		drops.length === 0
			? `the archive has no .csv, .tsv or .txt file: ${names}${more}`
			: `the archive has ${drops.length} drops; unpack it and give the files, or their folder: ${names}${more}`;
	throw new BuildError("no_files", rule, { file: path });
}

class ZipReader implements ByteReader {
	private ended = false;

	constructor(
		private readonly source: StreamReader,
		private readonly handle: FileHandle,
		private readonly sizeBytes: number,
		private readonly entry: Entry,
	) {}

	/** The archive's share that corresponds to what was read of the entry. */
	get sourceBytes(): number {
		if (this.ended) return this.sizeBytes;
		const share = this.source.sourceBytes / Math.max(1, this.entry.uncompressedSize);
		return Math.min(this.sizeBytes - 1, Math.floor(this.sizeBytes * share));
	}

	async read(target: Uint8Array): Promise<number> {
		const read = await this.source.read(target);
		if (read < target.length) this.ended = true;
		return read;
	}

	async close(): Promise<void> {
		await this.source.close();
		await this.handle.close();
	}
}
