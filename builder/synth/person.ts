/**
 * The licensee's name: which first, middle and last name, and how the register writes it.
 *
 * A person keeps the name, except that one in four women changes the last name at some time or adds another.
 */

import type { CsvBuffer } from "./csv-buffer.js";
import type { License } from "./license.js";
import { HERITAGES, type NameVocabulary } from "./names.js";
import type { NameOrder } from "./profiles.js";
import { below, chance, draw, type Sampler, sample } from "./random.js";
import { type TextTable, textTable } from "./text-table.js";

const STREAM = {
	heritage: 101,
	first: 102,
	last: 103,
	secondLast: 104,
	double: 115,
	newLast: 105,
	nameChange: 106,
	nameChangeAge: 107,
	middle: 108,
	middleName: 109,
	suffix: 110,
	nickname: 111,
	oddStart: 112,
	sex: 113,
	suffixKind: 114,
} as const;

const NAME_CHANGE_SHARE = 0.25;
const NAME_CHANGE_AGE_MONTHS_MAX = 180;
const DOUBLE_NAME_SHARE = 0.02;
/** Share with two surnames, as is customary in Spanish-speaking countries, less so here. */
const HISPANIC_DOUBLE_NAME_SHARE = 0.2;
const MIDDLE_INITIAL_SHARE = 0.4;
const MIDDLE_NAME_SHARE = 0.12;
/** Of the men. */
const SUFFIX_SHARE = 0.05;
const NICKNAME_SHARE = 0.002;
const ODD_START_SHARE = 0.0002;

const HISPANIC = HERITAGES.indexOf("hispanic");
const SPACE = 0x20;
const COMMA = 0x2c;
const DASH = 0x2d;
const PERIOD = 0x2e;
const QUOTE = 0x22;
/** `=`, `+`, `-`, `@`: spreadsheets interpret a name that begins with one as a formula. */
const ODD_STARTS = [0x3d, 0x2b, 0x2d, 0x40];
const SUFFIXES = textTable(["Jr.", "JR", "III", "Sr.", "II", "Jr", "IV", "SR"]);
const SUFFIX_COUNT = 8;

/** Indexes into the vocabulary of names; -1: none. One object is reused. */
export class Person {
	first = 0;
	last = 0;
	secondLast = -1;
	/** Byte between two last names. */
	joint = DASH;
	middle = -1;
	/** Whether the middle name is written as its initial. */
	initial = false;
	suffix = -1;
	nickname = -1;
	/** A stray byte at the start of a full name; 0: none. */
	oddStart = 0;
}

export function readPerson(license: License, vocabulary: NameVocabulary, mix: Sampler, person: Person): void {
	const key = license.person;
	const heritageIndex = sample(mix, draw(key, STREAM.heritage));
	const heritage = vocabulary.heritages[heritageIndex];
	const female = (draw(key, STREAM.sex) & 1) === 0;
	const firsts = female ? heritage.female : heritage.male;
	person.first = sample(firsts, draw(key, STREAM.first));
	person.last = sample(heritage.last, draw(key, STREAM.last));
	person.secondLast = -1;
	person.joint = heritageIndex === HISPANIC ? SPACE : DASH;
	const doubleShare = heritageIndex === HISPANIC ? HISPANIC_DOUBLE_NAME_SHARE : DOUBLE_NAME_SHARE;
	if (chance(draw(key, STREAM.double), doubleShare))
		person.secondLast = sample(heritage.last, draw(key, STREAM.secondLast));
	if (female && chance(draw(key, STREAM.nameChange), NAME_CHANGE_SHARE))
		changeName(license, heritage.last, person);

	const middle = draw(key, STREAM.middle);
	person.initial = chance(middle, MIDDLE_INITIAL_SHARE);
	person.middle = chance(middle, MIDDLE_INITIAL_SHARE + MIDDLE_NAME_SHARE)
		? sample(firsts, draw(key, STREAM.middleName))
		: -1;
	person.suffix =
		!female && chance(draw(key, STREAM.suffix), SUFFIX_SHARE)
			? below(draw(key, STREAM.suffixKind), SUFFIX_COUNT)
			: -1;
	const nickname = draw(key, STREAM.nickname);
	person.nickname = chance(nickname, NICKNAME_SHARE) ? sample(firsts, draw(nickname, 1)) : -1;
	const odd = draw(key, STREAM.oddStart);
	person.oddStart = chance(odd, ODD_START_SHARE) ? ODD_STARTS[draw(odd, 1) & 3] : 0;
}

function changeName(license: License, lasts: Sampler, person: Person): void {
	const age = below(draw(license.person, STREAM.nameChangeAge), NAME_CHANGE_AGE_MONTHS_MAX);
	if (license.ageMonths < age) return;
	const taken = sample(lasts, draw(license.person, STREAM.newLast));
	if ((age & 3) === 0) person.secondLast = taken;
	else {
		person.last = taken;
		person.secondLast = -1;
	}
}

export function writeFirstName(person: Person, names: TextTable, out: CsvBuffer): void {
	out.text(names, person.first);
}

export function writeLastName(person: Person, names: TextTable, out: CsvBuffer): void {
	out.text(names, person.last);
	if (person.secondLast < 0) return;
	out.byte(person.joint);
	out.text(names, person.secondLast);
}

export function writeFullName(person: Person, names: TextTable, order: NameOrder, out: CsvBuffer): void {
	if (person.oddStart !== 0) out.byte(person.oddStart);
	if (order === "last") {
		writeLastName(person, names, out);
		writeSuffix(person, out);
		out.byte(COMMA);
		out.byte(SPACE);
		writeGivenNames(person, names, out);
		return;
	}
	writeGivenNames(person, names, out);
	out.byte(SPACE);
	writeLastName(person, names, out);
	writeSuffix(person, out);
}

function writeGivenNames(person: Person, names: TextTable, out: CsvBuffer): void {
	out.text(names, person.first);
	if (person.nickname >= 0) {
		out.byte(SPACE);
		out.byte(QUOTE);
		out.text(names, person.nickname);
		out.byte(QUOTE);
	}
	if (person.middle < 0) return;
	out.byte(SPACE);
	if (!person.initial) {
		out.text(names, person.middle);
		return;
	}
	// The initial is one ASCII letter: a name that begins with another letter is written in full.
	if (out.asciiInitial(names, person.middle)) out.byte(PERIOD);
	else out.text(names, person.middle);
}

function writeSuffix(person: Person, out: CsvBuffer): void {
	if (person.suffix < 0) return;
	out.byte(SPACE);
	out.text(SUFFIXES, person.suffix);
}
