/**
 * A .zip archive on disk, opened within bounds: its entries, and each of them as a stream. An entry that
 * decompresses too much is refused, by what the archive's directory says and by what is read. The CRC-32 of
 * every entry is verified here, since yauzl verifies sizes only.
 */

import type { FileHandle } from "node:fs/promises";
import { pipeline, type Readable, Transform } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { BuildError, corruptCompression } from "../errors.js";

/** An entry that every workbook (.xlsx) has. */
export const WORKBOOK_ENTRY = "xl/workbook.xml";

const ENTRIES_MAX = 10_000;
/** Bytes that a byte of an archive may decompress to. Rosters compress 5 to 30 times. */
export const RATIO_MAX = 200;
/** Bytes that any archive may decompress to. */
export const ALLOWANCE_BYTES = 1 << 20;

export class ZipArchive {
	private constructor(
		readonly path: string,
		readonly sizeBytes: number,
		readonly entries: readonly Entry[],
		private readonly zip: ZipFile,
	) {}

	/** Reads the directory of the archive behind `handle`, which stays the caller's to close. Throws {@link BuildError}. */
	static async open(path: string, handle: FileHandle, sizeBytes: number): Promise<ZipArchive> {
		return ZipArchive.read(path, handle.fd, sizeBytes);
	}

	/** Reads the directory of an archive in memory; `sizeBytes`, what limits on its contents are proportional to. */
	static ofBytes(path: string, bytes: Buffer, sizeBytes: number): Promise<ZipArchive> {
		return ZipArchive.read(path, bytes, sizeBytes);
	}

	private static async read(path: string, from: number | Buffer, sizeBytes: number): Promise<ZipArchive> {
		// Loaded here, since few drops are archives.
		const { default: yauzl } = await import("yauzl");
		const zip = await new Promise<ZipFile>((resolve, reject) => {
			const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true } as const;
			const opened = (error: Error | null, archive: ZipFile) => {
				if (error === null) resolve(archive);
				else reject(corruptCompression(path));
			};
			if (typeof from === "number") yauzl.fromFd(from, options, opened);
			else yauzl.fromBuffer(from, options, opened);
		});
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
			zip.on("error", ({ message }: Error) => reject(unreadableDirectory(path, message)));
			zip.readEntry();
		});
		return new ZipArchive(path, sizeBytes, entries, zip);
	}

	/** The entry named `name`; undefined where there is none. */
	find(name: string): Entry | undefined {
		return this.entries.find(({ fileName }) => fileName === name);
	}

	/** The entry of the workbook's part `name`, whose case may differ (ECMA-376 part 2, 6.2.2.3); undefined where there is none. */
	part(name: string): Entry | undefined {
		const lower = name.toLowerCase();
		return this.find(name) ?? this.entries.find(({ fileName }) => fileName.toLowerCase() === lower);
	}

	/** Throws `limit_exceeded` where entries, which may overlap, decompress to too much. */
	requireModest(entries: readonly Entry[]): void {
		for (const entry of entries) {
			if (entry.uncompressedSize <= RATIO_MAX * entry.compressedSize + ALLOWANCE_BYTES) continue;
			const rule = `"${entry.fileName}" decompresses to more than ${RATIO_MAX} times its size`;
			throw new BuildError("limit_exceeded", rule, { file: this.path });
		}
		const total = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
		if (total > RATIO_MAX * this.sizeBytes + ALLOWANCE_BYTES) {
			const rule = `its entries decompress to more than ${RATIO_MAX} times the archive's size`;
			throw new BuildError("limit_exceeded", rule, { file: this.path });
		}
	}

	/**
	 * The decompressed bytes of `entry`. They end in {@link BuildError} `corrupt_compression` if their number or
	 * CRC-32 is not that of the directory.
	 */
	openEntry(entry: Entry): Promise<Readable> {
		this.requireModest([entry]);
		if (entry.isEncrypted())
			throw new BuildError(
				"unreadable_file",
				`"${entry.fileName}" is encrypted: unpack it, with its password`,
				{
					file: this.path,
				},
			);
		return new Promise((resolve, reject) => {
			this.zip.openReadStream(entry, (error, opened) => {
				if (error === null) resolve(verified(opened, entry, this.path));
				else
					reject(
						new BuildError("unreadable_file", `"${entry.fileName}": ${error.message}: unpack it`, {
							file: this.path,
						}),
					);
			});
		});
	}
}

/** What yauzl says of an entry whose path leads out of the archive. */
const OUTSIDE = /^(?:invalid relative path|absolute path): (.*)$/s;

/** The error of an archive whose directory yauzl refuses with `message`. */
function unreadableDirectory(file: string, message: string): BuildError {
	const outside = OUTSIDE.exec(message);
	if (outside === null) return corruptCompression(file);
	return new BuildError(
		"unreadable_file",
		`the path of "${outside[1]}" leads out of the archive: unpack it`,
		{
			file,
		},
	);
}

/** The bytes of `opened`, which fail at their end if their CRC-32 is not that of `entry`. */
function verified(opened: Readable, entry: Entry, file: string): Readable {
	let crc = 0;
	const checked = new Transform({
		transform(piece: Uint8Array, _encoding, done) {
			crc = crc32(piece, crc);
			done(null, piece);
		},
		flush: (done) => done(crc === entry.crc32 ? null : corruptCompression(file)),
	});
	// Errors of the system name their call; the others are of the decompression and of the size.
	opened.on("error", (error: NodeJS.ErrnoException) =>
		checked.destroy(error.syscall === undefined ? corruptCompression(file) : error),
	);
	return pipeline(opened, checked, () => undefined);
}
