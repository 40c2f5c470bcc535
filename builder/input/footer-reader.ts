/**
 * Another reader's bytes without the last lines of the source. The end is known only when it is reached, so the
 * newest bytes are always held back until the source continues or ends.
 */

import { BuildError } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { DerivedReader } from "./derived-reader.js";

/** Bytes held back; the skipped lines must fit. */
const HELD_BYTES = 1 << 18;
const PIECE_BYTES = 1 << 20;
const LF = 0x0a;
const CR = 0x0d;
const BLANKS = [0x20, 0x09, LF, CR];

export class FooterReader extends DerivedReader {
	/** Lines skipped, once the source has ended. */
	skipped = 0;
	/** The skipped bytes, once the source has ended. */
	footer = new Uint8Array(0);
	private held = new Uint8Array(0);
	private ended = false;

	/** Skips the last `lines` non-blank lines, and blank lines after and between them. */
	constructor(
		private readonly path: string,
		source: ByteReader,
		private readonly lines: number,
	) {
		super(source);
	}

	protected async next(): Promise<Uint8Array | null> {
		while (!this.ended) {
			const piece = new Uint8Array(this.held.length + PIECE_BYTES);
			piece.set(this.held);
			const read = await this.source.read(piece.subarray(this.held.length));
			const bytes = piece.subarray(0, this.held.length + read);
			this.ended = read < PIECE_BYTES;
			if (this.ended) return this.withoutFooter(bytes);
			this.held = bytes.slice(bytes.length - HELD_BYTES);
			if (bytes.length > HELD_BYTES) return bytes.subarray(0, bytes.length - HELD_BYTES);
		}
		return null;
	}

	/** `bytes`, the source's last, up to the start of the footer; null if nothing remains. */
	private withoutFooter(bytes: Uint8Array): Uint8Array | null {
		let end = bytes.length;
		while (this.skipped < this.lines && end > 0) {
			const begin = lineBegin(bytes, end);
			if (begin === 0 && bytes.length >= HELD_BYTES) {
				throw new BuildError(
					"limit_exceeded",
					`the last ${this.lines} lines have more than ${HELD_BYTES} bytes`,
					{
						file: this.path,
					},
				);
			}
			if (!isBlank(bytes, begin, end)) this.skipped++;
			end = begin;
		}
		this.footer = bytes.slice(end);
		if (end > 0) return bytes.subarray(0, end);
		// Here the footer began in the first bytes: a longer source has more than the bytes held back.
		if (this.skipped > 0) {
			const has = `only ${this.skipped} that ${this.skipped === 1 ? "is" : "are"} not blank`;
			const rule = `"skipFooter" is ${this.lines}, the lines to skip at the end, but the file has ${has}`;
			throw new BuildError("empty_file", rule, { file: this.path });
		}
		return null;
	}
}

/** Start of the line that ends at `end`, including its line end. */
function lineBegin(bytes: Uint8Array, end: number): number {
	let at = end;
	while (at > 0 && (bytes[at - 1] === LF || bytes[at - 1] === CR)) at--;
	while (at > 0 && bytes[at - 1] !== LF && bytes[at - 1] !== CR) at--;
	return at;
}

/** Whether a line is blank to the scanner of records: a lone control character, such as an end-of-file mark, is not. */
function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (!BLANKS.includes(bytes[i])) return false;
	return true;
}
