/**
 * Reads one file of a snapshot: checks its header from 64 bytes and maps it at open. Where files
 * cannot be mapped, a file is read as a whole at first touch.
 *
 * Invariant: a mapped file stays readable after it is unlinked or its folder renamed, touched before
 * or not; so a month can be retired under a reader's hands.
 */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { CatalogFile, CatalogSection } from "../catalog.js";
import { FormatError } from "../errors.js";
import { decodeHeader, HEADER_BYTES, hex, sectionName } from "../layout.js";
import { type MappingMode, mapFile, mappingMode } from "../mapping.js";

export class SectionFile {
	private mapped: Buffer | null = null;

	private constructor(
		readonly path: string,
		readonly file: CatalogFile,
		private readonly mode: MappingMode,
	) {}

	/**
	 * Checks that the file exists, has the catalog's length and a sound header for its month.
	 * `mode` says how its bytes will be got at. Cost: one read of 64 bytes and one mapping. Throws {@link FormatError}.
	 */
	static open(
		path: string,
		file: CatalogFile,
		month: number,
		rows: number,
		mode: MappingMode = mappingMode(),
	): SectionFile {
		const head = readHead(path, file.bytes);
		const header = decodeHeader(head, file.bytes, file.type, path);
		if (header.month !== month || header.rows !== rows) {
			const got = `month ${header.month} with ${header.rows} rows`;
			throw new FormatError("wrong_file", path, `expected month ${month} with ${rows} rows, got ${got}`);
		}
		const opened = new SectionFile(path, file, mode);
		if (mode === "mmap" && mappingMode() === "mmap") opened.mapped = opened.map();
		return opened;
	}

	/** The section's bytes, in place. Cost O(1), but for the first call on a file that cannot be mapped. */
	bytes(section: CatalogSection): Buffer {
		this.mapped ??= this.map();
		return this.mapped.subarray(section.offset, section.offset + section.bytes);
	}

	/**
	 * Reads every byte behind the header: `sections` are all that the catalog says this file has.
	 * Throws {@link FormatError} `checksum_mismatch` or `stray_bytes`. Cost O(bytes).
	 */
	verify(sections: readonly CatalogSection[]): void {
		const ascending = [...sections].sort((a, b) => a.offset - b.offset || a.bytes - b.bytes);
		let end = HEADER_BYTES;
		for (const section of ascending) {
			this.verifyFill(end, section.offset);
			this.verifySection(section);
			end = section.offset + section.bytes;
		}
		this.verifyFill(end, this.file.bytes);
	}

	private verifyFill(from: number, to: number): void {
		this.mapped ??= this.map();
		for (let at = from; at < to; at++) {
			if (this.mapped[at] !== 0) {
				throw new FormatError(
					"stray_bytes",
					this.path,
					`byte ${at} lies between sections, expected 0, got ${this.mapped[at]}`,
				);
			}
		}
	}

	private verifySection(section: CatalogSection): void {
		const crc = crc32(this.bytes(section));
		if (crc === section.crc) return;
		const what = `section ${sectionName(section.kind) ?? section.kind} at ${section.offset}`;
		throw new FormatError(
			"checksum_mismatch",
			this.path,
			`${what}: expected CRC ${hex(section.crc)}, got ${hex(crc)}`,
		);
	}

	private map(): Buffer {
		const bytes = mapFile(this.path, this.mode);
		if (bytes.length !== this.file.bytes) {
			throw new FormatError("truncated", this.path, `expected ${this.file.bytes} bytes, got ${bytes.length}`);
		}
		return bytes;
	}
}

/** The header's bytes, after a check of the file's length. */
function readHead(path: string, expectedBytes: number): Buffer {
	let descriptor: number;
	try {
		descriptor = openSync(path, "r");
	} catch (error) {
		throw new FormatError("unreadable", path, (error as Error).message);
	}
	try {
		const bytes = fstatSync(descriptor).size;
		if (bytes !== expectedBytes) {
			throw new FormatError("truncated", path, `expected ${expectedBytes} bytes, got ${bytes}`);
		}
		const head = Buffer.alloc(HEADER_BYTES);
		readSync(descriptor, head, 0, HEADER_BYTES, 0);
		return head;
	} finally {
		closeSync(descriptor);
	}
}
