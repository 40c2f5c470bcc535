/**
 * Date formats as an operator names them, and the reading of dates by them.
 *
 * A format is literal text around tokens: `YYYY` four digits, `MM` and `DD` two, `M` and `D` one or
 * two, `MMM` an English month's first three letters in any case; of a time, read and dropped: `HH`,
 * `hh`, `mm`, `ss` two digits, `H` and `h` one or two, `SSS` any number of digits, `AM` either half of
 * the day. Nothing else is dropped: a time that no format names makes the date unreadable.
 * ISO `YYYY-MM-DD` is always read.
 */

import { isCalendarDate } from "../../formats/dates.js";
import { BuildError } from "../errors.js";

/** A date read: ISO text, or why there is none. */
export type DateReading =
	| { readonly iso: string }
	| { readonly fault: "unreadable_date" | "impossible_date" };

/** One compiled format; groups y, m and d of `pattern` hold year, month and day. */
export interface DateFormat {
	readonly text: string;
	readonly pattern: RegExp;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Tokens, longest first where one is the start of another, with the pattern that reads them. */
const TOKENS: readonly (readonly [token: string, pattern: string])[] = [
	["YYYY", "(?<y>\\d{4})"],
	["MMM", `(?<m>${MONTHS.join("|")})`],
	["MM", "(?<m>\\d{2})"],
	["M", "(?<m>\\d{1,2})"],
	["DD", "(?<d>\\d{2})"],
	["D", "(?<d>\\d{1,2})"],
	["HH", "(?:[01]\\d|2[0-3])"],
	["H", "(?:1\\d|2[0-3]|0?\\d)"],
	["hh", "(?:0\\d|1[0-2])"],
	["h", "(?:1[0-2]|0?\\d)"],
	["mm", "[0-5]\\d"],
	["SSS", "\\d+"],
	["ss", "[0-5]\\d"],
	["AM", "[AP]M"],
];

const ISO: DateFormat = compileDateFormat("YYYY-MM-DD");

/** Compiles one format. Throws {@link BuildError} `bad_date_format` unless it names year, month and day once each. */
export function compileDateFormat(text: string, file: string | null = null): DateFormat {
	let pattern = "";
	let rest = text;
	while (rest !== "") {
		const token = TOKENS.find(([name]) => rest.startsWith(name));
		if (token === undefined && /[A-Za-z]/.test(rest[0]) && rest[0] !== "T" && rest[0] !== "Z") {
			throw badFormat(text, `"${rest}" starts with no token`, file);
		}
		pattern += token === undefined ? rest[0].replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&") : token[1];
		rest = rest.slice(token === undefined ? 1 : token[0].length);
	}
	for (const [group, name] of [
		["y", "YYYY"],
		["m", "MM, M or MMM"],
		["d", "DD or D"],
	]) {
		if (pattern.split(`(?<${group}>`).length !== 2) throw badFormat(text, `it must have ${name} once`, file);
	}
	return { text, pattern: new RegExp(`^${pattern}$`, "i") };
}

function badFormat(text: string, why: string, file: string | null): BuildError {
	return new BuildError("bad_date_format", `date format "${text}": ${why}`, { file });
}

/**
 * Compiles formats that are used together. Throws {@link BuildError} `bad_date_format` also where two
 * of them read the same text as different days, as MM/DD/YYYY and DD/MM/YYYY do. `file` is the map file
 * that names them.
 */
export function compileDateFormats(texts: readonly string[], file: string | null = null): DateFormat[] {
	const formats = texts.map((text) => compileDateFormat(text, file));
	for (const format of formats) {
		for (const other of formats) {
			// Day 1 of month 2 in every spelling of the format: read by the other it must be the same day.
			const probe = probeOf(format.text);
			const days = [readDate(probe, [format]), readDate(probe, [other])];
			if ("iso" in days[0] && "iso" in days[1] && days[0].iso !== days[1].iso) {
				throw badFormat(format.text, `"${probe}" is another day by the format "${other.text}"`, file);
			}
		}
	}
	return formats;
}

/** A date of 2001-02-03 written by the format `text`. */
function probeOf(text: string): string {
	const values: Record<string, string> = {
		YYYY: "2001",
		MMM: "Feb",
		M: "02",
		MM: "02",
		D: "03",
		DD: "03",
		AM: "AM",
	};
	let written = "";
	let rest = text;
	while (rest !== "") {
		const token = TOKENS.find(([name]) => rest.startsWith(name))?.[0];
		written += token === undefined ? rest[0] : (values[token] ?? "01");
		rest = rest.slice(token?.length ?? 1);
	}
	return written;
}

/** Reads `text`, trimmed, by ISO or else the first format that fits and whose day exists. */
export function readDate(text: string, formats: readonly DateFormat[]): DateReading {
	let fitted = false;
	for (const format of [ISO, ...formats]) {
		const groups = format.pattern.exec(text)?.groups;
		if (groups === undefined) continue;
		fitted = true;
		const month = MONTHS.indexOf(groups.m.toLowerCase()) + 1 || Number(groups.m);
		if (!isCalendarDate(Number(groups.y), month, Number(groups.d))) continue;
		return { iso: `${groups.y}-${String(month).padStart(2, "0")}-${groups.d.padStart(2, "0")}` };
	}
	return { fault: fitted ? "impossible_date" : "unreadable_date" };
}
