/**
 * How a spreadsheet displays numbers: which formats make a number a date, and which add leading zeros or text, such as
 * those of postal codes and license numbers. Numbers of other formats are read without them: it is told where a format shows
 * zeros or text that are not reproduced.
 */

import { isoDateOfDays } from "../../../formats/domain/dates.js";
import { daysOfSerial, isSerialDay, LAST_DAY } from "../serial-days.js";
import { type FormatToken, formatSections } from "./number-format.js";

export type NumberStyle =
	| { readonly kind: "plain" }
	| { readonly kind: "date" }
	/** Digits are filled in from the right. */
	| { readonly kind: "digits"; readonly pattern: readonly FormatToken[] }
	/** Zeros, text or times are shown that are not reproduced. */
	| { readonly kind: "other" }
	/** One style for numbers that meet a condition, `[<=99999]`, and another for the rest. */
	| {
			readonly kind: "condition";
			readonly meets: Condition;
			readonly met: NumberStyle;
			readonly unmet: NumberStyle;
	  };

interface Condition {
	readonly comparison: string;
	readonly bound: number;
}

/** A number cell as it is read. */
export interface NumberReading {
	readonly text: string;
	/** Whether the sheet shows zeros or text with the number that its text lacks. */
	readonly isBare: boolean;
}

const PLAIN: NumberStyle = { kind: "plain" };
const DATE: NumberStyle = { kind: "date" };
const OTHER: NumberStyle = { kind: "other" };

/** Numbers of the date formats that every workbook has (ECMA-376, 18.8.30), including those of Asian locales. */
function isBuiltInDate(format: number): boolean {
	return (
		(format >= 14 && format <= 17) ||
		format === 22 ||
		(format >= 27 && format <= 36) ||
		(format >= 50 && format <= 58)
	);
}

/** Numbers of the formats of times without a date that every workbook has. */
function isBuiltInTime(format: number): boolean {
	return (format >= 18 && format <= 21) || (format >= 45 && format <= 47);
}

const PLACEHOLDERS_MAX = 30;

/** The style of the format numbered `format`; `code` is its code if the workbook defines it. */
export function numberStyle(format: number, code: string | null): NumberStyle {
	if (code === null) return isBuiltInDate(format) ? DATE : isBuiltInTime(format) ? OTHER : PLAIN;
	return sectionsStyle(formatSections(code));
}

const CONDITION = /^(<=|<>|>=|<|>|=)(\d+)$/;

/** The style of a format's sections. Without a condition the first is for positive numbers, a third for zero. */
function sectionsStyle([first, ...others]: readonly (readonly FormatToken[])[]): NumberStyle {
	const met = sectionStyle(first);
	const condition = first.flatMap(({ kind, text }) => (kind === "bracket" ? [CONDITION.exec(text)] : []));
	const [, comparison, bound] = condition.find((each) => each !== null) ?? [];
	if (comparison !== undefined && others.length > 0) {
		const meets = { comparison, bound: Number(bound) };
		return { kind: "condition", meets, met, unmet: sectionsStyle(others) };
	}
	if (others.length < 2) return met;
	return { kind: "condition", meets: { comparison: "<>", bound: 0 }, met, unmet: sectionStyle(others[1]) };
}

function isMet({ comparison, bound }: Condition, value: number): boolean {
	if (comparison === "=" || comparison === "<>") return (value === bound) === (comparison === "=");
	if (value === bound) return comparison.endsWith("=");
	return comparison.startsWith("<") === value < bound;
}

/** The style of a section. */
function sectionStyle(section: readonly FormatToken[]): NumberStyle {
	const textOf = (wanted: FormatToken["kind"]) =>
		section.flatMap(({ kind, text }) => (kind === wanted ? [text] : [])).join("");
	const codes = textOf("code");
	const placeholders = textOf("placeholder");
	if (/[yd]/i.test(codes)) return DATE;
	const [whole] = placeholders.split(".", 1);
	const hasZeros = whole.split("0").length > 2;
	if (!hasZeros && !/[\p{L}\p{N}]/u.test(textOf("literal"))) return /[hms]/i.test(codes) ? OTHER : PLAIN;
	const isPattern = codes === "" && /^[0#]+$/.test(placeholders) && placeholders.length <= PLACEHOLDERS_MAX;
	return isPattern ? { kind: "digits", pattern: section } : OTHER;
}

const DAY_SECONDS = 86_400;

/** Reads a number cell whose stored text is `stored`. */
export function readNumber(stored: string, style: NumberStyle, is1904: boolean): NumberReading {
	const value = Number(stored);
	if (stored.trim() === "" || !Number.isFinite(value)) return { text: stored, isBare: false };
	switch (style.kind) {
		case "condition":
			return readNumber(stored, isMet(style.meets, value) ? style.met : style.unmet, is1904);
		case "date": {
			const date = dateText(value, is1904);
			return { text: date ?? plainText(stored, value), isBare: date === null };
		}
		case "digits":
			if (Number.isSafeInteger(value) && value >= 0)
				return { text: digitsText(value, style.pattern), isBare: false };
			return { text: plainText(stored, value), isBare: true };
		default:
			return { text: plainText(stored, value), isBare: style.kind === "other" };
	}
}

/** Digits that spreadsheets keep of a number. */
const DIGITS_MAX = 15;

/** A number as spreadsheets display it without a format: its first 15 digits. */
function plainText(stored: string, value: number): string {
	if (/^-?\d{1,30}$/.test(stored)) return stored;
	if (Number.isSafeInteger(value)) return String(value);
	return String(Number(value.toPrecision(DIGITS_MAX)));
}

/** ISO date, with the time unless it is midnight; null for an invalid day. */
function dateText(value: number, is1904: boolean): string | null {
	let day = Math.floor(value);
	let seconds = Math.round((value - day) * DAY_SECONDS);
	if (seconds === DAY_SECONDS) {
		day++;
		seconds = 0;
	}
	const days = daysOfSerial(day, is1904);
	if (!isSerialDay(day, is1904) || days > LAST_DAY) return null;
	const date = isoDateOfDays(days);
	if (seconds === 0) return date;
	const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
	return `${date}T${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** The digits of a whole number in the places of a pattern; those beyond its places precede the first. */
function digitsText(value: number, pattern: readonly FormatToken[]): string {
	const places = pattern.flatMap(({ kind, text }) => (kind === "placeholder" ? [text] : []));
	const firstZero = places.indexOf("0");
	const digits = value === 0 ? "" : String(value);
	const filled = digits.padStart(firstZero < 0 ? 0 : places.length - firstZero, "0");
	// Of the place in `filled`; negative where a `#` shows nothing.
	let next = filled.length - places.length;
	let text = "";
	let isFirst = true;
	for (const token of pattern) {
		if (token.kind === "literal") text += token.text;
		if (token.kind !== "placeholder") continue;
		text += isFirst ? filled.slice(0, Math.max(0, next + 1)) : (filled[next] ?? "");
		isFirst = false;
		next++;
	}
	return text.trim();
}
