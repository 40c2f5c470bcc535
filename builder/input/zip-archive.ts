/**
 * A .zip archive on disk, opened within bounds: its entries, and each of them as a stream. An entry that
 * decompresses too much is refused, by what the archive's directory says and by what is read.
 */

import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
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
		// Loaded here, since few drops are archives.
		const { default: yauzl } = await import("yauzl");
		const zip = await new Promise<ZipFile>((resolve, reject) => {
			const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true } as const;
			yauzl.fromFd(handle.fd, options, (error, opened) => {
				if (error === null) resolve(opened);
				else reject(corruptCompression(path));
			});
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
			zip.on("error", () => reject(corruptCompression(path)));
			zip.readEntry();
		});
		return new ZipArchive(path, sizeBytes, entries, zip);
	}

	/** The entry named `name`; undefined where there is none. */
	find(name: string): Entry | undefined {
		return this.entries.find(({ fileName }) => fileName === name);
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

	/** The decompressed bytes of `entry`, which end in an error where they are not as many as the directory says. */
	openEntry(entry: Entry): Promise<Readable> {
		this.requireModest([entry]);
		return new Promise((resolve, reject) => {
			this.zip.openReadStream(entry, (error, opened) => {
				if (error === null) resolve(opened);
				else
					reject(
						new BuildError("unreadable_file", `"${entry.fileName}": ${error.message}`, { file: this.path }),
					);
			});
		});
	}
}
