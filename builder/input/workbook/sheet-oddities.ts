/**
 * What of a sheet its records do not reveal, counted by kind and column, with the first places of each. Which row is the
 * header is not known here, so that what the first rows have is kept by row, for readers that look below it alone. Memory is
 * bounded: no list grows with the rows of a sheet.
 */

import {
	ODD_SAMPLE_CHARACTERS_MAX,
	ODD_SAMPLES_MAX,
	type OddSample,
	type SourceOddity,
} from "../byte-reader.js";

/** Rows kept apart; headers are rarely below them. */
const HEAD_ROWS = 100;

interface Counted {
	readonly kind: SourceOddity["kind"];
	readonly column: number | null;
	readonly row: number | null;
	count: number;
	readonly samples: OddSample[];
}

export class SheetOddities {
	private readonly counted = new Map<string, Counted>();

	/** Counts `count` cells or rows; `column` and `row`, the last one concerned, count from 0. */
	add(
		kind: SourceOddity["kind"],
		{ column, row }: { readonly column: number | null; readonly row: number },
		count: number,
		sample: OddSample | null,
	): void {
		const isHead = (kind === "merged_cell" || kind === "hidden_row") && row < HEAD_ROWS;
		const key = `${kind} ${column} ${isHead ? row : ""}`;
		const found = this.counted.get(key) ?? {
			kind,
			column,
			row: isHead ? row + 1 : null,
			count: 0,
			samples: [],
		};
		this.counted.set(key, found);
		found.count += count;
		if (sample === null || found.samples.length === ODD_SAMPLES_MAX) return;
		found.samples.push({ line: sample.line, text: sample.text.slice(0, ODD_SAMPLE_CHARACTERS_MAX) });
	}

	/** What was counted so far. */
	list(): SourceOddity[] {
		return [...this.counted.values()].map(({ kind, column, row, count, samples }) => ({
			kind,
			column,
			count,
			...(row === null ? {} : { row }),
			...(samples.length > 0 ? { samples } : {}),
		}));
	}
}
