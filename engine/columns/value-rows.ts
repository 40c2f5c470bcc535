/** How many rows of some states have a value, or one of those that a prefix begins, from the postings of the column. */

import type { Column, Dictionary, Postings } from "../../formats/index.js";
import { countRows, countWithin, type Run } from "./runs.js";
import type { SnapshotColumns } from "./snapshot-columns.js";

export class ValueRows {
	private readonly dictionary: Dictionary;
	private readonly postings: Postings;
	/** Whether the runs are all rows of the snapshot. */
	private readonly isWhole: boolean;

	/** Counts within `runs`, which are ascending; `column` has postings. */
	constructor(
		column: Column,
		private readonly runs: readonly Run[],
		columns: SnapshotColumns,
	) {
		this.dictionary = columns.dictionary.get(column);
		this.postings = columns.postings.get(column);
		this.isWhole = countRows(runs) === columns.rows;
	}

	/** Rows with the value of `code`. Cost O(1) over all rows, else O(runs × log rows). */
	ofCode(code: number): number {
		const { offsets, rows } = this.postings;
		if (this.isWhole) return offsets[code + 1] - offsets[code];
		return countWithin(this.runs, rows, offsets[code], offsets[code + 1]);
	}

	/** Rows with `value`. Cost O(log distinct) and as of {@link ofCode}. */
	ofValue(value: string): number {
		const code = this.dictionary.find(value);
		return code === -1 ? 0 : this.ofCode(code);
	}

	/** Whether a row has `text` in any letter case. Cost O(log distinct) and as of {@link ofCode} for each letter case. */
	hasFold(text: string): boolean {
		const { from, to } = this.dictionary.foldRange(text);
		for (let code = from; code < to; code++) if (this.ofCode(code) > 0) return true;
		return false;
	}

	/** Values, of whichever rows, whose fold begins with that of `prefix`. Cost O(log distinct). */
	valuesWithPrefix(prefix: string): number {
		const { from, to } = this.dictionary.prefixRange(prefix);
		return to - from;
	}

	/** Rows with a value whose fold begins with that of `prefix`. Cost O(log distinct) and as of {@link ofCode} for each value. */
	withPrefix(prefix: string): number {
		const { from, to } = this.dictionary.prefixRange(prefix);
		let rows = 0;
		for (let code = from; code < to; code++) rows += this.ofCode(code);
		return rows;
	}
}
