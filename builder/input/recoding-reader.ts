/** Another reader's bytes, recoded to UTF-8. */

import type { ByteReader } from "./byte-reader.js";
import { RECODED_BYTES_PER_BYTE, type RecodingTable, recode } from "./encodings.js";
import { PieceFiller } from "./piece-filler.js";

const RECODE_BYTES = 1 << 20;

export class RecodingReader implements ByteReader {
	private readonly raw = new Uint8Array(RECODE_BYTES);
	private readonly recoded = new Uint8Array(RECODE_BYTES * RECODED_BYTES_PER_BYTE);
	private readonly filler = new PieceFiller(() => this.next());

	constructor(
		private readonly source: ByteReader,
		private readonly table: RecodingTable,
	) {}

	get sourceBytes(): number {
		return this.source.sourceBytes;
	}

	read(target: Uint8Array): Promise<number> {
		return this.filler.fill(target);
	}

	close(): Promise<void> {
		return this.source.close();
	}

	private async next(): Promise<Uint8Array | null> {
		const read = await this.source.read(this.raw);
		if (read === 0) return null;
		return this.recoded.subarray(0, recode(this.raw.subarray(0, read), this.recoded, this.table));
	}
}
