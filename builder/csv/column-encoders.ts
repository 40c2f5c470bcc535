/**
 * Columns under construction: each validates its cells of a block of cleaned records by its kind's rules and
 * appends one code or text per row until a part is full.
 *
 * Columns with rules process all records of the block first and mark the invalid ones. Once the valid records are
 * selected, these columns drop the others' codes; then columns without rules process only the selected records.
 * Row `base` is the block's first.
 */

import { type ColumnName, columnNamed } from "../../formats/domain/columns.js";
import type { DateFormat } from "../input/date-format.js";
import { byteBlock, copyBytes, movedTo, SLACK_BYTES, sharedWords } from "./byte-block.js";
import { BLOCK_RECORDS } from "./chunk-memory.js";
import { DateCodes, UNREADABLE_DATE } from "./date-codes.js";
import { type Dictionaries, NO_JURISDICTION } from "./dictionaries.js";
import type { Interner } from "./interner.js";
import { OddCells } from "./odd-cells.js";
import type { PartText } from "./parsed-month.js";
import type { RecordBlock } from "./record-block.js";

const ROWS_MIN = 1 << 9;
const HEAP_BYTES_MIN = 1 << 13;
const INTEGER_DIGITS_MAX = 9;
const ZERO = 0x30;
const NINE = 0x39;

/** NULL_CODE as a signed word. Codes are signed during parsing, so that V8 represents them as small integers. */
const NULL = -1;

/** Field number of a column without a field. */
export const NO_FIELD = -1;

/** Codes of the current block. */
const blockCodes = new Int32Array(BLOCK_RECORDS);

/** Number of rows that the next chunk has room for, if the last had `rows`: about as many, so that few chunks grow. */
function roomAfter(rows: number): number {
	return Math.max(ROWS_MIN, rows + (rows >> 3) + BLOCK_RECORDS);
}

function sharedCodes(rows: number): Int32Array {
	return new Int32Array(new SharedArrayBuffer(4 * rows));
}

/**
 * Whether most of a view's memory is unused, so that the part of a month gets a copy: a thousand sources of a few rows
 * took more than a gigabyte.
 */
function isMostlyFree({ byteLength, buffer }: Uint8Array | Uint32Array): boolean {
	return 2 * byteLength < buffer.byteLength;
}

/** Codes by row, in shared memory that each chunk has of its own, unless it has few rows. */
class RowCodes {
	private codes = sharedCodes(ROWS_MIN);

	/** The codes, with room for a block from `base` on. */
	withRoom(base: number): Int32Array {
		if (base + BLOCK_RECORDS > this.codes.length) {
			const codes = sharedCodes(2 * this.codes.length);
			codes.set(this.codes);
			this.codes = codes;
		}
		return this.codes;
	}

	/** Removes the codes of the block's records that are not selected. */
	closeUp({ selection, accepted }: RecordBlock, base: number): void {
		for (let k = 0; k < accepted; k++) this.codes[base + k] = this.codes[base + selection[k]];
	}

	take(rows: number): Uint32Array {
		const taken = new Uint32Array(this.codes.buffer, 0, rows);
		if (isMostlyFree(taken)) return sharedWords(rows, taken);
		this.codes = sharedCodes(roomAfter(rows));
		return taken;
	}
}

/** A column of kind dict: any text. */
export class WordColumn {
	private readonly codes = new RowCodes();

	constructor(
		readonly column: ColumnName,
		private readonly field: number,
		private readonly interner: Interner,
	) {}

	encode(block: RecordBlock, base: number): void {
		this.interner.internField(block, this.field, this.codes.withRoom(base), base);
	}

	take(rows: number): Uint32Array {
		return this.codes.take(rows);
	}
}

/** A column of kind string: any text, row by row. */
export class TextColumn {
	private heap = byteBlock(new SharedArrayBuffer(HEAP_BYTES_MIN));
	private offsets = sharedWords(ROWS_MIN + 1);

	constructor(
		readonly column: ColumnName,
		private readonly field: number,
	) {}

	encode({ data, table, selection, accepted }: RecordBlock, base: number): void {
		const { starts, ends } = table;
		const first = this.field * table.records;
		if (base + BLOCK_RECORDS >= this.offsets.length) this.growOffsets();
		let at = this.offsets[base];
		for (let k = 0; k < accepted; k++) {
			const cell = first + selection[k];
			const length = ends[cell] - starts[cell];
			if (at + length + SLACK_BYTES > this.heap.bytes.length) this.growHeap(at + length + SLACK_BYTES);
			copyBytes(data.words, starts[cell], this.heap.words, at, length);
			at += length;
			this.offsets[base + k + 1] = at;
		}
	}

	take(rows: number): PartText {
		const bytes = this.offsets[rows];
		return { offsets: this.takeOffsets(rows), heap: this.takeHeap(bytes) };
	}

	private takeOffsets(rows: number): Uint32Array {
		const taken = this.offsets.subarray(0, rows + 1);
		if (isMostlyFree(taken)) return sharedWords(rows + 1, taken);
		this.offsets = sharedWords(roomAfter(rows) + 1);
		return taken;
	}

	private takeHeap(bytes: number): Uint8Array {
		const taken = this.heap.bytes.subarray(0, bytes);
		if (isMostlyFree(taken)) {
			const copy = new Uint8Array(new SharedArrayBuffer(bytes));
			copy.set(taken);
			return copy;
		}
		this.heap = byteBlock(new SharedArrayBuffer(Math.max(HEAP_BYTES_MIN, bytes + (bytes >> 3))));
		return taken;
	}

