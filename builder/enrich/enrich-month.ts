/**
 * Enrichment: adds the matched e-mail address and phone number of a contacts file to US rows, joined by state and
 * license number.
 *
 * A contact's value replaces the drop's; without a contact, or if the contact's value is empty, the drop's is kept.
 * Rows carried over from a published month are left unchanged.
 */

import { COLUMNS, type ColumnName } from "../../formats/index.js";
import type { RunCompileTask } from "../compile/tasks.js";
import { concatenateText } from "../compile/write-text.js";
import type { OddityKind, ParsedMonth, PartText } from "../csv/parsed-month.js";
import { BuildError } from "../errors.js";
import { joinLicenses, type LicenseJoin, NO_CONTACT } from "./license-join.js";

const MATCHED = ["matched_email", "matched_phone"] as const satisfies readonly ColumnName[];

/** The counts of an enrichment. */
export interface Enrichment extends Omit<LicenseJoin, "contactOf"> {
	readonly sources: ParsedMonth["sources"];
	readonly contacts: number;
	/** Eligible contacts, each the first of its license, that matched no row. */
	readonly unused: number;
}

/** Oddities of contacts that are none: the maps of a month are those of its drops, and the contacts may have none. */
const EXPECTED: readonly OddityKind[] = ["no_map", "mapped_header_absent"];

/**
 * The month with the contacts' values, and their oddities among its own. Throws {@link BuildError} `missing_column` for
 * contacts with neither column, `empty_file` if they have no record.
 */
export async function enrichMonth(
	month: ParsedMonth,
	contacts: ParsedMonth,
	run: RunCompileTask,
): Promise<{ readonly month: ParsedMonth; readonly enrichment: Enrichment }> {
	const given = MATCHED.filter((name) => contacts.columns.includes(name));
	if (given.length === 0) {
		const [{ file }] = contacts.sources;
		throw new BuildError("missing_column", `contacts need a column ${MATCHED.join(" or ")}`, { file });
	}
	if (contacts.rows === 0 && contacts.rejects.rows === 0) {
		const file = contacts.sources.map((source) => source.file).join(", ");
		throw new BuildError("empty_file", "the contacts have no rows", { file });
	}
	const { contactOf, ...join } = await joinLicenses(month, contacts, run);
	const filled = given.map((name) => [name, fill(name, month, contacts, contactOf)] as const);
	const names = new Set<ColumnName>([...month.columns, ...given]);
	return {
		month: {
			...month,
			columns: COLUMNS.map(({ name }) => name).filter((name) => names.has(name)),
			enrichedColumns: given,
			oddities: [...month.oddities, ...contacts.oddities.filter(({ kind }) => !EXPECTED.includes(kind))],
			parts: month.parts.map((part, index) => ({
				...part,
				text: new Map([...part.text, ...filled.map(([name, texts]) => [name, texts[index]] as const)]),
			})),
		},
		enrichment: {
			...join,
			sources: contacts.sources,
			contacts: contacts.rows,
			unused: contacts.rows - join.ignored - join.repeated - join.used,
		},
	};
}

/** The column's text of every part of the month, with the contacts' values. */
function fill(
	name: ColumnName,
	month: ParsedMonth,
	contacts: ParsedMonth,
	contactOf: Uint32Array,
): PartText[] {
	const parts = contacts.parts.map(({ rows, text }) => ({ rows, text: text.get(name) ?? null }));
	const values = concatenateText({ column: name, parts }, contacts.rows, name);
	let first = 0;
	return month.parts.map((part) => {
		const isCarried = month.sources[part.source].carried === true;
		const rows = isCarried
			? new Uint32Array(part.rows).fill(NO_CONTACT)
			: contactOf.subarray(first, first + part.rows);
		first += part.rows;
		return fillPart(part.text.get(name) ?? null, rows, values.starts, values.heap);
	});
}

function fillPart(
	own: PartText | null,
	contactOf: Uint32Array,
	starts: Uint32Array,
	heap: Uint8Array,
): PartText {
	const rows = contactOf.length;
	const offsets = new Uint32Array(new SharedArrayBuffer(4 * (rows + 1)));
	const isGiven = (row: number) => {
		const contact = contactOf[row];
		return contact !== NO_CONTACT && starts[contact + 1] > starts[contact];
	};
	for (let row = 0; row < rows; row++) {
		const contact = contactOf[row];
		const length = isGiven(row)
			? starts[contact + 1] - starts[contact]
			: own === null
				? 0
				: own.offsets[row + 1] - own.offsets[row];
		offsets[row + 1] = offsets[row] + length;
	}
	const filled = new Uint8Array(new SharedArrayBuffer(offsets[rows]));
	for (let row = 0; row < rows; row++) {
		const given = isGiven(row);
		const source = given ? heap : own?.heap;
		if (source === undefined) continue;
		const start = given ? starts[contactOf[row]] : (own as PartText).offsets[row];
		for (let i = offsets[row]; i < offsets[row + 1]; i++) filled[i] = source[start + i - offsets[row]];
	}
	return { offsets, heap: filled };
}
