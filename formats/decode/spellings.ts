/** Reads in place which values of a column are spellings of one name that differ in more than letter case. */

import { SECTION } from "../layout.js";
import { firstWhere } from "../range.js";
import type { SectionTable } from "./section-table.js";

export class Spellings {
	constructor(
		/** Codes of values in groups, ascending; one of two groups is there twice. */
		readonly codes: Uint32Array,
		/** The group of each of these. */
		readonly groups: Uint32Array,
		/** The members of group g: members[offsets[g], offsets[g + 1]). */
		readonly offsets: Uint32Array,
		readonly members: Uint32Array,
	) {}

	/** Those of the column with this code; null if `sections` have none. Throws FormatError. */
	static open(sections: SectionTable, column: number): Spellings | null {
		if (!sections.has(SECTION.spelledCodes, column)) return null;
		const codes = sections.u32(SECTION.spelledCodes, column);
		return new Spellings(
			codes,
			sections.u32(SECTION.spelledGroups, column, codes.length),
			sections.u32(SECTION.spellingOffsets, column),
			sections.u32(SECTION.spellings, column, codes.length),
		);
	}

	/** Whether the value has spellings that differ in more than letter case. Cost O(log values in groups). */
	has(code: number): boolean {
		return this.codes[this.firstOf(code)] === code;
	}

	/** The codes of all spellings of the value, its own among them, perhaps twice; none where {@link has} is false. Cost O(these). */
	of(code: number): number[] {
		const { codes, groups, offsets, members } = this;
		const found: number[] = [];
		for (let i = this.firstOf(code); codes[i] === code; i++)
			for (let at = offsets[groups[i]]; at < offsets[groups[i] + 1]; at++) found.push(members[at]);
		return found;
	}

	/** The first place in `codes` of `code` or a greater one. */
	private firstOf(code: number): number {
		return firstWhere(0, this.codes.length, (place) => this.codes[place] >= code);
	}
}
