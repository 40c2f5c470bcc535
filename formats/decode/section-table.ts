/** The sections that a catalog lists, as typed views of its files. */

import type { CatalogSection } from "../catalog.js";
import { FormatError } from "../errors.js";
import { type SectionKind, sectionName } from "../layout.js";
import type { Codes } from "./codes.js";
import type { SectionFile } from "./section-file.js";

export class SectionTable {
	private readonly byKey = new Map<string, CatalogSection>();

	constructor(
		/** The files' folder, which errors name. */
		private readonly folder: string,
		sections: readonly CatalogSection[],
		private readonly files: readonly SectionFile[],
	) {
		for (const section of sections) this.byKey.set(key(section.kind, section.column), section);
	}

	/** Whether `column` has a section of the kind. */
	has(kind: SectionKind, column: number): boolean {
		return this.byKey.has(key(kind, column));
	}

	/** The catalog's entry of a section. Throws {@link FormatError} if there is none. */
	need(kind: SectionKind, column: number): CatalogSection {
		const section = this.byKey.get(key(kind, column));
		if (section !== undefined) return section;
		const what = `no section ${sectionName(kind)} of column ${column}`;
		throw new FormatError("missing_section", this.folder, what);
	}

	/** The bytes of a section, in place. */
	bytesOf(section: CatalogSection): Buffer {
		return this.files[section.file].bytes(section);
	}

	/** The bytes of the section of a kind and column, in place. Throws {@link FormatError} if there is none. */
	bytes(kind: SectionKind, column: number): Buffer {
		return this.bytesOf(this.need(kind, column));
	}

	/** A section of 32-bit words; `length`: the number of words it must have. */
	u32(kind: SectionKind, column: number, length?: number): Uint32Array {
		const section = this.need(kind, column);
		const bytes = this.bytesOf(section);
		const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
		return length === undefined ? words : this.sized(words, length, section);
	}

	/** `view` if it has `length` elements. Throws {@link FormatError} otherwise. */
	sized<T extends Codes>(view: T, length: number, section: CatalogSection): T {
		if (view.length === length) return view;
		const what = `section ${sectionName(section.kind)} of column ${section.column}`;
		const fault = `${what}: expected ${length} elements, got ${view.length}`;
		throw new FormatError("corrupt_catalog", this.folder, fault);
	}
}

function key(kind: number, column: number): string {
	return `${kind}:${column}`;
}
