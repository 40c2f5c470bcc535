/**
 * How a spreadsheet displays numbers: which formats make a number a date, and which add leading zeros, such as
 * those of postal codes. Other formats are ignored: the number itself is read.
 */

import { isoDateOfDays } from "../../../formats/dates.js";
import { daysOfSerial, isSerialDay, LAST_DAY } from "../serial-days.js";

export type NumberStyle =
	| { readonly kind: "plain" }
	| { readonly kind: "date" }
	/** Digits are filled in from the right; other characters are literal. */
	| { readonly kind: "digits"; readonly pattern: string }
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

const PLAIN: NumberStyle = { kind: "plain" };
const DATE: NumberStyle = { kind: "date" };

/** Numbers of the date formats that every workbook has (ECMA-376, 18.8.30), including those of Asian locales. */
function isBuiltInDate(format: number): boolean {
	return (
		(format >= 14 && format <= 17) ||
		format === 22 ||
		(format >= 27 && format <= 36) ||
		(format >= 50 && format <= 58)
	);
}

/** Characters of a format that are displayed literally. */
const DIGIT_PATTERN = /^[0 ()-]*$/;
const DIGITS_MAX = 30;
/** Sections that spreadsheets take of a format. */
const SECTIONS_MAX = 4;

/** The style of the format numbered `format`; `code` is its code if the workbook defines it. */
export function numberStyle(format: number, code: string | null): NumberStyle {
	if (code === null) return isBuiltInDate(format) ? DATE : PLAIN;
	return sectionStyle(code.split(";", SECTIONS_MAX));
}

const CONDITION = /\[(<=|<>|>=|<|>|=)(\d+)\]/;

/** The style of a format's sections. Without a condition the first is for positive numbers. */
function sectionStyle([first, ...others]: readonly string[]): NumberStyle {
	// Colours, conditions and locales.
	const section = first.replaceAll(/\[[^\]]*\]/g, "");
	const met = literalStyle(section);
	const [, comparison, bound] = CONDITION.exec(first) ?? [];
	if (comparison === undefined || others.length === 0) return met;
	return { kind: "condition", meets: { comparison, bound: Number(bound) }, met, unmet: sectionStyle(others) };
}

function isMet({ comparison, bound }: Condition, value: number): boolean {
	if (comparison === "=" || comparison === "<>") return (value === bound) === (comparison === "=");
	if (value === bound) return comparison.endsWith("=");
	return comparison.startsWith("<") === value < bound;
}

/** The style of a section without what is in brackets. */
function literalStyle(section: string): NumberStyle {
	const literal = section.replaceAll(/"([^"]*)"/g, "$1").replaceAll(/\\(.)/g, "$1");
	const zeros = literal.split("0").length - 1;
	if (zeros > 1 && zeros <= DIGITS_MAX && DIGIT_PATTERN.test(literal))
		return { kind: "digits", pattern: literal };
	const tokens = section.replaceAll(/"[^"]*"|\\.|_.|\*./g, "");
	return /[yd]/i.test(tokens) && !/general/i.test(tokens) ? DATE : PLAIN;
}

const DAY_SECONDS = 86_400;

/** The text of a number cell whose stored text is `stored`. */
export function numberText(stored: string, style: NumberStyle, is1904: boolean): string {
	const value = Number(stored);
	if (stored.trim() === "" || !Number.isFinite(value)) return stored;
	if (style.kind === "condition")
		return numberText(stored, isMet(style.meets, value) ? style.met : style.unmet, is1904);
	if (style.kind === "date") return dateText(value, is1904) ?? plainText(stored, value);
	if (style.kind === "digits" && Number.isSafeInteger(value) && value >= 0)
		return digitsText(String(value), style.pattern);
	return plainText(stored, value);
}

/** A number as spreadsheets display it without a format: 15 digits. */
function plainText(stored: string, value: number): string {
	if (/^-?\d{1,30}$/.test(stored)) return stored;
	if (Number.isSafeInteger(value)) return String(value);
	const rounded = Number(value.toPrecision(15));
	return Number.isInteger(rounded) && Math.abs(rounded) < 1e21 ? BigInt(rounded).toString() : String(rounded);
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

function digitsText(digits: string, pattern: string): string {
	const zeros = pattern.split("0").length - 1;
	const filled = digits.padStart(zeros, "0");
	let next = filled.length - zeros;
	let text = "";
	let isFirst = true;
	for (const character of pattern) {
		if (character !== "0") text += character;
		else {
			// Digits beyond the pattern's precede its first.
			text += isFirst ? filled.slice(0, next + 1) : filled[next];
			isFirst = false;
			next++;
		}
	}
	return text;
}
