/**
 * Values that are valid individually and suspicious together, or for their column: a column with one value in
 * every row, a state where every last name is missing, rows without a license number, license numbers without a digit
 * (`Total`), texts that mean null (`NULL`), codes that spreadsheets were told to keep as texts (`="0123"`), damaged
 * (`1.23457E+11`), wrote as decimals (`12.0`) or without leading zeros (`7001`), invalid e-mail addresses and phone numbers,
 * matched contacts of rows of Canada, which only rows of the US have.
 * They never fail a build; the report shows them. Cost O(rows + distinct codes + bytes of contact columns).
 */

import {
	type Column,
	columnNamed,
	DICTIONARY_COLUMNS,
	type Range,
	type SnapshotFiles,
	type StateRun,
} from "../../formats/index.js";

export interface OddValues {
	readonly kind:
		| "constant_column"
		| "no_last_names"
		| "no_license_number"
		| "number_without_digit"
		| "formula_text"
		| "damaged_code"
		| "null_text"
		| "decimal_code"
		| "short_zip"
		| "odd_email"
		| "odd_phone"
		| "matched_outside_us";
	readonly column: string;
	/** The state concerned; null: all. */
	readonly state: string | null;
	readonly rows: number;
	/** A few of the values. */
	readonly samples: readonly string[];
}

/** Months with fewer rows are not examined. */
const ROWS_MIN = 100;
const SAMPLES_MAX = 3;
const SAMPLE_CHARACTERS_MAX = 80;
/** Odd rows of a text column among which samples of different texts are sought. */
const SAMPLED_ROWS_MAX = 10_000;
/** Columns that legitimately may have one value. */
const MAY_BE_CONSTANT: ReadonlySet<string> = new Set(["country", "state", "last_refreshed", "agent_count"]);

const AT = 0x40;
const DOT = 0x2e;
const SPACE = 0x20;

