/** What mends oddities of a drop and odd values of its month, where something does. */

import type { OddityKind } from "../csv/parsed-month.js";
import type { OddValues } from "../profile/odd-rows.js";

type OddKind = OddityKind | OddValues["kind"];

const FOOTERS =
	'"skipMatching" or "skipFooter" in a --map file skips lines that are no licenses, such as totals at the end';

const REMEDIES: Readonly<Partial<Record<OddKind, string>>> = {
	address_state:
		"most rows are of one state: if the others are of addresses, map their column to member_state_or_province, and set the " +
		'state that issued the licenses in "constants" of a --map file',
	unread_sheet:
		'"sheet" in a --map file names the sheet to read; save each as a file of its own to read several',
	number_without_digit: FOOTERS,
	number_with_word: FOOTERS,
	bare_row: FOOTERS,
	date_number:
		"a spreadsheet took these license numbers for dates, and what they were is lost: have the source write them as text",
	quoted_text:
		'only the quote ", directly after the delimiter, is no character of its cell: have the source write its fields so, ' +
		"and codes without an apostrophe",
	formula_text: '"trimFormula" in a --map file reads ="0123" as 0123, for the columns it names',
	null_text: '"nulls" in a --map file names the texts that mean null',
	decimal_code: '"trimDecimal" in a --map file reads 12.0 as 12, for the columns it names',
	short_zip: '"pad": {"member_postal_code": 5} in a --map file restores leading zeros',
	odd_postal_code:
		"postal codes without a digit are often cells of another column, in rows with a cell too few or too many: compare these rows " +
		'with the source, and name texts that mean null as "nulls" in a --map file',
	odd_date:
		'"nulls" in a --map file names texts that stand for no date, as the file writes them, such as 12/31/9999 or 1900-01-01; ' +
		'other such dates may be misread: check "dateFormat"',
	dates_out_of_order:
		'if most rows of a state have such dates, check in its --map file that "columns" exchanges none, and that "dateFormat" reads ' +
		"days, months and the century as the file means them",
	nulled_date:
		'"invalidDates" in a --map file made these dates null: where most of a column are among them, "dateFormat" is another',
	skipped_record:
		'lines that the map skips by "skipMatching", "skipFooter", "skipLines" or "headerMatch" look like licenses: check that ' +
		"setting",
	short_record:
		'the map has "missingCells": "null": if some of these rows lack a cell within them, or are parts of a row with a line end ' +
		"in a cell, have the source put cells in quotes",
	uncalculated_formula:
		"the program that wrote the workbook did not calculate its formulas: open it in a spreadsheet program and save it",
	bare_number:
		"the sheet shows these numbers with zeros, text or as times, by formats that are not read: save it as CSV, which has them",
	merged_cell: "split merged cells in a spreadsheet program, and fill in their value, if it is of every row",
	hidden_row: "hidden rows are read: delete those that are no licenses",
};

export interface OddityRemedy {
	readonly kind: OddKind;
	readonly remedy: string;
}

/** The remedy of each kind found, once, in the order of `kinds`. */
export function oddityRemedies(kinds: readonly OddKind[]): OddityRemedy[] {
	return [...new Set(kinds)].flatMap((kind) => {
		const remedy = REMEDIES[kind];
		return remedy === undefined ? [] : [{ kind, remedy }];
	});
}
