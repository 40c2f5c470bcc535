/** Another reader's bytes, recoded to UTF-8. */

import type { ByteReader } from "./byte-reader.js";
import { DerivedReader } from "./derived-reader.js";
import { RECODED_BYTES_PER_BYTE, type RecodingTable, recode } from "./encodings.js";

const RECODE_BYTES = 1 << 20;

export class RecodingReader extends DerivedReader {
	private readonly raw = new Uint8Array(RECODE_BYTES);
	private readonly recoded = new Uint8Array(RECODE_BYTES * RECODED_BYTES_PER_BYTE);

	constructor(
		source: ByteReader,
		private readonly table: RecodingTable,
	) {
		super(source);
	}

	protected async next(): Promise<Uint8Array | null> {
		const read = await this.source.read(this.raw);
		if (read === 0) return null;
		return this.recoded.subarray(0, recode(this.raw.subarray(0, read), this.recoded, this.table));
	}
}
