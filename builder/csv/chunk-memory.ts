/**
 * The memory in which a worker parses a chunk: its private copy of the bytes, and the fields of a block of records. It is
 * WebAssembly's, so that kernels/plain-records.wat finds the fields of most records; of the others, and of all where a
 * process cannot run it, record-scanner.ts does.
 *
 * Invariant: views of one memory are used by one source at a time.
 */

import { MemoryLayout, openKernel } from "../kernel-memory.js";
import { type ByteBlock, SLACK_BYTES } from "./byte-block.js";
import type { FieldTable } from "./field-table.js";
import { PLAIN_RECORDS_MODULE } from "./kernels/generated/plain-records.js";

/** Records per block, a number that the module has as well: their bytes and cells fit in a core's cache. */
export const BLOCK_RECORDS = 256;

/** Bytes after the last that the module reads. */
const READ_PAST_BYTES = 64;
/** The module's functions; plain-records.wat says what each does. */
interface Exports {
	readonly prepare: (...values: number[]) => void;
	readonly scan: (position: number, last: number, limit: number, record: number) => number;
	readonly next: { readonly value: number };
}

interface Instance {
	readonly memory: ArrayBuffer;
	/** Null where this process cannot run the module. */
	readonly exports: Exports | null;
}

export class ChunkMemory {
	readonly table: FieldTable;
	/** By record of the block: where its bytes begin and end. */
	readonly begins: Int32Array;
	readonly nexts: Int32Array;
	/** By field: 1 if one of the block's cells may have flags, spaces around it, or too many bytes. */
	readonly marks: Uint8Array;
	/** The chunk, with room for as many bytes as were asked for. */
	readonly data: ByteBlock;
	private readonly instance: Instance;

	/**
	 * Memory for `bytes` bytes and the table of `fields` fields, in that of `previous` if it is large enough; `previous`
	 * is not used afterwards.
	 */
	constructor(fields: number, bytes: number, previous: ChunkMemory | null) {
		const cells = fields * BLOCK_RECORDS;
		const layout = new MemoryLayout();
		const place = (size: number) => layout.place(size);
		const [starts, ends, flags] = [place(4 * cells), place(4 * cells), place(cells)];
		const [begins, nexts] = [place(4 * BLOCK_RECORDS), place(4 * BLOCK_RECORDS)];
		const [marks, data] = [place(fields), place(bytes + SLACK_BYTES + READ_PAST_BYTES)];
		const isLargeEnough = previous !== null && previous.instance.memory.byteLength >= layout.bytes;
		this.instance = isLargeEnough ? previous.instance : allocate(layout.bytes);
		const { memory } = this.instance;
		this.table = {
			records: BLOCK_RECORDS,
			starts: new Int32Array(memory, starts, cells),
			ends: new Int32Array(memory, ends, cells),
			flags: new Uint8Array(memory, flags, cells),
		};
		this.begins = new Int32Array(memory, begins, BLOCK_RECORDS);
		this.nexts = new Int32Array(memory, nexts, BLOCK_RECORDS);
		this.marks = new Uint8Array(memory, marks, fields);
		const size = memory.byteLength - data - READ_PAST_BYTES;
		this.data = { bytes: new Uint8Array(memory, data, size), words: new DataView(memory, data, size) };
	}

	/**
	 * The scanner of plain records of `fields` fields, which marks fields with cells of more than `longest` bytes; null
	 * where this process cannot run it.
	 */
	plainScanner(delimiter: number, fields: number, longest: number): PlainScanner | null {
		const { exports } = this.instance;
		// A line with one field may be blank, which takes a look at its bytes.
		if (exports === null || fields < 2) return null;
		const { table, begins, nexts, marks, data } = this;
		const views = [table.starts, table.ends, table.flags, begins, nexts, marks, data.bytes];
		exports.prepare(...views.map((view) => view.byteOffset), delimiter, fields, longest);
		return new PlainScanner(exports);
	}
}

/** Scans plain records: those without quotes and line ends within quotes. */
export class PlainScanner {
	/** Position of the first record that was not scanned. */
	next = 0;

	constructor(private readonly exports: Exports) {}

	/**
	 * Scans the records that begin at positions from `position` to `last` as numbers `record` to BLOCK_RECORDS - 1 of the
	 * block, up to the first that is not plain or that is not seen to end before `limit`. Returns that one's number.
	 * REQUIRES: the byte at `limit` is a line feed. Cost O(bytes), about 1 ns each.
	 */
	scan(position: number, last: number, limit: number, record: number): number {
		const records = this.exports.scan(position, last, limit, record);
		this.next = this.exports.next.value;
		return records;
	}
}

function allocate(bytes: number): Instance {
	return (
		openKernel<Exports>(PLAIN_RECORDS_MODULE, bytes) ?? { memory: new ArrayBuffer(bytes), exports: null }
	);
}
