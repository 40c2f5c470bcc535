/** Another reader's bytes, recoded to UTF-8. */

import { BuildError } from "../errors.js";
import { markedEncoding } from "./byte-order-mark.js";
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
		if (this.isFirst) refuseMark(this.path, this.raw.subarray(0, read));
		this.isFirst = false;
		return this.recoded.subarray(0, recode(this.raw.subarray(0, read), this.recoded, this.table));
	}
}

/** Refuses a file whose byte-order mark is that of another encoding, which its text would be garbled by. */
function refuseMark(file: string, bytes: Uint8Array): void {
	const marked = markedEncoding(bytes);
	if (marked === null) return;
	const mended =
		marked === "utf-8"
			? 'UTF-8; leave "encoding" out of its map'
			: 'UTF-16; set "encoding" to "utf-16" in its map';
	const rule = `the file begins with the byte-order mark of ${mended}`;
	throw new BuildError("unreadable_file", rule, { file });
}
