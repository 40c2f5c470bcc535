/**
 * Values of a column with their rows as JSON, without objects or strings in between: `[{"value":"Ottawa","rows":12}]`,
 * the same bytes as JSON.stringify of the objects.
 */

import type { Column } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { type Cell, openLabelled } from "./cells.js";
import { wordOfText } from "./copy-words.js";
import { writeNumber } from "./digits.js";
import { writeRange } from "./json.js";
import type { ByteSink } from "./sink.js";
import { touchDictionary } from "./touch.js";

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

const VALUE = '{"value":';
/** `,"rows":` as two words. */
const ROWS = [wordOfText(',"ro'), wordOfText('ws":')] as const;
/** Bytes of an entry after its value: {@link ROWS}, ten digits, the end of the object and of the array or a comma. */
const ROOM_BEHIND_VALUE = 20;

/** Values by code, each with its rows. */
export interface ValueRows {
	readonly codes: Uint32Array;
	readonly rows: Uint32Array;
}

export class ValueRowsWriter {
	/** By column's code. */
	private readonly cells: (Cell | undefined)[] = [];

	constructor(private readonly columns: SnapshotColumns) {}

	/** Appends the first `count` values of `column`, which is one of texts with a dictionary. */
	write(column: Column, { codes, rows }: ValueRows, count: number, sink: ByteSink): void {
		this.cells[column.code] ??= openLabelled(this.columns, "", column.name, VALUE);
		const cell = this.cells[column.code] as Cell;
		const { offsets } = cell;
		touchDictionary(cell, codes, count);
		sink.byte(OPEN_ARRAY);
		for (let i = 0; i < count; i++) {
			if (i > 0) sink.byte(COMMA);
			const code = codes[i];
			writeRange(cell, offsets[code], offsets[code + 1], sink);
			sink.reserve(ROOM_BEHIND_VALUE);
			sink.words.setInt32(sink.length, ROWS[0], true);
			sink.words.setInt32(sink.length + 4, ROWS[1], true);
			sink.length = writeNumber(rows[i], sink.bytes, sink.length + 8);
			sink.bytes[sink.length++] = CLOSE_OBJECT;
		}
		sink.byte(CLOSE_ARRAY);
	}
}
