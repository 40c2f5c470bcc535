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
import { type MappingMode, mapFile, mappingMode } from "../mmap.js";

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

	/**
	 * As {@link verify}, but reads the file piece by piece into `buffer` instead of touching the map: it
	 * makes no memory resident, and a disk that fails is an error, not the end of the process. Yields
	 * the bytes of each piece, so that the caller sets the pace. Throws {@link FormatError}.
	 */
	*readThrough(sections: readonly CatalogSection[], buffer: Buffer): Generator<number> {
		const ascending = [...sections].sort((a, b) => a.offset - b.offset || a.bytes - b.bytes);
		const descriptor = openToRead(this.path);
		try {
			let end = HEADER_BYTES;
			for (const section of ascending) {
				yield* this.readFill(descriptor, end, section.offset, buffer);
				let crc = 0;
				for (const piece of this.pieces(descriptor, section.offset, section.bytes, buffer)) {
					crc = crc32(piece, crc);
					yield piece.length;
				}
				this.compareChecksum(section, crc);
				end = section.offset + section.bytes;
			}
			yield* this.readFill(descriptor, end, this.file.bytes, buffer);
		} finally {
			closeSync(descriptor);
		}
	}

	private *readFill(descriptor: number, from: number, to: number, buffer: Buffer): Generator<number> {
		let at = from;
		for (const piece of this.pieces(descriptor, from, to - from, buffer)) {
			for (const byte of piece) this.requireFill(at++, byte);
			yield piece.length;
		}
	}

	/** The bytes from `offset` on, as views of `buffer` that the next one overwrites. */
	private *pieces(descriptor: number, offset: number, bytes: number, buffer: Buffer): Generator<Buffer> {
		for (let at = 0; at < bytes; ) {
			const got = this.read(descriptor, buffer, Math.min(buffer.length, bytes - at), offset + at);
			yield buffer.subarray(0, got);
			at += got;
		}
	}

	private read(descriptor: number, buffer: Buffer, bytes: number, position: number): number {
		let got: number;
		try {
			got = readSync(descriptor, buffer, 0, bytes, position);
		} catch (error) {
			throw new FormatError("unreadable", this.path, (error as Error).message);
		}
		if (got > 0) return got;
		throw new FormatError("truncated", this.path, `expected ${this.file.bytes} bytes, got ${position}`);
	}

	private verifyFill(from: number, to: number): void {
		this.mapped ??= this.map();
		for (let at = from; at < to; at++) this.requireFill(at, this.mapped[at]);
	}

	private requireFill(at: number, byte: number): void {
		if (byte === 0) return;
		throw new FormatError(
			"stray_bytes",
			this.path,
			`byte ${at} lies between sections, expected 0, got ${byte}`,
		);
	}

	private verifySection(section: CatalogSection): void {
		this.compareChecksum(section, crc32(this.bytes(section)));
	}

	private compareChecksum(section: CatalogSection, crc: number): void {
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

/**
 * The header that was read last: one memory for all, since each new one that a system call fills has V8
 * look at how much memory is mapped, which of months is enough to have it collect garbage.
 */
const head = Buffer.allocUnsafeSlow(HEADER_BYTES);

/** The header's bytes, until the next is read, after a check of the file's length. */
function readHead(path: string, expectedBytes: number): Buffer {
	const descriptor = openToRead(path);
	try {
		const bytes = fstatSync(descriptor).size;
		if (bytes !== expectedBytes) {
			throw new FormatError("truncated", path, `expected ${expectedBytes} bytes, got ${bytes}`);
		}
		head.fill(0);
		readSync(descriptor, head, 0, HEADER_BYTES, 0);
		return head;
	} finally {
		closeSync(descriptor);
	}
}

function openToRead(path: string): number {
	try {
		return openSync(path, "r");
	} catch (error) {
		throw new FormatError("unreadable", path, (error as Error).message);
	}
}
