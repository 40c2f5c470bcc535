/** Entries of changes as CSV lines, from stored rows, by templates that continue one another. */

import { COLUMNS, invariant, TRACKED_COLUMNS } from "../../formats/index.js";
import { StoredKernel } from "../render/stored-kernel.js";
import { cellsOf, type Piece, type Template, TemplateImage } from "../render/stored-template.js";
import type { ChangeKind } from "./change-set.js";
import { type EntryForm, LABELS_BYTES, type RowBytes } from "./stored-entries.js";

const SPACE = 0x20;

const ROW = cellsOf(COLUMNS.map(({ name }) => name));
const TRACKED = cellsOf(TRACKED_COLUMNS.map(({ name }) => name));
const NAMES = TRACKED_COLUMNS.map(({ name }) => Buffer.from(name));
/** What an entry without former values ends with: the commas between them. */
const NO_VALUES = `,${",".repeat(TRACKED_COLUMNS.length - 1)}\r\n`;

export class ChangeLines implements EntryForm {
	readonly memory: Buffer;
	private readonly image = new TemplateImage();
	/** The beginning of an entry, up to the names of fields. */
	private readonly starts: Readonly<Record<ChangeKind, Template>>;
	/** A row that ends its entry, and one that former values follow. */
	private readonly last: Template;
	private readonly row: Template;
	private readonly former: Template;

	private constructor(private readonly kernel: StoredKernel) {
		const add = (pieces: readonly Piece[], tail: string) => this.image.add(pieces, tail, false, true);
		const start = (kind: ChangeKind) =>
			add(
				[
					{ column: "state", before: `${kind},` },
					{ column: "member_state_license_number", before: "," },
				],
				",",
			);
		const afterNames = [{ ...ROW[0], before: "," }, ...ROW.slice(1)];
		this.memory = kernel.memory;
		this.starts = { new: start("new"), changed: start("changed"), gone: start("gone") };
		this.last = add(afterNames, NO_VALUES);
		this.row = add(afterNames, ",");
		this.former = add(TRACKED, "\r\n");
		const { changed } = this.starts;
		const names = NAMES.reduce((sum, name) => sum + name.length + 1, 0);
		const most = changed.extraBytes + names + this.row.extraBytes + this.former.extraBytes;
		invariant(this.image.fits && most <= LABELS_BYTES, "templates fit the memory, and an entry its room");
	}

	/** Null where this process cannot run the kernel. */
	static open(): ChangeLines | null {
		const kernel = StoredKernel.open();
		return kernel === null ? null : new ChangeLines(kernel);
	}

	write(kind: ChangeKind, newer: RowBytes, older: RowBytes, marks: number, to: number): number {
		const { kernel, memory } = this;
		kernel.use(this.image);
		const { from, end } = kind === "gone" ? older : newer;
		let at = kernel.render(from, end, to, this.starts[kind]);
		if (at === 0) return 0;
		at = fieldNames(marks, memory, at);
		at = kernel.render(from, end, at, kind === "changed" ? this.row : this.last);
		return at === 0 || kind !== "changed" ? at : kernel.render(older.from, older.end, at, this.former);
	}
}

/** Writes the names of the fields that changed, separated by spaces; returns the end. */
function fieldNames(marks: number, memory: Buffer, to: number): number {
	let at = to;
	for (let left = marks; left !== 0; left &= left - 1) {
		if (at > to) memory[at++] = SPACE;
		at = put(NAMES[31 - Math.clz32(left & -left)], memory, at);
	}
	return at;
}

/** Writes short bytes, for which a loop is cheaper than a call; returns the end. */
function put(bytes: Buffer, memory: Buffer, to: number): number {
	for (let i = 0; i < bytes.length; i++) memory[to + i] = bytes[i];
	return to + bytes.length;
}
