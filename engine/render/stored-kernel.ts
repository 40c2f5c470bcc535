/**
 * The module that writes stored rows by templates, with its memory: one page, in which a few dozen rows are copied,
 * rendered, and copied to the answer. The module's source is ../kernels/stored-rows.wat.
 *
 * ```
 * memory: of the module 1,024 ▸ templates 12,288 ▸ masked values 1,024 ▸ rows or whatever its user puts there
 * ```
 */

import { COLUMNS, CONTACT_COLUMNS, invariant, LONG_VALUE } from "../../formats/index.js";
import { STORED_ROWS_MODULE } from "../kernels/generated/stored-rows.js";
import { openModule } from "../kernels/open-module.js";
import { FORMULA } from "./csv.js";
import { IMAGE, IMAGE_BYTES_MAX, type Template, type TemplateImage } from "./stored-template.js";

const COLUMN_COUNT = 256;
const NULL = 264;
/** A byte of ones for each column past the first 16. */
const COLUMNS_MASK = 288;
/** What each byte after a backslash stands for. */
const ESCAPED = 320;
/** The escapes of one byte in stored rows (formats/SNAPSHOT.md, "Section kinds"). */
const ESCAPES = { '"': '"', "\\": "\\", b: "\b", t: "\t", n: "\n", f: "\f", r: "\r" } as const;
/** Columns whose lengths are in one vector, and in the two that the module reads. */
const VECTOR_COLUMNS = 16;
const COLUMNS_MAX = 2 * VECTOR_COLUMNS;
/** Room for the masked form of one value, and of all. */
const MASKED_BYTES = 224;
const MASKED_BYTES_MAX = 1024;

/** Where the kernel's own memory and the templates end. */
export const KERNEL_BYTES: number = IMAGE + IMAGE_BYTES_MAX + MASKED_BYTES_MAX;

invariant(COLUMNS.length > VECTOR_COLUMNS && COLUMNS.length <= COLUMNS_MAX, "lengths are two vectors");
invariant(CONTACT_COLUMNS.length * MASKED_BYTES <= MASKED_BYTES_MAX, "each masked value has its room");
/** Bytes that the module reads past a row and writes past what it renders. */
export const SLACK_BYTES = 64;
export const KERNEL_MEMORY_BYTES = 65_536;
/** Rows end before this: the module adds lengths of one byte to their addresses in 16 bits. */
export const ROWS_END_MAX: number = KERNEL_MEMORY_BYTES - COLUMNS_MAX * LONG_VALUE;

/** stored-rows.wat says what the parameters are. */
type Render = (row: number, end: number, to: number, template: number) => number;

export class StoredKernel {
	private image: TemplateImage | null = null;

	private constructor(
		readonly memory: Buffer,
		private readonly object: Render,
		private readonly cells: Render,
	) {
		memory.set(FORMULA, 0);
		memory.writeUInt32LE(COLUMNS.length, COLUMN_COUNT);
		memory.write("null", NULL);
		memory.fill(0xff, COLUMNS_MASK, COLUMNS_MASK + COLUMNS.length - VECTOR_COLUMNS);
		for (const [letter, byte] of Object.entries(ESCAPES)) memory.write(byte, ESCAPED + letter.charCodeAt(0));
	}

	/** Null where this process cannot run the module. */
	static open(): StoredKernel | null {
		const opened = openModule<{ readonly object: Render; readonly cells: Render }>(STORED_ROWS_MODULE);
		if (opened === null) return null;
		const memory = Buffer.from(opened.memory, 0, KERNEL_MEMORY_BYTES);
		return new StoredKernel(memory, opened.exports.object, opened.exports.cells);
	}

	/** Makes the templates of `image` those that are rendered by. REQUIRES: it fits. */
	use(image: TemplateImage): void {
		if (this.image === image) return;
		this.memory.set(image.bytes, IMAGE);
		this.image = image;
	}

	/**
	 * Renders the stored row at memory[from, end) to memory[to…). Returns the end, or 0 if the row must be rendered from
	 * the columns: it is corrupt, has an escape where it is masked, or in CSV a `\u00XX`. REQUIRES: room for
	 * {@link roomOf} and {@link SLACK_BYTES} after the row.
	 */
	render(from: number, end: number, to: number, { address, isCsv }: Template): number {
		return isCsv ? this.cells(from, end, to, address) : this.object(from, end, to, address);
	}
}

/** Bytes that rendering a stored row of `rowBytes` may write, where no column is rendered more than twice. */
export function roomOf({ extraBytes }: Template, rowBytes: number): number {
	return extraBytes + 2 * rowBytes + SLACK_BYTES;
}
