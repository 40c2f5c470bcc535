/**
 * Values of a column with their rows as JSON, without objects or strings in between: `[{"value":"Ottawa","rows":12}]`,
 * the same bytes as JSON.stringify of the objects.
 */

import type { Column } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { type Cell, openLabelled } from "./cells.js";
import { copyPlain, NOT_PLAIN, wordOf, wordOfText } from "./copy-words.js";
import { writeNumber } from "./digits.js";
import { writeJsonValue } from "./json.js";
import type { ByteSink } from "./sink.js";
import { touchDictionary } from "./touch.js";

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COLON = 0x3a;
/** `},` as a little-endian word. */
const CLOSE_COMMA = 0x2c7d;
/** The byte besides quotes that JSON escapes, in each byte of a word. */
const BACKSLASHES = wordOf(0x5c);

/** What precedes a value, `{"value":"`, as words, of which the last has two bytes more. */
const VALUE = [wordOfText('{"va'), wordOfText('lue"'), wordOfText(':"  ')] as const;
const VALUE_BYTES = 10;
/** What follows a value but its last character, a colon. */
const ROWS = [wordOfText('","r'), wordOfText('ows"')] as const;
/** Room beside a value: {@link VALUE}, {@link ROWS} and the colon, ten digits, and the ends of the object and of the array. */
const ROOM_BESIDE_VALUE = 48;

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
		this.cells[column.code] ??= openLabelled(this.columns, "", column.name, "");
		const cell = this.cells[column.code] as Cell;
		const { offsets } = cell;
		touchDictionary(cell, codes, count);
		sink.byte(OPEN_ARRAY);
		for (let i = 0; i < count; i++) {
			const code = codes[i];
			const start = offsets[code];
			const end = offsets[code + 1];
			sink.reserveValue(end - start + ROOM_BESIDE_VALUE);
			const { words, length } = sink;
			words.setInt32(length, VALUE[0], true);
			words.setInt32(length + 4, VALUE[1], true);
			words.setInt32(length + 8, VALUE[2], true);
			let at = copyPlain(cell, start, end, sink, length + VALUE_BYTES, BACKSLASHES);
			if (at === NOT_PLAIN) {
				sink.length = length + VALUE_BYTES;
				writeJsonValue(cell, start, end, sink);
				sink.reserve(ROOM_BESIDE_VALUE);
				at = sink.length;
			}
			at = writeRows(rows[i], sink, at);
			sink.length = at;
		}
		if (count > 0) sink.length--;
		sink.byte(CLOSE_ARRAY);
	}
}

/** Writes the end of a value, its rows, and a comma, from `at` on; returns the end. */
function writeRows(rows: number, { bytes, words }: ByteSink, at: number): number {
	words.setInt32(at, ROWS[0], true);
	words.setInt32(at + 4, ROWS[1], true);
	words.setInt8(at + 8, COLON);
	const end = writeNumber(rows, bytes, at + 9);
	words.setInt16(end, CLOSE_COMMA, true);
	return end + 2;
}
