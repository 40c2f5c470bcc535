/**
 * Values that are valid individually and suspicious together, or for their column: a column with one value in
 * every row, a state where every last name is missing, rows without a license number or with nothing but one, odd license
 * numbers and postal codes (odd-codes.ts), texts that mean null (`NULL`) or are in quotes, invalid e-mail addresses and phone
 * numbers (odd-contacts.ts), dates out of range or out of order (date-order.ts). They never fail a build; the report shows them. Cost O(rows + distinct codes
 * + bytes of contact columns).
 */

import { COLUMNS, columnNamed, DICTIONARY_COLUMNS, type SnapshotFiles } from "../../formats/index.js";
import { findBareRows } from "./bare-rows.js";
import { findDatesOutOfOrder } from "./date-order.js";
import { profileDates } from "./date-profile.js";
import { findOddCodes } from "./odd-codes.js";
import { findOddContacts } from "./odd-contacts.js";
import { type OddValues, oddTexts, rowsOfCodes, shortened } from "./odd-rows.js";

/** Months with fewer rows are not examined. */
const ROWS_MIN = 100;
/** Columns that legitimately may have one value. */
const MAY_BE_CONSTANT: ReadonlySet<string> = new Set(["country", "state", "last_refreshed", "agent_count"]);

/** The odd values of an open month. */
export function findOddValues(files: SnapshotFiles): OddValues[] {
	return [
		...constantColumns(files),
		...statesWithoutLastNames(files),
		...rowsWithoutNumbers(files),
		...findBareRows(files),
		...quotedTexts(files),
		...nullTexts(files),
		...findOddCodes(files),
		...findOddContacts(files),
		...oddDates(files),
		...findDatesOutOfOrder(files),
	];
}

function constantColumns(files: SnapshotFiles): OddValues[] {
	const { rows } = files.catalog;
	if (rows < ROWS_MIN) return [];
	return DICTIONARY_COLUMNS.filter(({ name, derived }) => !derived && !MAY_BE_CONSTANT.has(name)).flatMap(
		(column) => {
			const dictionary = files.dictionary(column);
			if (dictionary.distinct !== 1 || files.column(column).nulls > 0) return [];
			const samples = [shortened(dictionary.value(0) ?? "")];
			return [{ kind: "constant_column" as const, column: column.name, state: null, rows, samples }];
		},
	);
}

function statesWithoutLastNames(files: SnapshotFiles): OddValues[] {
	const column = columnNamed("member_last_name");
	const codes = files.codes(column);
	const none = files.dictionary(column).distinct;
	return files.catalog.states.flatMap(({ state, first, rows }) => {
		for (let row = first; row < first + rows; row++) if (codes[row] !== none) return [];
		return [{ kind: "no_last_names" as const, column: column.name, state, rows, samples: [] }];
	});
}

/** One entry for each state with rows without a license number. */
function rowsWithoutNumbers(files: SnapshotFiles): OddValues[] {
	const column = columnNamed("member_state_license_number");
	if (files.column(column).nulls === 0) return [];
	const codes = files.codes(column);
	const none = files.dictionary(column).distinct;
	return files.catalog.states.flatMap(({ state, first, rows }) => {
		let found = 0;
		for (let row = first; row < first + rows; row++) if (codes[row] === none) found++;
		const odd = { kind: "no_license_number" as const, column: column.name, state, rows: found, samples: [] };
		return found === 0 ? [] : [odd];
	});
}

/**
 * What programs write for null: databases, pandas, and people. Case matters, as for `nulls` in a map: Null and Nan are
 * names of people.
 */
const NULL_TEXTS = [
	...["NULL", "null", "(null)", "<null>", "\\N", "None", "NONE", "none", "nil"],
	...["NaN", "nan", "NaT", "<NA>", "N/A", "n/a", "undefined"],
];

const NULL_TEXT_BYTES_MAX = Math.max(...NULL_TEXTS.map((text) => text.length));

/** One entry for each column with texts that mean null. */
function nullTexts(files: SnapshotFiles): OddValues[] {
	const inCodes = DICTIONARY_COLUMNS.filter(({ kind, derived }) => kind === "dict" && !derived);
	const found = inCodes.flatMap((column) => {
		const dictionary = files.dictionary(column);
		const odd = NULL_TEXTS.map((text) => dictionary.find(text)).filter((code) => code >= 0);
		odd.sort((a, b) => a - b);
		return rowsOfCodes(files, "null_text", column, odd, files.catalog.states);
	});
	const inTexts = COLUMNS.filter(({ kind }) => kind === "string").map(({ name }) => name);
	return [...found, ...oddTexts(files, "null_text", inTexts, isNullText)];
}

function isNullText(bytes: Uint8Array, start: number, end: number): boolean {
	if (end - start > NULL_TEXT_BYTES_MAX) return false;
	return NULL_TEXTS.includes(Buffer.from(bytes.slice(start, end)).toString("utf8"));
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
/** Columns of codes, of which an apostrophe before one is what spreadsheets mark a text by; names may begin with one. */
const CODES: ReadonlySet<string> = new Set(["member_state_license_number", "member_postal_code"]);

/** One entry for each column with texts in quotes, which a blank before them or another kind of quote kept in the text. */
function quotedTexts(files: SnapshotFiles): OddValues[] {
	const columns = DICTIONARY_COLUMNS.filter(({ kind, derived }) => kind === "dict" && !derived);
	return columns.flatMap((column) => {
		const dictionary = files.dictionary(column);
		const { offsets, heap } = dictionary;
		const odd: number[] = [];
		for (const quote of [QUOTE, APOSTROPHE]) {
			const { from, to } = dictionary.prefixRange(String.fromCharCode(quote));
			for (let code = from; code < to; code++) {
				const isClosed = heap[offsets[code + 1] - 1] === quote && offsets[code + 1] - offsets[code] > 1;
				if (isClosed || (quote === APOSTROPHE && CODES.has(column.name))) odd.push(code);
			}
		}
		return rowsOfCodes(files, "quoted_text", column, odd, files.catalog.states);
	});
}

/** One entry for each column with dates up to 1900-01-01 or implausibly far in the future. */
function oddDates(files: SnapshotFiles): OddValues[] {
	return profileDates(files).flatMap(({ column, odd, odd_samples: samples }) =>
		odd === 0 ? [] : [{ kind: "odd_date" as const, column, state: null, rows: odd, samples }],
	);
}
