/**
 * Rows of a sheet as CSV records, padded to the widest of the first rows: a sheet omits empty cells at the end
 * of a row, a CSV record must not. A later row that is wider keeps its cells, and is rejected by the parser.
 * Rows missing in the sheet become blank lines, so that a record's line is its row number unless cells contain
 * line ends.
 */

const FIRST_BYTES = 1 << 16;
/** Rows examined for the width, and their maximum bytes. */
const HEAD_ROWS = 100;
const HEAD_BYTES_MAX = 4 << 20;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

export class RecordWriter {
	private buffer = Buffer.alloc(FIRST_BYTES);
	private end = 0;
	/** Rows buffered until the width is known: the end and columns of each. */
	private head: { end: number; columns: number }[] | null = [];
	/** Columns of the current row, up to its last cell with a value. */
	private columns = 0;
	/** Rows written, including blank ones. */
	private rows = 0;

	/** `width`: minimum columns of a record. */
	constructor(
		private readonly delimiter: number,
		private width: number,
	) {}

	/** Bytes that {@link take} would return. */
	get bytes(): number {
		return this.head === null ? this.end : 0;
	}

	/** Writes a cell of row `row`, counted from 0; cells are in the order of rows and columns. */
	cell(row: number, column: number, value: Uint8Array): void {
		while (this.rows < row) this.endRow();
		this.reserve(2 * value.length + column - this.columns + 3);
		// The delimiter before each column except the first.
		const from = Math.max(1, this.columns);
		for (let i = from; i <= column; i++) this.buffer[this.end++] = this.delimiter;
		this.columns = column + 1;
		if (!this.needsQuotes(value)) {
			this.buffer.set(value, this.end);
			this.end += value.length;
			return;
		}
		this.buffer[this.end++] = QUOTE;
		for (const byte of value) {
			if (byte === QUOTE) this.buffer[this.end++] = QUOTE;
			this.buffer[this.end++] = byte;
		}
		this.buffer[this.end++] = QUOTE;
	}

	/** Ends the last row. */
	finish(): void {
		if (this.columns > 0) this.endRow();
		this.settleWidth();
	}

	/** The bytes written, valid until the next cell. */
	take(): Buffer {
		const taken = this.buffer.subarray(0, this.bytes);
		this.end -= taken.length;
		return taken;
	}

	private endRow(): void {
		this.rows++;
		if (this.head === null) {
			this.pad(this.columns);
			this.columns = 0;
			return;
		}
		this.head.push({ end: this.end, columns: this.columns });
		this.width = Math.max(this.width, this.columns);
		this.columns = 0;
		if (this.head.length >= HEAD_ROWS || this.end > HEAD_BYTES_MAX) this.settleWidth();
	}

	/** Writes the rows buffered until the width was known. */
	private settleWidth(): void {
		const { head } = this;
		if (head === null) return;
		const waiting = Buffer.from(this.buffer.subarray(0, this.end));
		this.head = null;
		this.end = 0;
		let from = 0;
		for (const { end, columns } of head) {
			this.reserve(end - from);
			this.end += waiting.copy(this.buffer, this.end, from, end);
			this.pad(columns);
			from = end;
		}
	}

	/** Ends a record of `columns` columns; with none it is a blank line. */
	private pad(columns: number): void {
		const missing = columns === 0 ? 0 : Math.max(0, this.width - columns);
		this.reserve(missing + 1);
		this.buffer.fill(this.delimiter, this.end, this.end + missing);
		this.end += missing;
		this.buffer[this.end++] = LF;
	}

	private needsQuotes(value: Uint8Array): boolean {
		for (const byte of value)
			if (byte === this.delimiter || byte === QUOTE || byte === LF || byte === CR) return true;
		return false;
	}

	private reserve(bytes: number): void {
		const needed = this.end + bytes;
		if (needed <= this.buffer.length) return;
		const grown = Buffer.alloc(Math.max(needed, 2 * this.buffer.length));
		this.buffer.copy(grown, 0, 0, this.end);
		this.buffer = grown;
	}
}
