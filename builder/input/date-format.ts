/**
 * Date formats as an operator names them, and the reading of dates by them.
 *
 * A format is literal text around tokens: `YYYY` four digits, `MM` and `DD` two, or one where no digits are directly
 * beside them (`1/5/2026` by `MM/DD/YYYY`, but eight digits by `YYYYMMDD`), `M` and `D` one or two, `MMMM` an English or
 * French month's name in any case, with its accents or without, and `MMM` its abbreviation; `dddd` and `ddd` a weekday and
 * its abbreviation, dropped, as is a time: `HH`, `hh`, `mm`, `ss` two digits, `H` and `h` one or two, `SSS`
 * any number of digits, `AM` either half of the day, `ZZZ` a zone: `GMT`, `EST`, `-0500`. A blank reads several, too, by
 * which databases align numbers: `Jan  2 2025 12:00AM`. Nothing else is dropped: a time that no format names makes
 * the date unreadable. A day may be an ordinal, `2nd`, or the French `1er`.
 * `YY` is two digits, read only with the century spelled out: by `MM/DD/YY from 1950` they are years of 1950 to 2049.
 * ISO `YYYY-MM-DD` is always read, with a time, fraction and zone or without: the day is taken as written.
 *
 * `excel` and `excel1904` are serial day numbers of spreadsheets (serial-days.ts); a fraction, the time of day, is
 * dropped. Day 60 of `excel` is impossible.
 */

import { isCalendarDate, isoDateOfDays } from "../../formats/domain/dates.js";
import { withoutAccents } from "../../formats/domain/state-names.js";
import { BuildError } from "../errors.js";
import { daysOfSerial, isSerialDay, LAST_DAY } from "./serial-days.js";

/** A date read: ISO text, or why there is none. */
export type DateReading =
	| { readonly iso: string }
	| { readonly fault: "unreadable_date" | "impossible_date" };

/** One compiled format. */
export interface DateFormat {
	readonly text: string;
	/** Reads `written` by this format; null if it does not match. */
	read(written: string): DateReading | null;
}

/** Names of the months in English and in French without accents; no two months share one. */
const MONTH_NAMES = [
	...["january|janvier", "february|fevrier", "march|mars", "april|avril", "may|mai", "june|juin"],
	...["july|juillet", "august|aout", "september|septembre", "october|octobre", "november|novembre"],
	"december|decembre",
];
/** Abbreviations, those of French with a dot or without: `janv.`, but `mars`. */
const MONTH_ABBREVIATIONS = [
	...["jan|janv", "feb|fev|fevr", "mar|mars", "apr|avr", "may|mai", "jun|juin"],
	...["jul|juil", "aug|aout", "sep|sept", "oct", "nov", "dec"],
];

/** Weekdays in both languages; abbreviations with a dot or without. */
const WEEKDAY_NAMES = [
	...["sunday|dimanche", "monday|lundi", "tuesday|mardi", "wednesday|mercredi", "thursday|jeudi"],
	...["friday|vendredi", "saturday|samedi"],
];
const WEEKDAY_ABBREVIATIONS = [
	...["sun|dim", "mon|lun", "tues|tue|mar", "weds|wed|mer", "thurs|thur|thu|jeu", "fri|ven", "sat|sam"],
];

/** Month number by name or abbreviation. */
const MONTHS: ReadonlyMap<string, number> = new Map(
	[MONTH_NAMES, MONTH_ABBREVIATIONS].flatMap((months) =>
		months.flatMap((names, i) => names.split("|").map((name) => [name, i + 1] as const)),
	),
);

/** What may follow the day: `1er` in French, `1st` and so on in English. */
const ORDINAL = "(?:(?<=(?<!\\d)0?1)er|(?<=(?<!1)1)st|(?<=(?<!1)2)nd|(?<=(?<!1)3)rd|(?<=[04-9]|1[1-3])th)?";

