/**
 * Templates by which ../kernels/stored-rows.wat writes stored rows: a list of columns, each with the text before its
 * value. An image holds one or several, as bytes that are copied to the kernel's memory before it is run.
 *
 * ```
 * template: end of items u32 ▸ tail address u32 ▸ tail bytes u32 ▸ 1 if any value is masked u32 ▸ items
 * item:     twice the column's number u32 ▸ kind u32 ▸ text address u32 ▸ text bytes u32
 * ```
 */

import { COLUMNS, type Column, type ColumnName, columnNamed } from "../../formats/index.js";
import type { Projection } from "../query.js";

/** Address of an image in the kernel's memory, and the most bytes of one. */
export const IMAGE = 1024;
export const IMAGE_BYTES_MAX = 12_288;

const HEADER_BYTES = 16;
const ITEM_BYTES = 16;
/** What a value may take beside its bytes: quotes, `null`, an apostrophe, or what masking adds. */
const VALUE_EXTRA_BYTES = 16;

const KIND = { number: 0, text: 1, email: 2, phone: 3 } as const;

/** A column and the text before its value, without the opening quote of a text. */
export interface Piece {
	readonly column: ColumnName;
	readonly before: string;
}

/** A template in an image. */
export interface Template {
	readonly address: number;
	/** Maximum bytes it adds to those of the values. */
	readonly extraBytes: number;
	readonly isCsv: boolean;
}

/** Puts templates together. */
export class TemplateImage {
	/** Distinguishes images: the bytes to copy to {@link IMAGE}, once all templates are added. */
	bytes: Uint8Array = new Uint8Array(0);

	/** Adds a template: pieces, then `tail`. REQUIRES: at least one piece. */
	add(pieces: readonly Piece[], tail: string, masked: boolean, isCsv: boolean): Template {
		const base = this.bytes.length;
		const header = Buffer.alloc(HEADER_BYTES + pieces.length * ITEM_BYTES);
		const texts: Buffer[] = [];
		let end = IMAGE + base + header.length;
		let extraBytes = 0;
		const put = (text: string, at: number) => {
			const bytes = Buffer.from(text);
			header.writeUInt32LE(end, at);
			header.writeUInt32LE(bytes.length, at + 4);
			texts.push(bytes);
			end += bytes.length;
			extraBytes += bytes.length;
		};
		header.writeUInt32LE(end, 0);
		const masks = masked && pieces.some(({ column }) => columnNamed(column).contact);
		header.writeUInt32LE(masks ? 1 : 0, 12);
		pieces.forEach(({ column: name, before }, i) => {
			const column = columnNamed(name);
			const kind = kindOf(column, masked);
			const at = HEADER_BYTES + i * ITEM_BYTES;
			header.writeUInt32LE(2 * COLUMNS.indexOf(column), at);
			header.writeUInt32LE(kind, at + 4);
			// The closing quote of the value before it, which is not written after null or a number, nor in CSV.
			put(`"${before}${kind === KIND.number || isCsv ? "" : '"'}`, at + 8);
			extraBytes += VALUE_EXTRA_BYTES;
		});
		put(`"${tail}`, 4);
		// Later templates begin at whole words.
		const padding = Buffer.alloc(-(end - IMAGE) & 3);
		this.bytes = Buffer.concat([this.bytes, header, ...texts, padding]);
		return { address: IMAGE + base, extraBytes, isCsv };
	}

	/** Whether the kernel's memory has room for the image; not where columns are given long names. */
	get fits(): boolean {
		return this.bytes.length <= IMAGE_BYTES_MAX;
	}
}

function kindOf({ kind, name, contact }: Column, masked: boolean): number {
	if (kind === "id" || kind === "int") return KIND.number;
	if (!masked || !contact) return KIND.text;
	return name.endsWith("email") ? KIND.email : KIND.phone;
}

/** Members of a JSON object, with its opening brace. */
export function membersOf({ columns, names = columns }: Projection): Piece[] {
	return columns.map((column, i) => ({ column, before: `${i === 0 ? "{" : ","}"${names[i]}":` }));
}

/** Cells of a CSV line. */
export function cellsOf(columns: readonly ColumnName[]): Piece[] {
	return columns.map((column, i) => ({ column, before: i === 0 ? "" : "," }));
}
