/**
 * Entries of changes as JSON objects, from stored rows, by SIMD in WebAssembly. The module's source,
 * ../kernels/change-objects.wat, says how its memory is laid out.
 */

import { COLUMNS, columnNamed, invariant, TRACKED_COLUMNS } from "../../formats/index.js";
import { CHANGE_OBJECTS_MODULE } from "../kernels/generated/change-objects.js";
import { openModule } from "../kernels/open-module.js";
import { LABEL_BYTES } from "../render/stored-layout.js";
import type { ChangeKind } from "./change-set.js";
import { type EntryForm, FORM_BYTES, LABELS_BYTES, type RowBytes } from "./stored-entries.js";

/** The source says what the parameters are. */
interface Functions {
	readonly single: (at: number, end: number, texts: number, to: number) => number;
	readonly changed: (
		at: number,
		end: number,
		olderAt: number,
		olderEnd: number,
		marks: number,
		texts: number,
		to: number,
	) => number;
}

const PAGE_BYTES = 65_536;
const SETTINGS = 64;
const BETWEEN_VALUES = 80;
const FIELDS = 640;
const FIELD_BYTES = 16;
/** Where the texts of each kind are listed, and where all texts are. */
const KINDS = FIELDS + 32 * FIELD_BYTES;
const KIND_BYTES = 6 * 8;
const TEXTS = KINDS + 3 * KIND_BYTES;

const KIND_INDEX: Readonly<Record<ChangeKind, number>> = { new: 0, changed: 1, gone: 2 };

/** What an entry of each kind consists of besides values, in its order. */
function textsOf(kind: ChangeKind): string[] {
	const before = [`{"kind":"${kind}","state":`, ',"license_number":'];
	if (kind === "new") return [...before, ',"row":', ',"previous":null,"changes":[]}'];
	if (kind === "gone") return [...before, ',"row":null,"previous":', ',"changes":[]}'];
	return [...before, ',"row":', ',"previous":', ',"changes":[', "]}"];
}

export class ChangeObjects implements EntryForm {
	private constructor(
		readonly memory: Buffer,
		private readonly run: Functions,
	) {}

	/** Null where this process cannot run the module. `after` follows each entry. */
	static open(after: "" | "\n"): ChangeObjects | null {
		const opened = openModule<Functions>(CHANGE_OBJECTS_MODULE);
		if (opened === null) return null;
		const memory = Buffer.from(opened.memory, 0, PAGE_BYTES);
		writeSettings(memory, after);
		return new ChangeObjects(memory, opened.exports);
	}

	write(kind: ChangeKind, newer: RowBytes, older: RowBytes, marks: number, to: number): number {
		const texts = KINDS + KIND_INDEX[kind] * KIND_BYTES;
		if (kind === "changed")
			return this.run.changed(newer.from, newer.end, older.from, older.end, marks, texts, to);
		const { from, end } = kind === "new" ? newer : older;
		return this.run.single(from, end, texts, to);
	}
}

function writeSettings(memory: Buffer, after: string): void {
	const indexOf = (name: Parameters<typeof columnNamed>[0]) => COLUMNS.indexOf(columnNamed(name));
	const [state, license] = [indexOf("state"), indexOf("member_state_license_number")];
	memory.set(LABEL_BYTES, 0);
	[Math.max(state, license) + 1, COLUMNS.length, state * 8, license * 8].forEach((value, i) => {
		memory.writeUInt32LE(value, SETTINGS + i * 4);
	});
	let end = TEXTS;
	const put = (text: string, at: number) => {
		memory.writeUInt32LE(end, at);
		memory.writeUInt32LE(text.length, at + 4);
		end += memory.write(text, end);
	};
	put(',"to":', BETWEEN_VALUES);
	TRACKED_COLUMNS.forEach(({ name }, i) => {
		put(`{"field":"${name}","from":`, FIELDS + i * FIELD_BYTES);
		memory.writeUInt32LE(indexOf(name) * 8, FIELDS + i * FIELD_BYTES + 8);
	});
	for (const [kind, index] of Object.entries(KIND_INDEX)) {
		const texts = textsOf(kind as ChangeKind);
		texts[texts.length - 1] += after;
		texts.forEach((text, i) => {
			put(text, KINDS + index * KIND_BYTES + i * 8);
		});
	}
	invariant(
		end <= FORM_BYTES && end - TEXTS < LABELS_BYTES,
		"the texts fit the memory, and an entry its room",
	);
}
