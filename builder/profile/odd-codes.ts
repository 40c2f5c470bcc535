/** Odd license numbers and postal codes: what spreadsheets made of them, and lines of a report that are no licenses. */

import { areDigits, columnNamed, isDigit, isLetter, type SnapshotFiles } from "../../formats/index.js";
import { type OddValues, oddCodes, SAMPLES_MAX, shortened } from "./odd-rows.js";

/** The odd codes of an open month. Cost O(rows + bytes of distinct codes). */
export function findOddCodes(files: SnapshotFiles): OddValues[] {
	return [
		...numbersWithoutDigits(files),
		...numbersWithWords(files),
		...formulaTexts(files),
		...damagedCodes(files),
		...dateNumbers(files),
		...decimalCodes(files),
		...shortZips(files),
		...postalCodesWithoutDigits(files),
	];
}

/** What a formula that displays a code as a text begins with. */
const FORMULA = '="';

/** One entry for each column of codes with texts that are formulas. */
function formulaTexts(files: SnapshotFiles): OddValues[] {
	return (["member_state_license_number", "member_postal_code"] as const).flatMap((name) => {
		const column = columnNamed(name);
		const dictionary = files.dictionary(column);
		const { from, to } = dictionary.prefixRange(FORMULA);
		if (from === to) return [];
		const codes = files.codes(column);
		let rows = 0;
		for (let row = 0; row < files.catalog.rows; row++) if (codes[row] >= from && codes[row] < to) rows++;
		const samples: string[] = [];
		for (let code = from; code < Math.min(to, from + SAMPLES_MAX); code++)
			samples.push(shortened(dictionary.value(code) ?? ""));
		return [{ kind: "formula_text" as const, column: name, state: null, rows, samples }];
	});
}

