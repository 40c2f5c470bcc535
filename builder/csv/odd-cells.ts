/** Cells of one column that a map did not read as it was written for, counted, with the first ones as samples. */

import { ODD_SAMPLE_CHARACTERS_MAX, ODD_SAMPLES_MAX, type OddSample } from "../input/byte-reader.js";
import type { RecordBlock } from "./record-block.js";

/** Lines of the samples are 0-based, relative to the chunk. */
export interface CountedCells {
	readonly count: number;
	readonly samples: readonly OddSample[];
}

export class OddCells {
	private count = 0;
	private samples: OddSample[] = [];

	/** Counts the cell of `record` in `field`, in the order of the file. */
	add({ data, table, lines }: RecordBlock, field: number, record: number): void {
		this.count++;
		if (this.samples.length === ODD_SAMPLES_MAX) return;
		const cell = field * table.records + record;
		const text = Buffer.from(data.bytes.slice(table.starts[cell], table.ends[cell])).toString("utf8");
		this.samples.push({ line: lines[record], text: text.slice(0, ODD_SAMPLE_CHARACTERS_MAX) });
	}

	/** Returns the cells counted so far and starts over. */
	take(): CountedCells {
		const { count, samples } = this;
		this.count = 0;
		this.samples = [];
		return { count, samples };
	}
}
