/**
 * Reads one file of a snapshot. Opening checks the 64-byte header and maps the file, whose memory becomes accessible at
 * first access; on platforms without mapping, the whole file is read then.
 *
 * Invariant: a mapped file stays readable after it is unlinked or its folder is renamed, so a month can be
 * retired while it is being read.
 */

import { closeSync, fstatSync, readSync } from "node:fs";
import type { CatalogFile, CatalogSection } from "../catalog.js";
import { crc32 } from "../crc32.js";
import { FormatError } from "../errors.js";
import {
	holdFile,
	holdInHugePages,
	type MappingMode,
	mapFile,
	mappingMode,
	prefault,
	releaseHugePages,
} from "../files/mmap.js";
import { openToRead } from "../files/open-to-read.js";
import { decodeHeader, HEADER_BYTES, hex, sectionName } from "../layout.js";

/**
 * What of a file is in memory once it is used: the pages that are read; all that the page cache has; or all of it, copied
 * into huge pages where the system has them and memory suffices ({@link holdInHugePages}), else as the page cache has it.
 */
export type Residency = "as-read" | "cached" | "huge-pages";

/** Bytes that are verified before others may run. */
const VERIFIED_BYTES = 1 << 19;

export class SectionFile {
	private mapped: Buffer | null = null;
	/** Whether the bytes have been accessed. */
	private isUsed = false;
	/** Whether they became resident as they are to. */
	private isResident = false;
	private isPrefaulted = false;
	/** Gives access to the file, which is mapped already where files can be. */
	private held: (() => Buffer) | null = null;
	private residency: Residency = "as-read";

	private constructor(
		readonly path: string,
		readonly file: CatalogFile,
		private readonly mode: MappingMode,
	) {}

	/**
	 * Checks that the file exists, has the catalog's length and a valid header for its month. `mode`: how its
	 * bytes are accessed. Cost: one read of 64 bytes and one mapping. Throws {@link FormatError}.
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
		if (mode === "mmap" && mappingMode() === "mmap") opened.held = holdFile(path, mode);
		return opened;
	}

	/** What becomes resident of the file at its first access; of one in use, see {@link keepIfUsed}. Huge pages are given up at once. */
	keepOnUse(residency: Residency): void {
		this.residency = residency;
		this.isResident = false;
		if (residency === "huge-pages" || this.mapped === null) return;
		releaseHugePages(this.mapped);
		// A file that was in huge pages is mapped anew.
		this.isPrefaulted = false;
	}

	/** Makes a file that is in use resident as {@link keepOnUse} said since. Returns whether it was not, and is now. */
	keepIfUsed(): boolean {
		if (!this.isUsed || this.isResident) return false;
		this.makeResident(this.use());
		return this.isResident;
	}

	/** As {@link keepOnUse}, with the first access now. */
	keep(residency: Residency): void {
		this.keepOnUse(residency);
		if (!this.keepIfUsed()) this.use();
	}

	/**
	 * Makes the memory of a file that is mapped accessible, and what the page cache has of it resident, as its use does for
	 * the newest month. Returns when that is done, null if it was so already or the file is not mapped. Throws {@link FormatError}.
	 */
	makeAccessible(): Promise<void> | null {
		if (this.isPrefaulted || (this.held === null && this.mapped === null)) return null;
		this.mapped ??= this.map();
		this.isPrefaulted = true;
		return prefault(this.mapped);
	}

	/** The section's bytes, in place. Cost O(1), except the first call on a file that cannot be mapped. */
	bytes(section: CatalogSection): Buffer {
		return this.use().subarray(section.offset, section.offset + section.bytes);
	}

	/**
	 * Verifies every byte after the header. `sections`: all sections that the catalog lists for this file. Throws
	 * {@link FormatError} `checksum_mismatch` or `stray_bytes`. Cost O(bytes); yields after every
	 * {@link VERIFIED_BYTES}, a fraction of a millisecond.
	 */
	*verifyInSlices(sections: readonly CatalogSection[]): Generator<undefined, void, undefined> {
		const ascending = [...sections].sort((a, b) => a.offset - b.offset || a.bytes - b.bytes);
		let end = HEADER_BYTES;
		for (const section of ascending) {
			this.verifyFill(end, section.offset);
			yield* this.verifySection(section);
			end = section.offset + section.bytes;
		}
		this.verifyFill(end, this.file.bytes);
	}

	/**
	 * Like {@link verifyInSlices}, but reads the file block by block into `buffer` instead of through the mapping: no page
	 * becomes resident, and a disk error is an exception instead of a SIGBUS. Yields the size of each block, so
	 * that the caller can limit the rate. Throws {@link FormatError}.
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

	/** `bytes` bytes from `offset` on, as views of `buffer`; each view is overwritten by the next. */
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
		const bytes = this.use();
		for (let at = from; at < to; at++) this.requireFill(at, bytes[at]);
	}

	private requireFill(at: number, byte: number): void {
		if (byte === 0) return;
		throw new FormatError("stray_bytes", this.path, `byte ${at} between sections is ${byte}, expected 0`);
	}

	private *verifySection(section: CatalogSection): Generator<undefined, void, undefined> {
		const bytes = this.bytes(section);
		let crc = 0;
		for (let at = 0; at < bytes.length; at += VERIFIED_BYTES) {
			crc = crc32(bytes.subarray(at, at + VERIFIED_BYTES), crc);
			yield;
		}
		this.compareChecksum(section, crc);
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

	private use(): Buffer {
		this.mapped ??= this.map();
		if (!this.isUsed) this.makeResident(this.mapped);
		this.isUsed = true;
		return this.mapped;
	}

	private map(): Buffer {
		const bytes = this.held?.() ?? mapFile(this.path, this.mode);
		this.held = null;
		if (bytes.length !== this.file.bytes) {
			throw new FormatError("truncated", this.path, `expected ${this.file.bytes} bytes, got ${bytes.length}`);
		}
		return bytes;
	}

	private makeResident(bytes: Buffer): void {
		this.isResident = true;
		if (this.residency === "as-read") return;
		if (!this.isPrefaulted) void prefault(bytes);
		this.isPrefaulted = true;
		if (this.residency === "huge-pages") this.isResident = holdInHugePages(bytes, this.path);
	}
}

/** The last header read. One buffer for all reads: a month has dozens of files, which are opened while requests are answered. */
const head = Buffer.allocUnsafeSlow(HEADER_BYTES);

/** Checks the file's length and returns its header's bytes, valid until the next call. */
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
