/**
 * Writes one file of a snapshot: a header, then aligned sections with their CRC-32. The header is written last,
 * so an incomplete file has no magic.
 */

import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { basename } from "node:path";
import type { CatalogFile, CatalogSection, ElementWidth } from "../catalog.js";
import { crc32 } from "../crc32.js";
import { FormatError, invariant } from "../errors.js";
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

/** A finished file's entries for the catalog; the catalog writer sets the `file` indexes. */
export interface WrittenFile {
	readonly file: CatalogFile;
	readonly sections: readonly Omit<CatalogSection, "file">[];
}

type OpenSection = { -readonly [K in keyof Omit<CatalogSection, "file">]: CatalogSection[K] };

const WRITE_BYTES_MAX = 64 * 1024 * 1024;
const ZEROES = new Uint8Array(HEADER_BYTES);

export class SectionFileWriter {
	private readonly descriptor: number;
	private readonly sections: Omit<CatalogSection, "file">[] = [];
	private endOffset = HEADER_BYTES;
	private open: OpenSection | null = null;

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

	/** Appends a section of one typed array. Throws {@link FormatError} beyond 2 GiB. */
	write(kind: SectionKind, column: number, data: SectionData): void {
		this.begin(kind, column, data.BYTES_PER_ELEMENT as ElementWidth);
		this.append(data);
		this.end();
	}

	/** Begins a section whose bytes are appended in parts. */
	begin(kind: SectionKind, column: number, width: ElementWidth): void {
		invariant(this.open === null, "the section before has ended");
		this.open = { kind, column, offset: alignUp(this.endOffset), bytes: 0, width, crc: 0 };
	}

	/** Appends bytes to the open section. */
	append(data: SectionData): void {
		const { open } = this;
		invariant(open !== null, "a section has begun");
		const view = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
		const at = open.offset + open.bytes;
		if (at + view.length > MAX_FILE_BYTES) {
			throw new FormatError(
				"limit_exceeded",
				this.path,
				`section ${open.kind} grows the file past ${MAX_FILE_BYTES} bytes`,
			);
		}
		open.crc = crc32(view, open.crc);
		this.writeAll(view, at);
		open.bytes += view.length;
	}

	/** Ends the open section. */
	end(): void {
		invariant(this.open !== null, "a section has begun");
		this.sections.push(this.open);
		this.endOffset = this.open.offset + this.open.bytes;
		this.open = null;
	}

	/** Writes the header, syncs the file if `sync`, and closes it. */
	finish(sync = true): WrittenFile {
		invariant(this.open === null, "every section has ended");
		const header = encodeHeader({
			fileType: this.fileType,
			month: this.month,
			rows: this.rows,
			payloadBytes: this.endOffset - HEADER_BYTES,
			payloadCrc: 0,
		});
		// If the last section is empty, no write has reached the end.
		ftruncateSync(this.descriptor, this.endOffset);
		this.writeAll(header, 0);
		if (sync) fsyncSync(this.descriptor);
		closeSync(this.descriptor);
		return {
			file: { name: basename(this.path), type: this.fileType, bytes: this.endOffset },
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
