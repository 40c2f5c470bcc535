/** E-mail addresses and phone numbers that are none, and matched contacts of rows of Canada, which only rows of the US have. */

import type { Range, SnapshotFiles } from "../../formats/index.js";
import { isWholeDecimal } from "./odd-codes.js";
import { type OddValues, oddTexts } from "./odd-rows.js";

const PHONES = ["member_preferred_phone", "matched_phone"] as const;

const SPACE = 0x20;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const DOT = 0x2e;
const AT = 0x40;

/** The odd contacts of an open month. Cost O(bytes of contact columns). */
export function findOddContacts(files: SnapshotFiles): OddValues[] {
	return [
		...oddTexts(files, "odd_email", ["member_email", "matched_email"], isOddEmail),
		...oddTexts(files, "odd_phone", PHONES, isOddPhone),
		...oddTexts(files, "decimal_code", PHONES, isWholeDecimal),
		...oddTexts(
			files,
			"matched_outside_us",
			["matched_email", "matched_phone"],
			() => true,
			rowsOfCanada(files),
		),
	];
}

/** In canonical order rows of Canada come before those of the US. */
function rowsOfCanada({ catalog }: SnapshotFiles): Range {
	const runs = catalog.states.filter(({ country }) => country === "CA");
	return { from: 0, to: runs.reduce((to, { first, rows }) => Math.max(to, first + rows), 0) };
}

/** Whether a text is not an e-mail address: a quote before it, a blank, not exactly one `@` with text before it, or no dot after it. */
function isOddEmail(bytes: Uint8Array, start: number, end: number): boolean {
	if (bytes[start] === QUOTE || bytes[start] === APOSTROPHE) return true;
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

/** A number of a spreadsheet with an exponent. */
const EXPONENT = /^\d(\.\d+)?E\+?\d{1,3}$/i;

/** Whether a text is not a phone number: too few or too many digits, all digits equal, or an exponent. */
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
	if (digits < PHONE_DIGITS_MIN || digits > PHONE_DIGITS_MAX || !isVaried) return true;
	return bytes[start + 1] === DOT && EXPONENT.test(Buffer.from(bytes.slice(start, end)).toString("utf8"));
}
