/**
 * Writes one file of a snapshot: header, then sections, each aligned and with its CRC-32.
 * The header is written last, so a file whose writer died has no magic.
 */

import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import type { CatalogFile, CatalogSection, ElementWidth } from "../catalog.js";
import { FormatError } from "../errors.js";
import {
	alignUp,
	encodeHeader,
	type FileType,
	HEADER_BYTES,
	MAX_FILE_BYTES,
	type SectionKind,
} from "../layout.js";

/** A typed array whose bytes become a section. */
export type SectionData = Uint8Array | Uint16Array | Uint32Array;

/** What a finished file adds to the catalog; `file` indexes are the catalog writer's to set. */
export interface WrittenFile {
	readonly file: CatalogFile;
	readonly sections: readonly Omit<CatalogSection, "file">[];
}

const WRITE_BYTES_MAX = 64 * 1024 * 1024;
const ZEROES = new Uint8Array(HEADER_BYTES);

export class SectionFileWriter {
	private readonly descriptor: number;
	private readonly sections: Omit<CatalogSection, "file">[] = [];
	private end = HEADER_BYTES;

	/** Creates the file at `path`, which must not exist. `month` counts months since 2000-01. */
	constructor(
		private readonly path: string,
		private readonly fileType: FileType,
		private readonly month: number,
		private readonly rows: number,
	) {
		this.descriptor = openSync(path, "wx", 0o644);
		this.writeAll(ZEROES, 0);
	}

	/** Appends a section. `data` may be in several parts of one element width. Throws {@link FormatError} past 2 GiB. */
	write(kind: SectionKind, column: number, ...parts: SectionData[]): void {
		const offset = alignUp(this.end);
		let crc = 0;
		let bytes = 0;
		for (const part of parts) {
			const view = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
			if (offset + bytes + view.length > MAX_FILE_BYTES) {
				throw new FormatError(
					"limit_exceeded",
					this.path,
					`section ${kind} grows the file past ${MAX_FILE_BYTES} bytes`,
				);
			}
			crc = crc32(view, crc);
			this.writeAll(view, offset + bytes);
			bytes += view.length;
		}
		const width = (parts[0]?.BYTES_PER_ELEMENT ?? 1) as ElementWidth;
		this.sections.push({ kind, column, offset, bytes, width, crc });
		this.end = offset + bytes;
	}

	/** Writes the header, syncs and closes the file. */
	finish(): WrittenFile {
		const header = encodeHeader({
			fileType: this.fileType,
			month: this.month,
			rows: this.rows,
			payloadBytes: this.end - HEADER_BYTES,
			payloadCrc: 0,
		});
		this.writeAll(header, 0);
		fsyncSync(this.descriptor);
		closeSync(this.descriptor);
		return {
			file: { name: basename(this.path), type: this.fileType, bytes: this.end },
			sections: this.sections,
		};
	}

	/** Closes the file without a header, after an error. */
	abandon(): void {
		closeSync(this.descriptor);
	}

	private writeAll(bytes: Uint8Array, position: number): void {
		let written = 0;
		while (written < bytes.length) {
			const length = Math.min(bytes.length - written, WRITE_BYTES_MAX);
			written += writeSync(this.descriptor, bytes, written, length, position + written);
		}
	}
}