	private growOffsets(): void {
		this.offsets = sharedWords(2 * this.offsets.length, this.offsets);
	}

	private growHeap(bytes: number): void {
		const room = Math.max(bytes, 2 * this.heap.bytes.length);
		this.heap = movedTo(new SharedArrayBuffer(room), this.heap);
	}
}

/** A column of kind date. */
export class DateColumn {
	/** Unreadable or impossible dates that became null. */
	readonly nulled = new OddCells();
	private readonly codes = new RowCodes();
	private readonly dates: DateCodes;
	private readonly code: number;

	/** With `nullInvalid`, an invalid date becomes null instead of rejecting the row. */
	constructor(
		readonly column: ColumnName,
		private readonly field: number,
		interner: Interner,
		formats: readonly DateFormat[],
		private readonly nullInvalid: boolean,
	) {
		this.dates = new DateCodes(interner, formats);
		this.code = columnNamed(column).code;
	}

	encode(block: RecordBlock, base: number): void {
		const codes = this.codes.withRoom(base);
		this.dates.codesOf(block, this.field, blockCodes);
		for (let record = 0; record < block.records; record++) {
			const date = blockCodes[record];
			codes[base + record] = date;
			if (date >= NULL) continue;
			codes[base + record] = NULL;
			if (this.nullInvalid) this.nulled.add(block, this.field, record);
			else block.reject(record, date === UNREADABLE_DATE ? "unreadable_date" : "impossible_date", this.code);
		}
	}

	closeUp(block: RecordBlock, base: number): void {
		this.codes.closeUp(block, base);
	}

	take(rows: number): Uint32Array {
		return this.codes.take(rows);
	}
}

/** A column of kind int: decimal digits; leading zeros are dropped. */
export class IntegerColumn {
	private readonly codes = new RowCodes();
	private readonly code: number;

	constructor(
		readonly column: ColumnName,
		private readonly field: number,
		private readonly interner: Interner,
	) {
		this.code = columnNamed(column).code;
	}

	encode(block: RecordBlock, base: number): void {
		const { words } = block.data;
		const { starts, ends, records } = block.table;
		const first = this.field * records;
		const codes = this.codes.withRoom(base);
		for (let record = 0; record < block.records; record++) {
			const end = ends[first + record];
			const start = integerStart(words, starts[first + record], end);
			if (start < 0) block.reject(record, "invalid_integer", this.code);
			codes[base + record] = start < 0 || start === end ? NULL : this.interner.intern(words, start, end);
		}
	}

	closeUp(block: RecordBlock, base: number): void {
		this.codes.closeUp(block, base);
	}

	take(rows: number): Uint32Array {
		return this.codes.take(rows);
	}
}

/** `state` and `country`, which depend on each other; either may be one value for all rows. */
export class JurisdictionColumns {
	/** Number of records whose state is not written as its postal code; reset by the caller. */
	namedStates = 0;
	private readonly states = new RowCodes();
	private readonly countries = new RowCodes();
	private readonly stateInterner: Interner;
	private readonly stateCode = columnNamed("state").code;
	private readonly countryCode = columnNamed("country").code;

	/** A missing field is {@link NO_FIELD}, a missing constant null; `state` has either a field or a constant. */
	constructor(
		private readonly dictionaries: Dictionaries,
		private readonly stateField: number,
		private readonly constantState: number | null,
		private readonly countryField: number,
		private readonly constantCountry: number | null,
	) {
		this.stateInterner = dictionaries.of("state");
	}

	encode(block: RecordBlock, base: number): void {
		const states = this.states.withRoom(base);
		const countries = this.countries.withRoom(base);
		if (this.constantState !== null) states.fill(this.constantState, base, base + block.records);
		else this.stateInterner.internField(block, this.stateField, blockCodes, 0);
		for (let record = 0; record < block.records; record++) {
			const written = this.constantState ?? blockCodes[record];
			const country = written === NULL ? NO_JURISDICTION : this.dictionaries.countryOfState(written);
			const state = country === NO_JURISDICTION ? written : this.dictionaries.codeOfState(written);
			if (state !== written) this.namedStates++;
			states[base + record] = state;
			countries[base + record] = country;
			if (country === NO_JURISDICTION) block.reject(record, "unknown_jurisdiction", this.stateCode);
			else if (this.contradicts(block, record, country))
				block.reject(record, "country_mismatch", this.countryCode);
		}
	}

	closeUp(block: RecordBlock, base: number): void {
		this.states.closeUp(block, base);
		this.countries.closeUp(block, base);
	}

	takeStates(rows: number): Uint32Array {
		return this.states.take(rows);
	}

	takeCountries(rows: number): Uint32Array {
		return this.countries.take(rows);
	}

	/** Whether the record or the source states a country other than `country`. */
	private contradicts({ data, table }: RecordBlock, record: number, country: number): boolean {
		if (this.constantCountry !== null) return this.constantCountry !== country;
		if (this.countryField === NO_FIELD) return false;
		const cell = this.countryField * table.records + record;
		const start = table.starts[cell];
		const end = table.ends[cell];
		return start !== end && this.dictionaries.countryOfText(data.words, start, end) !== country;
	}
}

/** Start of a whole number's digits without leading zeros; -1 if words[start, end) is not a whole number. */
function integerStart(words: DataView, start: number, end: number): number {
	for (let i = start; i < end; i++) {
		const byte = words.getUint8(i);
		if (byte < ZERO || byte > NINE) return -1;
	}
	let first = start;
	while (first < end - 1 && words.getUint8(first) === ZERO) first++;
	return end - first > INTEGER_DIGITS_MAX ? -1 : first;
}
