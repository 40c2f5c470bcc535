/**
 * The shared strings of a workbook, in one block of memory as UTF-8. Their bytes and number are bounded.
 * Phonetic runs are skipped.
 */

import type { Entry } from "yauzl";
import { BuildError } from "../../errors.js";
import type { ZipArchive } from "../zip-archive.js";
import { readPart } from "./xml-part.js";

const BYTES_MAX = 512 << 20;
const TEXTS_MAX = 16 << 20;
const FIRST_BYTES = 1 << 16;
/** Maximum characters of one text; a cell of Excel has at most 32,767. */
const TEXT_MAX = 1 << 20;

export class SharedStrings {
	private heap = Buffer.alloc(FIRST_BYTES);
	private ends = new Uint32Array(1 << 10);
	private used = 0;
	count = 0;

	constructor(private readonly file: string) {}

	/** Reads the part of shared strings. Throws {@link BuildError}. */
	static async read(archive: ZipArchive, entry: Entry): Promise<SharedStrings> {
		const strings = new SharedStrings(archive.path);
		let text = "";
		let inText = false;
		let phonetic = 0;
		await readPart(archive, entry, {
			open(name) {
				if (name === "si") text = "";
				else if (name === "rPh") phonetic++;
				else if (name === "t") inText = phonetic === 0;
			},
			text(content) {
				if (inText) text = joinedText(text, content, archive.path);
			},
			close(name) {
				if (name === "si") strings.add(unescaped(text));
				else if (name === "rPh") phonetic--;
				else if (name === "t") inText = false;
			},
		});
		return strings;
	}

	/** The text numbered `index`; null if there is none. Valid until the next one is added. */
	at(index: number): Buffer | null {
		if (!(index >= 0 && index < this.count)) return null;
		return this.heap.subarray(index === 0 ? 0 : this.ends[index - 1], this.ends[index]);
	}

	add(text: string): void {
		const needed = this.used + 3 * text.length;
		if (needed > BYTES_MAX || this.count >= TEXTS_MAX)
			throw new BuildError(
				"limit_exceeded",
				"the workbook has more shared texts than can be read: save the sheet as CSV",
				{
					file: this.file,
				},
			);
		if (needed > this.heap.length) {
			const grown = Buffer.alloc(Math.min(BYTES_MAX, Math.max(needed, 2 * this.heap.length)));
			this.heap.copy(grown, 0, 0, this.used);
			this.heap = grown;
		}
		if (this.count === this.ends.length) {
			const grown = new Uint32Array(2 * this.ends.length);
			grown.set(this.ends);
			this.ends = grown;
		}
		this.used += this.heap.write(text, this.used, "utf8");
		this.ends[this.count++] = this.used;
	}
}

/** `text` with the characters that XML cannot represent, which workbooks write as `_x000D_`. */
export function unescaped(text: string): string {
	if (!text.includes("_x")) return text;
	return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);
}

/** `text` with `content` appended. Throws `limit_exceeded` if it is too long for a cell. */
export function joinedText(text: string, content: string, file: string): string {
	if (text.length + content.length > TEXT_MAX)
		throw new BuildError("limit_exceeded", `a text of the workbook has more than ${TEXT_MAX} characters`, {
			file,
		});
	return text + content;
}
