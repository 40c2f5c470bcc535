/** A block of entries of one kind that are written together, so that the cache misses of their rows overlap. */

import { type ColumnName, invariant, PREVIOUS_UNKNOWN } from "../../formats/index.js";
import { BLOCK_ROWS_MAX } from "../render/rows.js";
import type { ChangeKind, ChangeSet } from "./change-set.js";

export class EntryBlock {
	kind: ChangeKind = "new";
	/** Rows of the newer month, of the older for licenses that are gone. */
	rows: Uint32Array = new Uint32Array(0);
	/** Of changed licenses: their rows in the older month. */
	previous: Uint32Array = new Uint32Array(0);
	/** A bit for each field that changed: of changed licenses only. */
	readonly marks = new Uint32Array(BLOCK_ROWS_MAX);
	private readonly previousRows = new Uint32Array(BLOCK_ROWS_MAX);
	private readonly changedIn: readonly Uint32Array[];

	/** `fields`: tracked columns, at most 32. */
	constructor(
		private readonly set: ChangeSet,
		fields: readonly ColumnName[],
	) {
		invariant(fields.length <= 32, "the fields of an entry are bits of a word");
		this.changedIn = fields.map((field) => set.changes.fields.get(field) as Uint32Array);
	}

	/** Takes the next block. */
	take(kind: ChangeKind, rows: Uint32Array): void {
		this.kind = kind;
		this.rows = rows;
		this.marks.fill(0, 0, rows.length);
		if (kind !== "changed") return;
		for (let i = 0; i < rows.length; i++) this.previousRows[i] = this.previousOf(rows[i]);
		this.previous = this.previousRows.subarray(0, rows.length);
		this.markChanged();
	}

	private markChanged(): void {
		const { rows, marks, changedIn } = this;
		for (let field = 0; field < changedIn.length; field++) {
			const words = changedIn[field];
			for (let i = 0; i < rows.length; i++)
				marks[i] |= ((words[rows[i] >>> 5] >>> (rows[i] & 31)) & 1) << field;
		}
	}

	private previousOf(row: number): number {
		const previous = this.set.changes.previousRows[row];
		if (previous >= PREVIOUS_UNKNOWN) throw new TypeError("a changed row has a previous one");
		return previous;
	}
}
