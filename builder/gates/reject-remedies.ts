/** The settings of a map that mend the reasons that rows are rejected for, where there are any. */

import type { RejectedRow, RejectReason, RejectSummary } from "../csv/parsed-month.js";
import { likelyDateFormats } from "../input/likely-date-format.js";
import { likelyEncoding, unescapedBytes } from "../input/likely-encoding.js";

const QUOTES =
	'"quotes": false in a --map file reads quotes as ordinary characters, if no field is in quotes; otherwise, the source has to ' +
	"double quotes within its fields";

const ANY_COLUMNS = ['check "delimiter" in a --map file', '"skipMatching" skips lines that are no rows'];
const TOO_FEW_COLUMNS = '"missingCells": "null" reads rows that lack empty cells at the end';
const TOO_MANY_COLUMNS = '"header" with "skipLines" names columns that the file\'s header lacks';

const REMEDIES: Readonly<Partial<Record<RejectReason, string>>> = {
	stray_quote: QUOTES,
	lone_quote: QUOTES,
	unterminated_quote: QUOTES,
	invalid_integer: 'in a --map file, "trimDecimal" reads 10.0 as 10, and null in "columns" skips the column',
	unknown_jurisdiction:
		'in a --map file, "values" replaces texts of state, and "constants" sets it for all rows if no column does',
	repeated_header: '"skipMatching" in a --map file skips lines that repeat the header',
	cell_too_long: 'null in "columns" of a --map file skips the column',
	country_mismatch: 'in a --map file, "values" replaces texts of country, and null in "columns" skips it',
};

/** Seconds and milliseconds since 1970, of 2001 to 2033 and beyond: no telephone number, and no date in digits, is like them. */
const SINCE_1970 = /^(?:1\d{9}|[12]\d{12})$/;
const AS_DATES =
	"these are probably seconds or milliseconds since 1970, which no format reads: have the source write dates, such as 2027-01-31";

/** What a cell begins with, as it is kept of a rejected row, if a formula protects its text from spreadsheets. */
const FOUND_FORMULA = '"=\\"';
const TRIM_FORMULA = '"trimFormula" in a --map file reads texts kept as formulas';

/** The rejects by reason, each with the settings of a map that mend it. */
export interface RemediedRejects extends RejectSummary {
	readonly reasons: readonly (RejectSummary["reasons"][number] & {
		/** Null where no setting does. */
		readonly remedy: string | null;
	})[];
}

/** The rejects with the remedy of each reason. */
export function remediedRejects({ rows, reasons }: RejectSummary): RemediedRejects {
	return {
		rows,
		reasons: reasons.map((each) => ({ ...each, remedy: remedyOf(each.reason, each.samples) })),
	};
}

/**
 * The reason that most rows were rejected for, with its remedy, and the first such row: `unreadable_date (set
 * "dateFormat" \u2026), first at drop.csv, line 2, column last_refreshed: "1/2/2027"`.
 */
export function worstReject({ reasons: [{ reason, samples }] }: RejectSummary): string {
	const remedy = remedyOf(reason, samples);
	const [{ file, line, column, found }] = samples;
	const where = `${file}, line ${line}${column === null ? "" : `, column ${column}`}`;
	return `${reason}${remedy === null ? "" : ` (${remedy})`}, first at ${where}${found === null ? "" : `: ${found}`}`;
}

function remedyOf(reason: RejectReason, samples: readonly RejectedRow[]): string | null {
	if (reason === "invalid_utf8") return encodingRemedy(samples);
	if (reason === "wrong_column_count") return columnsRemedy(samples);
	const isDate = reason === "unreadable_date" || reason === "impossible_date";
	const [{ found }] = samples;
	if (found?.startsWith(FOUND_FORMULA)) return TRIM_FORMULA;
	return isDate ? dateRemedy(reason, samples) : (REMEDIES[reason] ?? null);
}

/** By whether the samples have too few columns, though not one, too many, or some of each. */
function columnsRemedy(samples: readonly RejectedRow[]): string {
	const counts = samples.map(({ found }) => [...(found ?? "").matchAll(/\d+/g)].map(Number));
	const remedies = [
		...(counts.some(([columns, wanted]) => columns > 1 && columns < wanted) ? [TOO_FEW_COLUMNS] : []),
		...(counts.some(([columns, wanted]) => columns > wanted) ? [TOO_MANY_COLUMNS] : []),
	];
	return [...ANY_COLUMNS, ...remedies].join("; ");
}

/** Of the samples' bytes together, since some letters are in several encodings. */
function encodingRemedy(samples: readonly RejectedRow[]): string {
	const texts = samples.map(({ found }) => found ?? "");
	const likely = likelyEncoding(unescapedBytes(texts.join(" ")));
	const which = likely === null ? "such as to windows-1252" : `probably to ${likely}`;
	return `set "encoding" in a --map file, ${which}`;
}

function dateRemedy(reason: RejectReason, samples: readonly RejectedRow[]): string {
	const texts = samples
		.filter(({ column, found }) => column === samples[0].column && found !== null)
		.map(({ found }) => JSON.parse(found ?? "") as string);
	if (texts.length > 0 && texts.every((text) => SINCE_1970.test(text))) return AS_DATES;
	const likely = likelyDateFormats(texts, samples[0].dayNumbers).map((format) => JSON.stringify(format));
	const guess = likely.length === 0 ? "" : `, probably to ${likely.join(" or ")}`;
	if (reason === "impossible_date") {
		const mend =
			'"invalidDates": "null" in a --map file keeps such rows without the date, and "nulls" those of texts that mean no date';
		return guess === "" ? mend : `set "dateFormat"${guess}, if that is what the file has; ${mend}`;
	}
	return `set "dateFormat" in a --map file${guess}, or "dateFormats" to several, or "nulls" to texts that mean no date`;
}