/** Tokens, longest first where one is the start of another, with the pattern that reads them. */
const TOKENS: readonly (readonly [token: string, pattern: string])[] = [
	["YYYY", "(?<y>\\d{4})"],
	["YY", "(?<y>\\d{2})"],
	["MMMM", `(?<m>${MONTH_NAMES.join("|")})`],
	["MMM", `(?<m>${MONTH_ABBREVIATIONS.join("|")})\\.?`],
	["MM", "(?<m>\\d{2})"],
	["M", "(?<m>\\d{1,2})"],
	["dddd", `(?:${WEEKDAY_NAMES.join("|")})`],
	["ddd", `(?:${WEEKDAY_ABBREVIATIONS.join("|")})\\.?`],
	["DD", `(?<d>\\d{2})${ORDINAL}`],
	["D", `(?<d>\\d{1,2})${ORDINAL}`],
	["HH", "(?:[01]\\d|2[0-3])"],
	["H", "(?:1\\d|2[0-3]|0?\\d)"],
	["hh", "(?:0\\d|1[0-2])"],
	["h", "(?:1[0-2]|0?\\d)"],
	["mm", "[0-5]\\d"],
	["SSS", "\\d+"],
	["ss", "[0-5]\\d"],
	["AM", "[AP](?:M|\\.M\\.)"],
	["ZZZ", "(?:[A-Z]{1,5}(?:[+-]\\d{1,2}(?::?\\d{2})?)?|[+-]\\d{2}:?\\d{2})"],
];

/** Tokens of two digits or one, where no digits are beside them: the token that reads both. */
const WITH_ONE_DIGIT: ReadonlyMap<string, string> = new Map([
	["MM", "M"],
	["DD", "D"],
]);

const TOKENS_TEXT = TOKENS.map(([token]) => token).join(", ");

/** The first of the hundred years that two digits mean, as a format ends with it, and its bounds. */
const FIRST_YEAR = /^(?<rest>.*) from (?<year>.*)$/;
const FIRST_YEAR_MIN = 1800;
const FIRST_YEAR_MAX = 2100;
/** Tokens of digits whose number varies. */
const VARIABLE_TOKENS = ["M", "D", "H", "h", "SSS"];
const DIGIT_TOKENS = ["YYYY", "YY", "MM", "DD", "HH", "hh", "mm", "ss", ...VARIABLE_TOKENS];

