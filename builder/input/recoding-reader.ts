/** Another reader's bytes, recoded to UTF-8. */

import { BuildError } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { DerivedReader } from "./derived-reader.js";
import { RECODED_BYTES_PER_BYTE, type RecodingTable, recode } from "./encodings.js";

const RECODE_BYTES = 1 << 20;

export class RecodingReader extends DerivedReader {
	private readonly raw = new Uint8Array(RECODE_BYTES);
	private readonly recoded = new Uint8Array(RECODE_BYTES * RECODED_BYTES_PER_BYTE);

	private isFirst = true;

	constructor(
		private readonly path: string,
		source: ByteReader,
		private readonly table: RecodingTable,
	) {
		super(source);
	}

	protected async next(): Promise<Uint8Array | null> {
		const read = await this.source.read(this.raw);
		if (read === 0) return null;
		if (this.isFirst) refuseMark(this.path, this.raw);
		this.isFirst = false;
		return this.recoded.subarray(0, recode(this.raw.subarray(0, read), this.recoded, this.table));
	}
}

/** Refuses a file whose byte-order mark is that of another encoding, which its text would be garbled by. */
function refuseMark(file: string, bytes: Uint8Array): void {
	const begins = (...mark: number[]) => mark.every((byte, i) => bytes[i] === byte);
	const mended = begins(0xef, 0xbb, 0xbf)
		? 'UTF-8; leave "encoding" out of its map'
		: begins(0xff, 0xfe) || begins(0xfe, 0xff)
			? 'UTF-16; set "encoding" to "utf-16" in its map'
			: null;
	if (mended !== null)
		throw new BuildError("unreadable_file", `the file begins with the byte-order mark of ${mended}`, {
			file,
		});
}
