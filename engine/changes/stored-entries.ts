/**
 * Entries put together from stored rows in a page of WebAssembly's memory: the rows of an entry are copied there, and
 * the kernel writes the entry from them. No value is read from a column of its own.
 *
 * ```
 * memory: of the kernel ▸ the newer row ▸ the older row ▸ entries
 * ```
 */

import { invariant } from "../../formats/index.js";
import type { RowSource } from "../render/row-source.js";
import type { ByteSink } from "../render/sink.js";
import { KERNEL_BYTES, ROWS_END_MAX, SLACK_BYTES } from "../render/stored-kernel.js";
import type { ChangeKind } from "./change-set.js";
import type { OlderSource } from "./older-rows.js";

/** Bytes of the longest row that is written here: 20 times as long as rows are on average. */
const ROW_BYTES_MAX = 6_144;
/** Room for what an entry has besides values: names of fields and labels. */
export const LABELS_BYTES = 4_096;
const NEWER = KERNEL_BYTES;
const OLDER = NEWER + ROW_BYTES_MAX + SLACK_BYTES;
const ENTRIES = OLDER + ROW_BYTES_MAX + SLACK_BYTES;

invariant(ENTRIES <= ROWS_END_MAX, "rows are where the kernel finds their values");

/** A row in memory: from an address to another. */
export interface RowBytes {
	from: number;
	end: number;
}

/** How a format writes an entry from rows in its memory. */
export interface EntryForm {
	/** Begins with {@link KERNEL_BYTES} of the kernel. */
	readonly memory: Buffer;
	/**
	 * Writes an entry to `memory` from `to` on; `marks` has a bit for each tracked column that changed. Returns where it
	 * ends, or 0 if the entry must be rendered from the columns. REQUIRES: room for {@link LABELS_BYTES} and twice the
	 * rows.
	 */
	write(kind: ChangeKind, newer: RowBytes, older: RowBytes, marks: number, to: number): number;
}

export class StoredEntries {
	private readonly newer: RowBytes = { from: NEWER, end: NEWER };
	private readonly older: RowBytes = { from: OLDER, end: OLDER };
	private end = ENTRIES;

	constructor(
		private readonly form: EntryForm,
		private readonly to: RowSource | null,
		private readonly from: OlderSource | null,
	) {}

	/** Whether the months that entries of this kind have a row of have stored rows. */
	covers(kind: ChangeKind): boolean {
		return (kind === "gone" || this.to !== null) && (kind === "new" || this.from !== null);
	}

	/** Takes the next block, of a kind that this {@link covers}: rows of the newer month and of the older, of which kinds with one row have one. */
	begin(kind: ChangeKind, rows: Uint32Array, previous: Uint32Array): void {
		if (kind !== "gone") this.to?.begin(rows);
		if (kind !== "new") this.from?.begin(kind === "gone", rows, previous);
	}

	/** Appends entry `index` of the block, after `separator` unless that is 0; false: this entry is not written here. */
	append(kind: ChangeKind, index: number, marks: number, separator: number, sink: ByteSink): boolean {
		const { newer, older, form } = this;
		const { memory } = form;
		if (kind !== "gone") {
			if (this.to === null) return false;
			newer.end = NEWER + this.to.copy(index, memory, NEWER, ROW_BYTES_MAX);
			if (newer.end === NEWER) return false;
		}
		if (kind !== "new") {
			if (this.from === null) return false;
			older.end = OLDER + this.from.copy(index, memory, OLDER, ROW_BYTES_MAX);
			if (older.end === OLDER) return false;
		}
		const room = LABELS_BYTES + SLACK_BYTES + 2 * (newer.end - newer.from + older.end - older.from);
		if (this.end + room > memory.length) this.flush(sink);
		let to = this.end;
		if (separator !== 0) memory[to++] = separator;
		const end = form.write(kind, newer, older, marks, to);
		if (end === 0) return false;
		this.end = end;
		return true;
	}

	/** Moves what was appended to `sink`. REQUIRED before others use the same form. */
	flush(sink: ByteSink): void {
		if (this.end > ENTRIES) sink.copy(this.form.memory.subarray(ENTRIES, this.end));
		this.end = ENTRIES;
	}
}
