/**
 * Words that have a meaning in names, recognised by the bytes of a cell. A word is known by its ASCII letters, in
 * either case, and digits; other ASCII characters do not count, so that `Jr.` is `jr`.
 *
 * A word's characters are the digits, of base 37, of two 32-bit numbers of six digits each, which identify it.
 */

import { isDigit } from "../../formats/ascii.js";
import { NAME_DESIGNATIONS, NAME_SUFFIXES } from "../../formats/names/name-suffixes.js";

/** Sets of words, as bits; `initial` is one letter, with a dot or without. */
export const NAME_WORD = {
	particle: 1,
	suffix: 2,
	company: 4,
	generation: 8,
	initial: 16,
	fifth: 32,
	prefix: 64,
	designation: 128,
	given: 256,
	mac: 512,
	clan: 1024,
	vietnamese: 2048,
	beforeVietnamese: 4096,
} as const;

const WORDS: readonly (readonly [kind: number, words: string])[] = [
	[
		NAME_WORD.particle,
		"de del della delle delos des di da dal dos das du d la le las los van vande vanden vander von vom der den " +
			"ten ter te zu zur af av al el bin ibn abu st ste saint san santa mc o",
	],
	/** `Mac`, also a first name, is a particle only before the rest of a clan's name: `Mac Donald`, but `Billy Mac Jones`. */
	[NAME_WORD.mac, "mac"],
	[
		NAME_WORD.clan,
		"alister allister arthur aulay cormack dermott donald donell donnell dougal dougall dowell eachern ewan ewen " +
			"farland farlane gillivray gregor innes innis intosh intyre isaac kay kenna kenzie kinnon lachlan laren " +
			"laughlin lean lellan leod mahon millan murray neil neill nab phail phee pherson quarrie queen rae sween",
	],
	/** Particles that are a middle name or a surname before Vietnamese names: `Van Nguyen`, `Le Thi Hoa`. */
	[NAME_WORD.beforeVietnamese, "van le"],
	[
		NAME_WORD.vietnamese,
		"bui cao chau dang dao dinh do doan duong ho hoang huynh le luong luu ly ngo nguyen pham phan quach thach " +
			"thai thi tran trinh truong van vo vu",
	],
	[NAME_WORD.suffix, NAME_SUFFIXES.join(" ")],
	[NAME_WORD.designation, NAME_DESIGNATIONS.join(" ")],
	/** Designations that are first names too. */
	[NAME_WORD.given, "mai pa pe"],
	/** Suffixes that no one is called by: `Md` is also short for Mohammed, a first name. */
	[NAME_WORD.generation, "jr sr ii iii iv 2nd 3rd 4th"],
	[NAME_WORD.fifth, "v"],
	/** Without `Hon` and `M.`, which are names and initials too. */
	[NAME_WORD.prefix, "dr mr mrs ms miss prof rev mme mlle"],
	/**
	 * Words that mark the name of a company, which name patterns do not split: forms of companies, and what offices call
	 * themselves. Words that are surnames too, such as `Co`, `Homes` and `Bank`, are not among them, nor is what people
	 * call themselves: `Realtor`.
	 */
	[
		NAME_WORD.company,
		"and llc inc incorporated corp corporation ltd limited llp lp pllc plc ltee company group realty rlty " +
			"realtors estate estates properties property brokerage brokers management services investments " +
			"associates assocs assoc assn enterprises partners partnership holdings consultants advisors development " +
			"solutions network appraisals appraisal agency team rltrs construction consulting immobilier immeubles",
	],
];

/** Bytes of a word that is a number of a company if it has a digit, at most. */
const SHORT_WORD = 4;
/** Longer words, in bytes, are not known. */
const LONGEST_KNOWN_WORD = 12;
const BASE = 37;
/** Characters of the first of a word's two numbers. */
const FIRST_CHARACTERS = 6;
/** A power of two; about ten slots a word. */
const SLOTS = 1024;

