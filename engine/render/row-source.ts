/** Stored rows as they are, copied one after the other into memory that others put answers together in. */

import type { RowStore } from "../../formats/index.js";
import { touchStored } from "./touch.js";

export class RowSource {
	private rows: Uint32Array = new Uint32Array(0);

	constructor(private readonly store: RowStore) {}

	/** Takes the next block and reads ahead what copying it will read. */
	begin(rows: Uint32Array): void {
		this.store.use();
		touchStored(this.store, rows);
		this.rows = rows;
	}

	/**
	 * Copies row `index` of the block to target[at…). Returns its bytes; 0 if they are more than `most`, or the row is
	 * corrupt.
	 */
	copy(index: number, target: Buffer, at: number, most: number): number {
		const { store } = this;
		const row = this.rows[index];
		const bytes = store.runBytes(row, row + 1);
		if (bytes === 0 || bytes > most) return 0;
		return store.copyRun(row, row + 1, target, at);
	}
}