const ISO: DateFormat = patternFormat(
	"YYYY-MM-DD",
	/^(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})(?:[T ](?:[01]\d|2[0-4]):?[0-5]\d(?::?[0-6]\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?$/i,
);

const EXCEL_SERIAL = /^(?<day>\d{1,7})(?:\.\d+)?$/;
const SERIAL_FORMATS: ReadonlyMap<string, DateFormat> = new Map([
	["excel", serialFormat("excel", false)],
	["excel1904", serialFormat("excel1904", true)],
]);

/** Serial day numbers of one of the two systems. */
function serialFormat(text: string, is1904: boolean): DateFormat {
	return {
		text,
		read(written) {
			const serial = EXCEL_SERIAL.exec(written)?.groups?.day;
			if (serial === undefined) return null;
			const day = Number(serial);
			const days = daysOfSerial(day, is1904);
			if (days > LAST_DAY) return null;
			return isSerialDay(day, is1904) ? { iso: isoDateOfDays(days) } : { fault: "impossible_date" };
		},
	};
}

/** A format by a pattern whose groups y, m and d hold year, month and day; two digits are a year from `firstYear` on. */
function patternFormat(text: string, pattern: RegExp, firstYear = 0): DateFormat {
	return {
		text,
		read(written) {
			const groups = (pattern.exec(written) ?? pattern.exec(withoutAccents(written)))?.groups;
			if (groups === undefined) return null;
			const month = MONTHS.get(groups.m.toLowerCase()) ?? Number(groups.m);
			const year = groups.y.length === 2 ? String(yearFrom(firstYear, Number(groups.y))) : groups.y;
			if (!isCalendarDate(Number(year), month, Number(groups.d))) return { fault: "impossible_date" };
			return { iso: `${year}-${String(month).padStart(2, "0")}-${groups.d.padStart(2, "0")}` };
		},
	};
}

/** Compiles one format. Throws {@link BuildError} `bad_date_format` unless it names year, month and day once each. */
function compileDateFormat(text: string, file: string | null = null): DateFormat {
	const serial = SERIAL_FORMATS.get(text);
	if (serial !== undefined) return serial;
	const { firstYear, tokens } = firstYearOf(text, file);
	const parts = partsOf(tokens);
	for (const [i, { text: name, pattern }] of parts.entries()) {
		if (pattern === null && /[A-Za-z]/.test(name) && name !== "T" && name !== "Z")
			throw badFormat(text, unknownToken(text, tokens.slice(lengthOf(parts.slice(0, i)))), file);
		const variable = variableBefore(parts, i);
		if (variable !== null && VARIABLE_TOKENS.includes(name)) {
			const rule = `the digits of ${variable} and ${name} cannot be told apart without a character in between`;
			throw badFormat(text, rule, file);
		}
	}
	const pattern = parts
		.map((part, i) => patternOf(part, hasDigits(parts[i - 1]) || hasDigits(parts[i + 1])))
		.join("")
		// A run of blanks as one, which is matched in one way.
		.replaceAll(/(?: \+)+/g, " +");
	for (const [group, name] of [
		["y", "YYYY, or YY,"],
		["m", "MM, M, MMM or MMMM"],
		["d", "DD or D"],
	]) {
		if (pattern.split(`(?<${group}>`).length !== 2) throw badFormat(text, `it must have ${name} once`, file);
	}
	return patternFormat(text, new RegExp(`^${pattern}$`, "i"), firstYear);
}

/** A token of a format, or a literal character. */
interface FormatPart {
	readonly text: string;
	/** Null: a literal character. */
	readonly pattern: string | null;
}

function partsOf(format: string): FormatPart[] {
	const parts: FormatPart[] = [];
	for (let rest = format; rest !== ""; rest = rest.slice(parts[parts.length - 1].text.length)) {
		const [text, pattern] = TOKENS.find(([name]) => rest.startsWith(name)) ?? [rest[0], null];
		parts.push({ text, pattern });
	}
	return parts;
}

function lengthOf(parts: readonly FormatPart[]): number {
	return parts.reduce((length, { text }) => length + text.length, 0);
}

/** The token of varying length that only tokens of digits separate from part `i`; null: none. */
function variableBefore(parts: readonly FormatPart[], i: number): string | null {
	for (let before = i - 1; before >= 0 && DIGIT_TOKENS.includes(parts[before].text); before--) {
		if (VARIABLE_TOKENS.includes(parts[before].text)) return parts[before].text;
	}
	return null;
}

/** Whether a part reads digits. */
function hasDigits(part: FormatPart | undefined): boolean {
	return part !== undefined && (DIGIT_TOKENS.includes(part.text) || /\d/.test(part.text));
}

/** The pattern of a part; `isBesideDigits`: the part before or after it reads digits. */
function patternOf({ text, pattern }: FormatPart, isBesideDigits: boolean): string {
	if (pattern === null) return text === " " ? " +" : text.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
	const wider = isBesideDigits ? undefined : WITH_ONE_DIGIT.get(text);
	return TOKENS.find(([name]) => name === wider)?.[1] ?? pattern;
}

/** The rule that a format breaks which goes on with `rest`. */
function unknownToken(text: string, rest: string): string {
	const likely = inTokens(text);
	const hint = likely === null ? "" : `; did you mean ${JSON.stringify(likely)}?`;
	return `${JSON.stringify(rest)} begins with none of the tokens: ${TOKENS_TEXT}${hint}`;
}

/** Fields of strftime, and weekdays of Java, and their tokens. */
const STRFTIME: Readonly<Record<string, string>> = {
	...{ "%Y": "YYYY", "%m": "MM", "%d": "DD", "%b": "MMM", "%B": "MMMM", "%e": "D", "%-m": "M", "%-d": "D" },
	...{ "%A": "dddd", "%a": "ddd", EEEE: "dddd", EEE: "ddd" },
	...{ "%H": "HH", "%I": "hh", "%M": "mm", "%S": "ss", "%p": "AM", "%F": "YYYY-MM-DD", "%D": "MM/DD/YY" },
	...{ "%y": "YY", "%Z": "ZZZ", "%z": "ZZZ" },
};

/** A format in the notation of strftime, or with a date in lower case, in tokens; null if neither makes a format. */
function inTokens(text: string): string | null {
	const translated = text
		.replaceAll(/%-?[A-Za-z]|EEEE?/g, (field) => STRFTIME[field] ?? field)
		.replace(/^[^hH]*/, (date) =>
			date.replaceAll(/d{3,4}|./g, (each) => (each.length > 1 ? each : each.toUpperCase())),
		);
	const likely = translated.includes("YYYY") ? translated : translated.replace(/YY.*/, "$& from 1950");
	if (likely === text) return null;
	try {
		compileDateFormat(likely);
		return likely;
	} catch {
		return null;
	}
}

/** A format without its first year. Throws where it has one and no `YY`, or `YY` and none. */
function firstYearOf(text: string, file: string | null): { firstYear: number; tokens: string } {
	const { rest: tokens = text, year } = FIRST_YEAR.exec(text)?.groups ?? {};
	const hasTwoDigits = tokens.replace("YYYY", "").includes("YY");
	if (year === undefined && hasTwoDigits) {
		const rule = `YY needs the first year that it can be: write "${text} from 1950" for 1950 to 2049`;
		throw badFormat(text, rule, file);
	}
	if (year !== undefined && !hasTwoDigits)
		throw badFormat(text, `"from ${year}" is only for years of YY`, file);
	const firstYear = Number(year ?? 0);
	const isYear = /^\d{4}$/.test(year ?? "") && firstYear >= FIRST_YEAR_MIN && firstYear <= FIRST_YEAR_MAX;
	if (year !== undefined && !isYear)
		throw badFormat(text, `"from ${year}" must have a year of ${FIRST_YEAR_MIN} to ${FIRST_YEAR_MAX}`, file);
	return { firstYear, tokens };
}

/** The year at or after `firstYear`, within a hundred years, that ends with the digits of `year`. */
function yearFrom(firstYear: number, year: number): number {
	return firstYear + ((((year - firstYear) % 100) + 100) % 100);
}

function badFormat(text: string, why: string, file: string | null): BuildError {
	return new BuildError("bad_date_format", `date format "${text}": ${why}`, { file });
}

/**
 * Compiles formats that are used together. Throws {@link BuildError} `bad_date_format` also where two
 * of them, or one and ISO, read the same text as different days, as MM/DD/YYYY and DD/MM/YYYY do. `file` is the map
 * file that names them.
 */
export function compileDateFormats(texts: readonly string[], file: string | null = null): DateFormat[] {
	const formats = texts.map((text) => compileDateFormat(text, file));
	const firstYears = texts.map((text) => FIRST_YEAR.exec(text)?.groups?.year ?? null);
	const [first, other] = new Set(firstYears.filter((year) => year !== null));
	if (other !== undefined) {
		const text = texts[firstYears.indexOf(other)];
		throw badFormat(text, `another format has "from ${first}"; use one first year for all`, file);
	}
	for (const format of formats) {
		// A day that is another one where month and day change places: read by each other format it must be the same.
		const probe = probeOf(format.text);
		for (const other of [ISO, ...formats]) {
			const [own, read] = [format.read(probe), other.read(probe)];
			if (own === null || read === null || !("iso" in own) || !("iso" in read) || own.iso === read.iso)
				continue;
			const rule = `"${probe}" is another day by the format "${other.text}"`;
			throw badFormat(format.text, other === ISO ? `${rule}, which is always read` : rule, file);
		}
	}
	return formats;
}

/** A date of 2001-02-03 written by the format `text`. */
function probeOf(text: string): string {
	if (text === "excel") return "36925";
	if (text === "excel1904") return "35463";
	const values: Record<string, string> = {
		YYYY: "2001",
		YY: "01",
		MMMM: "February",
		MMM: "Feb",
		M: "02",
		MM: "02",
		D: "03",
		DD: "03",
		AM: "AM",
		ZZZ: "GMT",
		// The day of 2001-02-03; a weekday is not compared with the date.
		dddd: "Saturday",
		ddd: "Sat",
	};
	return partsOf(FIRST_YEAR.exec(text)?.groups?.rest ?? text)
		.map((part) => (part.pattern === null ? part.text : (values[part.text] ?? "01")))
		.join("");
}

/** Reads `text`, trimmed, by ISO or else the first format that fits and whose day exists. */
export function readDate(text: string, formats: readonly DateFormat[]): DateReading {
	let fitted = false;
	for (const format of [ISO, ...formats]) {
		const reading = format.read(text);
		if (reading === null) continue;
		if ("iso" in reading) return reading;
		fitted = true;
	}
	return { fault: fitted ? "impossible_date" : "unreadable_date" };
}
