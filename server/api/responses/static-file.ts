/**
 * A constant file and its compressed forms. Each form is made once, by the first GET that accepts it,
 * however many ask at the same time; HEAD and conditional requests make none.
 */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { COMPRESSED_BYTES_MIN, type Coding, preferredCoding } from "./compression.js";

/** The smaller one first. */
const CODINGS = ["br", "gzip"] as const;
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/** Takes a fifth of a second for the largest file, off the event loop. */
const BROTLI_QUALITY = 9;

/** Bytes as sent, and their `Content-Encoding`; null: none. */
export interface Representation {
	readonly bytes: Uint8Array;
	readonly coding: Coding | null;
}

export class StaticFile {
	readonly bytes: Uint8Array;
	private readonly compressed = new Map<Coding, Uint8Array>();
	private readonly pending = new Map<Coding, Promise<Representation>>();

	constructor(bytes: Uint8Array | string) {
		this.bytes = Buffer.from(bytes as string);
	}

	/** Number of times that the file was compressed. */
	compressions = 0;

	/** The best representation for an `Accept-Encoding` value, without its bytes if it was never made. */
	ready(acceptEncoding: string | null): Representation | Omit<Representation, "bytes"> {
		const coding = this.codingFor(acceptEncoding);
		const bytes = coding === null ? this.bytes : this.compressed.get(coding);
		return bytes === undefined ? { coding } : { bytes, coding };
	}

	/** The best representation for an `Accept-Encoding` value, compressing the file the first time. */
	get(acceptEncoding: string | null): Representation | Promise<Representation> {
		const coding = this.codingFor(acceptEncoding);
		if (coding === null) return { bytes: this.bytes, coding };
		const bytes = this.compressed.get(coding);
		if (bytes !== undefined) return { bytes, coding };
		const pending = this.pending.get(coding) ?? this.compress(coding);
		this.pending.set(coding, pending);
		return pending;
	}

	private codingFor(acceptEncoding: string | null): Coding | null {
		if (this.bytes.length < COMPRESSED_BYTES_MIN) return null;
		return preferredCoding(acceptEncoding, CODINGS);
	}

	private async compress(coding: Coding): Promise<Representation> {
		this.compressions++;
		const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
		const bytes =
			coding === "br" ? await compressBrotli(this.bytes, { params }) : await compressGzip(this.bytes);
		this.compressed.set(coding, bytes);
		this.pending.delete(coding);
		return { bytes, coding };
	}
}
