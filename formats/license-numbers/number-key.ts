/**
 * Keys of license numbers, equal for the spellings of one number: its digits after leading letters and up to the
 * next letter, without leading zeros and separators. A number that ends in a separator and one to three digits,
 * such as `12345-94`, has the digits before them as a second key.
 */

import { isDigit, isLetter } from "../ascii.js";

const HASH_SEED = 2166136261;
const HASH_PRIME = 16777619;
/** A suffix has at most this many digits. */
const SUFFIX_DIGITS_MAX = 3;
/** Only a number with at least this many digits before the separator has a suffix. */
const NUMBER_DIGITS_MIN = 4;
/** An upper-case number and its suffix. */
const SUFFIXED = /^(.*?)[^A-Z0-9]+(\d{1,3})[^A-Z0-9]*$/;
const ZERO = 0x30;

/** Hashes of the keys of the number in bytes[start, end), written to `out`; returns how many: 0, 1 or 2. Cost O(length). */
export function numberKeys(bytes: Uint8Array, start: number, end: number, out: Uint32Array): number {
	let hash = HASH_SEED;
	let digits = 0;
	let isRun = false;
	/** The hash before the last separator, and the number of digits after it. */
	let before = 0;
	let digitsBefore = 0;
	let digitsAfter = 0;
	for (let i = start; i < end; i++) {
		const byte = bytes[i];
		if (isDigit(byte)) {
			isRun = true;
			digitsAfter++;
			if (digits === 0 && byte === ZERO) continue;
			hash = Math.imul(hash ^ byte, HASH_PRIME);
			digits++;
		} else if (isLetter(byte)) {
			digitsBefore = 0;
			if (isRun) break;
		} else if (isRun) {
			before = hash;
			digitsBefore = digits;
			digitsAfter = 0;
		}
	}
	if (digits === 0) return 0;
	out[0] = mixed(hash);
	const hasSuffix = digitsBefore >= NUMBER_DIGITS_MIN && digitsAfter > 0 && digitsAfter <= SUFFIX_DIGITS_MAX;
	if (!hasSuffix) return 1;
	out[1] = mixed(before);
	return 2;
}

/** A number in parts: leading letters, digits without leading zeros, and the rest, upper-cased without separators. */
export interface NumberParts {
	readonly prefix: string;
	readonly digits: string;
	readonly suffix: string;
}

/** The parts of a number, one for each of its keys. Cost O(length). */
function numberParts(number: string): NumberParts[] {
	const upper = number.toUpperCase();
	const whole = partsOf(upper);
	const parts = whole.digits === "" ? [] : [whole];
	const suffixed = SUFFIXED.exec(upper);
	if (suffixed === null) return parts;
	const { prefix, digits, suffix } = partsOf(suffixed[1]);
	if (digits.length >= NUMBER_DIGITS_MIN && suffix === "")
		parts.push({ prefix, digits, suffix: suffixed[2] });
	return parts;
}

/** One pass without a regular expression: a verification of 100 numbers takes several hundred apart. */
function partsOf(upper: string): NumberParts {
	let at = 0;
	let prefix = "";
	for (; at < upper.length && !isDigit(upper.charCodeAt(at)); at++)
		if (isLetter(upper.charCodeAt(at))) prefix += upper[at];
	let digits = "";
	for (; at < upper.length && !isLetter(upper.charCodeAt(at)); at++) {
		const code = upper.charCodeAt(at);
		if (isDigit(code) && (code !== ZERO || digits !== "")) digits += upper[at];
	}
	let suffix = "";
	for (; at < upper.length; at++) {
		const code = upper.charCodeAt(at);
		if (isDigit(code) || isLetter(code)) suffix += upper[at];
	}
	return { prefix, digits, suffix };
}

/** Whether two numbers differ only in case, separators, leading zeros, or letters or a suffix that one of them lacks. */
export function isSimilarNumber(a: string, b: string): boolean {
	return similarityTo(a)(b);
}

/** {@link isSimilarNumber} of one number and many: a function of the others that takes the one apart once. */
export function similarityTo(number: string): (other: string) => boolean {
	const own = numberParts(number);
	return (other) => {
		const others = numberParts(other);
		for (const one of own) for (const parts of others) if (areSimilar(one, parts)) return true;
		return false;
	};
}

function areSimilar(a: NumberParts, b: NumberParts): boolean {
	return a.digits === b.digits && agree(a.prefix, b.prefix) && agree(a.suffix, b.suffix);
}

function agree(a: string, b: string): boolean {
	return a === "" || b === "" || a === b;
}

function mixed(hash: number): number {
	return Math.imul(hash ^ (hash >>> 15), 2246822507) >>> 0;
}
