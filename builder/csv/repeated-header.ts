/**
 * Finds records that repeat the header, as in files that were joined or printed by pages: each cell in use is its
 * column's name. With a constant state such a record would be a license.
 */

import { type ByteBlock, blockOfText, equalBytes } from "./byte-block.js";
import { NO_COLUMN_CODE, type RecordBlock } from "./record-block.js";

export class RepeatedHeader {
	private readonly names: readonly {
		readonly field: number;
		readonly block: ByteBlock;
		readonly length: number;
	}[];

	/** `names` are the header's, `fields` those in use. */
	constructor(names: readonly string[], fields: readonly number[]) {
		this.names = fields.map((field) => ({ field, ...blockOfText(names[field]) }));
	}

	/** Marks the records of the block, whose cells are cleaned. Cost O(records) where no record repeats the header. */
	mark(block: RecordBlock): void {
		for (let record = 0; record < block.records; record++)
			if (this.isHeader(block, record)) block.reject(record, "repeated_header", NO_COLUMN_CODE);
	}

	private isHeader({ data, table }: RecordBlock, record: number): boolean {
		for (const { field, block, length } of this.names) {
			const cell = field * table.records + record;
			const start = table.starts[cell];
			if (table.ends[cell] - start !== length || !equalBytes(block.words, 0, data.words, start, length))
				return false;
		}
		return this.names.length > 0;
	}
}