/** By byte: 1 to 36 for a digit or a letter, 0 for what does not count, and {@link FOREIGN}. */
const DIGIT_OF_BYTE = new Uint8Array(256);
const FOREIGN = 255;
const DOT = 0x2e;
const AMPERSAND = 0x26;
const TEN = 10;
for (let byte = 0; byte < 256; byte++) {
	const character = String.fromCharCode(byte);
	if (byte >= 0x80) DIGIT_OF_BYTE[byte] = FOREIGN;
	else if (/[a-z0-9]/i.test(character)) DIGIT_OF_BYTE[byte] = 1 + Number.parseInt(character, 36);
}

/** Open addressing: the two numbers of a word and its sets; an empty slot has none. */
const firsts = new Int32Array(SLOTS);
const seconds = new Int32Array(SLOTS);
const kinds = new Uint16Array(SLOTS);

/** The slot of the word bytes[start, end), or where it belongs; -1 for a word with a byte that is not ASCII. */
function slotOf(bytes: Uint8Array, start: number, end: number, isNew: boolean): number {
	let first = 0;
	let second = 0;
	let characters = 0;
	for (let i = start; i < end; i++) {
		const digit = DIGIT_OF_BYTE[bytes[i]];
		if (digit === 0) continue;
		if (digit === FOREIGN) return -1;
		if (characters < FIRST_CHARACTERS) first = (Math.imul(first, BASE) + digit) | 0;
		else second = (Math.imul(second, BASE) + digit) | 0;
		characters++;
	}
	let slot = (Math.imul(first ^ Math.imul(second, 0x9e3779b1), 0x85ebca77) >>> 16) & (SLOTS - 1);
	while (kinds[slot] !== 0 && (firsts[slot] !== first || seconds[slot] !== second))
		slot = (slot + 1) & (SLOTS - 1);
	if (isNew) {
		firsts[slot] = first;
		seconds[slot] = second;
	}
	return slot;
}

for (const [kind, words] of WORDS) {
	for (const word of words.split(" ")) kinds[slotOf(Buffer.from(word), 0, word.length, true)] |= kind;
}

/** The sets that the word bytes[start, end) is in, as bits of {@link NAME_WORD}. Cost O(length), at most twelve bytes. */
export function nameWordKinds(bytes: Uint8Array, start: number, end: number): number {
	if (end - start > LONGEST_KNOWN_WORD) return 0;
	const slot = slotOf(bytes, start, end, false);
	if (slot < 0) return 0;
	if (isOfCompany(bytes, start, end, kinds[slot] !== 0)) return NAME_WORD.company;
	if ((kinds[slot] & NAME_WORD.prefix) !== 0 && !isPlain(bytes, start, end)) return 0;
	if ((kinds[slot] & NAME_WORD.particle) !== 0 && hasInnerDot(bytes, start, end))
		return kinds[slot] & ~NAME_WORD.particle;
	return isInitial(bytes, start, end) ? kinds[slot] | NAME_WORD.initial : kinds[slot];
}

/** Whether bytes[start, end) has no other characters than letters and digits and a dot at its end: `D.R.` is no `Dr.`. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
	const last = bytes[end - 1] === DOT ? end - 1 : end;
	for (let i = start; i < last; i++) if (DIGIT_OF_BYTE[bytes[i]] === 0) return false;
	return true;
}

/**
 * Whether a word has an ampersand, or a digit if it is short and no known word such as `2nd`: `A&O Homes`, `Century 21`.
 * Longer words with digits, such as phone numbers, are also in people's names.
 */
function isOfCompany(bytes: Uint8Array, start: number, end: number, isKnown: boolean): boolean {
	const mayBeNumber = !isKnown && end - start <= SHORT_WORD;
	for (let i = start; i < end; i++)
		if (bytes[i] === AMPERSAND || (mayBeNumber && isDigit(bytes[i]))) return true;
	return false;
}

/** Whether bytes[start, end) has a dot before its last byte, as initials do: `D.E.` is no `de`, but `St.` is one. */
function hasInnerDot(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end - 1; i++) if (bytes[i] === DOT) return true;
	return false;
}

/** Whether bytes[start, end) is an ASCII letter, with a dot or without. */
function isInitial(bytes: Uint8Array, start: number, end: number): boolean {
	const letters = bytes[end - 1] === DOT ? end - start - 1 : end - start;
	return letters === 1 && DIGIT_OF_BYTE[bytes[start]] > TEN;
}
