/** Row ids and counts of rows as decimal digits, without creating a string. */

import { invariant, rowId } from "../../formats/index.js";

/** Digits of a row's number within its month, leading zeros included. */
const ROW_DIGITS = 8;

invariant(rowId(1, -1) === 10 ** ROW_DIGITS, "an id is its month's digits, then its row's");

/** Writes the id of `row` in month `monthNumber` to bytes[at…), which has room for 16 digits; returns the end. */
export function writeId(monthNumber: number, row: number, bytes: Buffer, at: number): number {
	if (monthNumber === 0) return writeDigits(row + 1, countDigits(row + 1), bytes, at);
	const end = writeDigits(monthNumber, countDigits(monthNumber), bytes, at);
	return writeDigits(row + 1, ROW_DIGITS, bytes, end);
}

/** Writes `value`, a 31-bit number, to bytes[at…), which has room for 10 digits; returns the end. */
export function writeNumber(value: number, bytes: Buffer, at: number): number {
	return writeDigits(value, countDigits(value), bytes, at);
}

/** Writes `digits` digits of `value`, a 31-bit number; returns the end. */
function writeDigits(value: number, digits: number, bytes: Buffer, at: number): number {
	let rest = value | 0;
	for (let i = at + digits - 1; i >= at; i--) {
		const quotient = (rest / 10) | 0;
		bytes[i] = 0x30 + (rest - quotient * 10);
		rest = quotient;
	}
	return at + digits;
}

function countDigits(value: number): number {
	let digits = 1;
	for (let bound = 10; bound <= value; bound *= 10) digits++;
	return digits;
}