/** Codes that a spreadsheet replaced by a rounded number, by hashes where the column was narrow, or by an error. */
const DAMAGED = /^(\d\.\d+E\+?\d{1,3}|\dE\+\d{1,3}|#+|#N\/A|#(REF|VALUE|NUM|NULL|DIV\/0)!|#NAME\?)$/i;
const SPACE = 0x20;
const HASH = 0x23;
const PLUS = 0x2b;
const DASH = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;

/** One entry for each column of codes with damaged ones. */
function damagedCodes(files: SnapshotFiles): OddValues[] {
	return (["member_state_license_number", "member_postal_code"] as const).flatMap((name) =>
		oddCodes(files, "damaged_code", name, (bytes, start, end) => {
			const second = bytes[start + 1];
			const mayBe = bytes[start] === HASH || second === DOT || bytes[start + 2] === PLUS;
			return mayBe && DAMAGED.test(textOf(bytes, start, end));
		}),
	);
}

/** License numbers without a digit, such as those of totals, legends and lines of units, which are no licenses. */
function numbersWithoutDigits(files: SnapshotFiles): OddValues[] {
	return oddCodes(files, "number_without_digit", "member_state_license_number", hasNoDigit);
}

/** Postal codes without a digit: cells of another column, as of rows that a missing or extra cell shifts. */
function postalCodesWithoutDigits(files: SnapshotFiles): OddValues[] {
	return oddCodes(files, "odd_postal_code", "member_postal_code", hasNoDigit);
}

/** Whether a text has no digit and is not what a spreadsheet damaged, which is reported as such. */
function hasNoDigit(bytes: Uint8Array, start: number, end: number): boolean {
	// Digits of other scripts are none either.
	for (let i = start; i < end; i++) if (isDigit(bytes[i])) return false;
	return bytes[start] !== HASH;
}

/** Words of the lines that reports end with, such as `Total records: 300` and `Run date: 11/01/2026`. */
const WORDS =
	/(?<!\p{L})(totals?|records?|rows|selected|dates?|pages?|counts?|reports?|printed|generated|exported|enregistrements?|lignes)(?!\p{L})/iu;
/** Letters of the shortest of them. */
const WORD_LETTERS_MIN = 4;

/** License numbers with a digit and a word of the lines that reports end with. */
function numbersWithWords(files: SnapshotFiles): OddValues[] {
	return oddCodes(files, "number_with_word", "member_state_license_number", (bytes, start, end) => {
		let letters = 0;
		let most = 0;
		let digits = 0;
		for (let i = start; i < end; i++) {
			if (isDigit(bytes[i])) digits++;
			letters = isLetter(bytes[i]) ? letters + 1 : 0;
			most = Math.max(most, letters);
		}
		return most >= WORD_LETTERS_MIN && digits > 0 && WORDS.test(textOf(bytes, start, end));
	});
}

const MONTH =
	"(jan|f[e\u00e9][bv]|ma[iry]|a[pv]r|ju[iln]|aug|ao[u\u00fb]|sep|oct|nov|d[e\u00e9]c)[a-z]{0,2}\\.?";
/** Dates as spreadsheets display them in place of license numbers such as `1-2` and `JAN-05`, or store them. */
const DATE = new RegExp(
	[
		`^\\d{1,2}[- ]${MONTH}([- ]\\d{2}(\\d{2})?)?$`,
		`^${MONTH}-(\\d{2}|(19|20)\\d{2})$`,
		"^\\d{1,2}/\\d{1,2}/(\\d{2}|(19|20)\\d{2})( \\d{1,2}:.*)?$",
		"^(19|20)\\d{2}-(0[1-9]|1[0-2])-([0-2]\\d|3[01])([T ]\\d{2}:.*)?$",
	].join("|"),
	"i",
);

/** License numbers that are dates. */
function dateNumbers(files: SnapshotFiles): OddValues[] {
	return oddCodes(
		files,
		"date_number",
		"member_state_license_number",
		(bytes, start, end) => mayBeDate(bytes, start, end) && DATE.test(textOf(bytes, start, end)),
	);
}

/** Whether a text may match {@link DATE}, so that few texts are decoded. */
function mayBeDate(bytes: Uint8Array, start: number, end: number): boolean {
	let at = start;
	while (at < end && isDigit(bytes[at])) at++;
	const digits = at - start;
	if (digits === 4) return bytes[at] === DASH && bytes[at + 3] === DASH;
	if (digits > 2) return false;
	if (digits > 0)
		return bytes[at] === SLASH || ((bytes[at] === DASH || bytes[at] === SPACE) && isLetter(bytes[at + 1]));
	return isLetter(bytes[at]) && (bytes[end - 3] === DASH || bytes[end - 5] === DASH);
}

/** One entry for each column of codes with whole numbers written as decimals. */
function decimalCodes(files: SnapshotFiles): OddValues[] {
	return (["member_state_license_number", "member_postal_code"] as const).flatMap((name) =>
		oddCodes(files, "decimal_code", name, isWholeDecimal),
	);
}

/** Whether a text is a whole number written as a decimal, `12.0`. */
export function isWholeDecimal(bytes: Uint8Array, start: number, end: number): boolean {
	let dot = end;
	while (dot > start && bytes[dot - 1] === ZERO) dot--;
	const isDecimal = dot < end && dot - start > 1 && bytes[dot - 1] === DOT;
	return isDecimal && areDigits(bytes, start, dot - 1);
}

const ZIP_DIGITS = 5;
/** The lowest ZIP codes are of Puerto Rico, 00601, and Holtsville, 00501. */
const SHORT_ZIP_DIGITS_MIN = 3;

/** ZIP codes that lost leading zeros; of rows of Canada they are none. */
function shortZips(files: SnapshotFiles): OddValues[] {
	const runs = files.catalog.states.filter(({ country }) => country === "US");
	const isShort = (bytes: Uint8Array, start: number, end: number) => {
		const digits = end - start;
		return digits >= SHORT_ZIP_DIGITS_MIN && digits < ZIP_DIGITS && areDigits(bytes, start, end);
	};
	return oddCodes(files, "short_zip", "member_postal_code", isShort, runs);
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
	return Buffer.from(bytes.slice(start, end)).toString("utf8");
}
