/** Entries of changes as JSON objects, from stored rows, by templates that continue one another. */

import { COLUMNS, invariant, TRACKED_COLUMNS } from "../../formats/index.js";
import { StoredKernel } from "../render/stored-kernel.js";
import { membersOf, type Piece, type Template, TemplateImage } from "../render/stored-template.js";
import type { ChangeKind } from "./change-set.js";
import { type EntryForm, LABELS_BYTES, type RowBytes } from "./stored-entries.js";

const ROW = membersOf({ columns: COLUMNS.map(({ name }) => name), masked: false });

/** A changed field: the former value with what precedes it, and the new value with what follows it. */
interface Field {
	readonly from: Template;
	readonly to: Template;
}

export class ChangeObjects implements EntryForm {
	readonly memory: Buffer;
	private readonly image = new TemplateImage();
	/** Of each kind, from the beginning of the entry to the end of its first row, and to its own end if it has one row. */
	private readonly first: Readonly<Record<ChangeKind, Template>>;
	/** The older row of a changed license. */
	private readonly second: Template;
	private readonly fields: readonly Field[];
	/** Follows the fields of a changed license. */
	private readonly end: Buffer;

	/** `after` follows each entry. */
	private constructor(
		private readonly kernel: StoredKernel,
		after: string,
	) {
		const add = (pieces: readonly Piece[], tail: string) => this.image.add(pieces, tail, false, false);
		this.memory = kernel.memory;
		this.first = {
			new: add(entryOf("new", ',"row":'), `},"previous":null,"changes":[]}${after}`),
			changed: add(entryOf("changed", ',"row":'), '},"previous":'),
			gone: add(entryOf("gone", ',"row":null,"previous":'), `},"changes":[]}${after}`),
		};
		this.second = add(ROW, '},"changes":[');
		this.fields = TRACKED_COLUMNS.map(({ name }) => ({
			from: add([{ column: name, before: `{"field":"${name}","from":` }], ',"to":'),
			to: add([{ column: name, before: "" }], "},"),
		}));
		this.end = Buffer.from(`]}${after}`);
		const { changed } = this.first;
		const changes = this.fields.reduce((sum, { from, to }) => sum + from.extraBytes + to.extraBytes, 0);
		const most = changed.extraBytes + this.second.extraBytes + changes + this.end.length;
		invariant(this.image.fits && most <= LABELS_BYTES, "templates fit the memory, and an entry its room");
	}

	/** Null where this process cannot run the kernel. `after` follows each entry. */
	static open(after: "" | "\n"): ChangeObjects | null {
		const kernel = StoredKernel.open();
		return kernel === null ? null : new ChangeObjects(kernel, after);
	}

	write(kind: ChangeKind, newer: RowBytes, older: RowBytes, marks: number, to: number): number {
		const { kernel } = this;
		kernel.use(this.image);
		const row = kind === "gone" ? older : newer;
		const at = kernel.render(row.from, row.end, to, this.first[kind]);
		return at === 0 || kind !== "changed" ? at : this.rest(newer, older, marks, at);
	}

	/** Writes the older row of a changed license, and its fields; returns the end, or 0 as {@link write}. */
	private rest(newer: RowBytes, older: RowBytes, marks: number, to: number): number {
		const { kernel, memory, end } = this;
		let at = kernel.render(older.from, older.end, to, this.second);
		for (let left = marks; left !== 0 && at !== 0; left &= left - 1) {
			const field = this.fields[31 - Math.clz32(left & -left)];
			at = kernel.render(older.from, older.end, at, field.from);
			if (at !== 0) at = kernel.render(newer.from, newer.end, at, field.to);
		}
		if (at === 0) return 0;
		// Fields have commas between them only.
		if (marks !== 0) at--;
		for (let i = 0; i < end.length; i++) memory[at++] = end[i];
		return at;
	}
}

/** The members of an entry up to its first row, `rowLabel` before that. */
function entryOf(kind: ChangeKind, rowLabel: string): Piece[] {
	const [first, ...others] = ROW;
	return [
		{ column: "state", before: `{"kind":"${kind}","state":` },
		{ column: "member_state_license_number", before: ',"license_number":' },
		{ ...first, before: rowLabel + first.before },
		...others,
	];
}