/** The odd values of an open month. */
export function findOddValues(files: SnapshotFiles): OddValues[] {
	return [
		...constantColumns(files),
		...statesWithoutLastNames(files),
		...rowsWithoutNumbers(files),
		...numbersWithoutDigits(files),
		...formulaTexts(files),
		...damagedCodes(files),
		...nullTexts(files),
		...decimalCodes(files),
		...shortZips(files),
		...oddTexts(files, "odd_email", ["member_email", "matched_email"], isOddEmail),
		...oddTexts(files, "odd_phone", ["member_preferred_phone", "matched_phone"], isOddPhone),
		...oddTexts(
			files,
			"matched_outside_us",
			["matched_email", "matched_phone"],
			() => true,
			rowsOfCanada(files),
		),
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
const DAMAGED = /^(\d(\.\d+)?E\+\d{1,3}|#+|#N\/A|#(REF|VALUE|NUM|NULL|DIV\/0)!|#NAME\?)$/i;
const HASH = 0x23;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
/** Maximum digits of an exponent. */
const EXPONENT_DIGITS_MAX = 3;

/** One entry for each column of codes with damaged ones. */
function damagedCodes(files: SnapshotFiles): OddValues[] {
	return (["member_state_license_number", "member_postal_code"] as const).flatMap((name) =>
		oddCodes(files, "damaged_code", name, (bytes, start, end) => {
			const mayBe = bytes[start] === HASH || hasExponent(bytes, start, end);
			return mayBe && DAMAGED.test(Buffer.from(bytes.slice(start, end)).toString("utf8"));
		}),
	);
}

/** License numbers without a digit, such as those of totals, legends and lines of units, which are no licenses. */
function numbersWithoutDigits(files: SnapshotFiles): OddValues[] {
	return oddCodes(files, "number_without_digit", "member_state_license_number", (bytes, start, end) => {
		// Digits of other scripts are none either.
		for (let i = start; i < end; i++) if (isDigit(bytes[i])) return false;
		return bytes[start] !== HASH;
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

/** One entry for each column of dictionary codes with texts that mean null. */
function nullTexts(files: SnapshotFiles): OddValues[] {
	const columns = DICTIONARY_COLUMNS.filter(({ kind, derived }) => kind === "dict" && !derived);
	return columns.flatMap((column) => {
		const dictionary = files.dictionary(column);
		const found = NULL_TEXTS.map((text) => dictionary.find(text)).filter((code) => code >= 0);
		const odd = found.sort((a, b) => a - b);
		return rowsOfCodes(files, "null_text", column, odd, files.catalog.states);
	});
}

/** One entry for each column of codes with whole numbers written as decimals, `12.0`. */
function decimalCodes(files: SnapshotFiles): OddValues[] {
	return (["member_state_license_number", "member_postal_code"] as const).flatMap((name) =>
		oddCodes(files, "decimal_code", name, (bytes, start, end) => {
			let dot = end;
			while (dot > start && bytes[dot - 1] === ZERO) dot--;
			const isDecimal = dot < end && dot - start > 1 && bytes[dot - 1] === DOT;
			return isDecimal && isDigits(bytes, start, dot - 1);
		}),
	);
}

const ZIP_DIGITS = 5;
/** The lowest ZIP codes are of Puerto Rico, 00601, and Holtsville, 00501. */
const SHORT_ZIP_DIGITS_MIN = 3;

/** ZIP codes that lost leading zeros; of rows of Canada they are none. */
function shortZips(files: SnapshotFiles): OddValues[] {
	const isShort = (bytes: Uint8Array, start: number, end: number) => {
		const digits = end - start;
		return digits >= SHORT_ZIP_DIGITS_MIN && digits < ZIP_DIGITS && isDigits(bytes, start, end);
	};
	return oddCodes(files, "short_zip", "member_postal_code", isShort, runsOf(files, "US"));
}

function runsOf(files: SnapshotFiles, country: string): StateRun[] {
	return files.catalog.states.filter((run) => run.country === country);
}

/** In canonical order rows of Canada come before those of the US. */
function rowsOfCanada(files: SnapshotFiles): Range {
	return { from: 0, to: runsOf(files, "CA").reduce((to, { first, rows }) => Math.max(to, first + rows), 0) };
}

function isDigit(byte: number): boolean {
	return byte >= ZERO && byte <= NINE;
}

function isDigits(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (!isDigit(bytes[i])) return false;
	return true;
}

/** An entry for a column of codes if rows of `runs` have odd ones. */
function oddCodes(
	files: SnapshotFiles,
	kind: OddValues["kind"],
	name: "member_state_license_number" | "member_postal_code",
	isOdd: (bytes: Uint8Array, start: number, end: number) => boolean,
	runs: readonly StateRun[] = files.catalog.states,
): OddValues[] {
	const column = columnNamed(name);
	const { distinct, offsets, heap } = files.dictionary(column);
	const odd: number[] = [];
	for (let code = 0; code < distinct; code++)
		if (isOdd(heap, offsets[code], offsets[code + 1])) odd.push(code);
	return rowsOfCodes(files, kind, column, odd, runs);
}

/** An entry for a column if rows of `runs` have one of the codes `odd`, which ascend. */
function rowsOfCodes(
	files: SnapshotFiles,
	kind: OddValues["kind"],
	column: Column,
	odd: readonly number[],
	runs: readonly StateRun[],
): OddValues[] {
	if (odd.length === 0) return [];
	const dictionary = files.dictionary(column);
	const codes = files.codes(column);
	// By code: whether it is odd, and whether a row has it.
	const isOdd = new Uint8Array(dictionary.distinct + 1);
	const isFound = new Uint8Array(dictionary.distinct + 1);
	for (const code of odd) isOdd[code] = 1;
	let found = 0;
	for (const { first, rows } of runs) {
		for (let row = first; row < first + rows; row++) {
			const code = codes[row];
			if (isOdd[code] === 0) continue;
			isFound[code] = 1;
			found++;
		}
	}
	if (found === 0) return [];
	const sampled = odd.filter((code) => isFound[code] === 1).slice(0, SAMPLES_MAX);
	const samples = sampled.map((code) => shortened(dictionary.value(code) ?? ""));
	return [{ kind, column: column.name, state: null, rows: found, samples }];
}

/** Whether a text has a plus sign before its last digits. */
function hasExponent(bytes: Uint8Array, start: number, end: number): boolean {
	for (let at = end - 2; at >= Math.max(start, end - 1 - EXPONENT_DIGITS_MAX); at--)
		if (bytes[at] === PLUS) return true;
	return false;
}

/** One entry for each column with odd texts. */
function oddTexts(
	files: SnapshotFiles,
	kind: OddValues["kind"],
	columns: readonly Column["name"][],
	isOdd: (bytes: Uint8Array, start: number, end: number) => boolean,
	within: Range = { from: 0, to: files.catalog.rows },
): OddValues[] {
	return columns.flatMap((name) => {
		const column = columnNamed(name);
		if (column.kind !== "string") return [];
		const { offsets, heap } = files.text(column);
		const samples: string[] = [];
		let rows = 0;
		for (let row = within.from; row < within.to; row++) {
			const [start, end] = [offsets[row], offsets[row + 1]];
			if (start === end || !isOdd(heap, start, end)) continue;
			rows++;
			if (samples.length === SAMPLES_MAX || rows > SAMPLED_ROWS_MAX) continue;
			const sample = shortened(Buffer.from(heap.slice(start, end)).toString("utf8"));
			if (!samples.includes(sample)) samples.push(sample);
		}
		return rows === 0 ? [] : [{ kind, column: name, state: null, rows, samples }];
	});
}

/** Whether a text is not an e-mail address: a blank, not exactly one `@` with text before it, or no dot after it. */
function isOddEmail(bytes: Uint8Array, start: number, end: number): boolean {
	let at = -1;
	let hasDot = false;
	for (let i = start; i < end; i++) {
		const byte = bytes[i];
		if (byte <= SPACE) return true;
		if (byte === AT) {
			if (at >= 0) return true;
			at = i;
		} else if (byte === DOT && at >= 0 && i > at + 1 && i < end - 1) hasDot = true;
	}
	return at <= start || !hasDot;
}

/** Digits of a phone number, including an extension. */
const PHONE_DIGITS_MIN = 7;
const PHONE_DIGITS_MAX = 20;

/** Whether a text is not a phone number: too few or too many digits, or all digits equal. */
function isOddPhone(bytes: Uint8Array, start: number, end: number): boolean {
	let digits = 0;
	let first = -1;
	let isVaried = false;
	for (let i = start; i < end; i++) {
		const digit = bytes[i] - 0x30;
		if (digit < 0 || digit > 9) continue;
		if (digits++ === 0) first = digit;
		else if (digit !== first) isVaried = true;
	}
	return digits < PHONE_DIGITS_MIN || digits > PHONE_DIGITS_MAX || !isVaried;
}

function shortened(text: string): string {
	return text.length > SAMPLE_CHARACTERS_MAX ? `${text.slice(0, SAMPLE_CHARACTERS_MAX)}\u2026` : text;
}
