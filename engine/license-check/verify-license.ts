/**
 * Verification of a license: whether a state has a number, and whether it belongs to the person named. A number
 * that no row has is searched for under other spellings (formats/license-numbers).
 *
 * Invariant: nothing outside the grant is read, rows or columns; a license of a state outside of it is always
 * `out_of_scope`.
 */

import {
	type ColumnName,
	type Geography,
	looseKey,
	looseWords,
	UNCOUNTED_SUFFIXES,
} from "../../formats/index.js";
import type { SimilarNumber } from "./license-numbers.js";

export const VERIFY_OUTCOMES = [
	"match",
	"mismatch",
	"similar",
	"ambiguous",
	"not_found",
	"out_of_scope",
] as const;
export type VerifyOutcome = (typeof VERIFY_OUTCOMES)[number];

export interface AskedLicense {
	/** Upper-case jurisdiction code. */
	readonly state: string;
	readonly licenseNumber: string;
	/** Absent: not compared. */
	readonly lastName?: string;
	readonly firstName?: string;
}

/** What a verification may read. */
export interface LicenseGrant {
	/** Null: every state. */
	readonly geography: Geography | null;
	readonly reads: (column: ColumnName) => boolean;
}

export interface LicenseVerification {
	readonly outcome: VerifyOutcome;
	/** Rows that the outcome refers to, ascending, at most {@link VERIFIED_ROWS_MAX}. */
	readonly rows: readonly number[];
	/** Columns in which the first of them differs from the given names. */
	readonly differs: readonly ColumnName[];
	/** Existing numbers, as stored, if the given one does not exist. */
	readonly similar: readonly string[];
}

/** Maximum rows of one verification, and maximum similar numbers. */
const VERIFIED_ROWS_MAX = 10;

/** The data of a snapshot that a verification reads. */
export interface LicenseSource {
	/** Rows with the number in the state, ascending. */
	rowsOf(state: string, licenseNumber: string): ArrayLike<number>;
	/** Numbers in the state's rows that are spellings of the number. */
	similarTo(state: string, licenseNumber: string): readonly SimilarNumber[];
	/** Whether the state is within the grant. */
	reads(state: string): boolean;
	/** Null also for a column outside the grant. */
	value(row: number, column: ColumnName): string | null;
}

/** Verifies one license. Cost O(log rows); for a number that no row has, O(its similar numbers). */
export function verifyLicense(asked: AskedLicense, source: LicenseSource): LicenseVerification {
	const { state, licenseNumber } = asked;
	if (!source.reads(state)) return outcome("out_of_scope");
	const exact = Array.from(source.rowsOf(state, licenseNumber));
	if (exact.length > 0) {
		const named = exact.filter((row) => isNamed(asked, row, source));
		if (named.length === 0) return outcome("mismatch", exact, differences(asked, exact[0], source));
		return outcome(areOnePerson(named, source) ? "match" : "ambiguous", named);
	}
	const similar = source.similarTo(state, licenseNumber);
	if (similar.length === 0) return outcome("not_found");
	const named = similar
		.map(({ number, rows }) => ({ number, rows: rows.filter((row) => isNamed(asked, row, source)) }))
		.filter(({ rows }) => rows.length > 0);
	const fitting = (named.length > 0 ? named : similar).slice(0, VERIFIED_ROWS_MAX);
	const rows = fitting.flatMap((each) => each.rows);
	const numbers = fitting.map(({ number }) => number);
	if (numbers.length > 1) return outcome("ambiguous", rows, [], numbers);
	if (named.length === 0) return outcome("similar", rows, differences(asked, rows[0], source), numbers);
	return outcome(areOnePerson(rows, source) ? "similar" : "ambiguous", rows, [], numbers);
}

function outcome(
	kind: VerifyOutcome,
	rows: readonly number[] = [],
	differs: readonly ColumnName[] = [],
	similar: readonly string[] = [],
): LicenseVerification {
	const ascending = [...rows].sort((a, b) => a - b).slice(0, VERIFIED_ROWS_MAX);
	return { outcome: kind, rows: ascending, differs, similar };
}

function isNamed(asked: AskedLicense, row: number, source: LicenseSource): boolean {
	return differences(asked, row, source).length === 0;
}

/**
 * The name columns in which a row differs from the given names, under the loose fold. Where a row has no such part of a name,
 * as in states that publish full names only, the full name must have its words.
 */
function differences(
	{ lastName, firstName }: AskedLicense,
	row: number,
	source: LicenseSource,
): ColumnName[] {
	const differs: ColumnName[] = [];
	/** Words of the full name that no part has taken; null until it is needed. */
	let words: string[] | null = null;
	const takes = (part: string, least: readonly string[]): boolean => {
		words ??= [...looseWords(source.value(row, "member_full_name") ?? "")];
		return takePart(words, part, least);
	};
	if (lastName !== undefined) {
		const value = source.value(row, "member_last_name");
		const isSame =
			value === null
				? takes(lastName, looseWords(lastName))
				: isSameLastName(lastName, value, () => source.value(row, "member_full_name") ?? "");
		if (!isSame) differs.push("member_last_name");
	}
	if (firstName !== undefined) {
		const value = source.value(row, "member_first_name");
		const isSame =
			value === null
				? takes(firstName, looseWords(firstName).slice(0, 1))
				: isSameFirstName(firstName, value);
		if (!isSame) differs.push("member_first_name");
	}
	return differs;
}

/**
 * Removes a part of a name from the words of it: neighbours that are the part but for spaces and hyphens (`DI PASQUALE`
 * and `DiPasquale`), else each word of `least`. False where they are not among them.
 */
function takePart(words: string[], part: string, least: readonly string[]): boolean {
	const key = looseKey(part);
	// No word is empty: more of them are longer than the part.
	const most = Math.min(words.length, key.length);
	for (let length = 1; length <= most; length++) {
		const at = words.findIndex((_, i) => words.slice(i, i + length).join("") === key);
		if (at === -1) continue;
		words.splice(at, length);
		return true;
	}
	return least.length > 0 && least.every((word) => takeWord(words, word));
}

/** Removes a word from those of a name; false where it is not among them. */
function takeWord(words: string[], word: string): boolean {
	const at = words.indexOf(word);
	if (at !== -1) words.splice(at, 1);
	return at !== -1;
}

/**
 * Whether a last name is that of a row, which may have a suffix more. A suffix of the given name is one of the row's last
 * name or its full name: a name without one may be the father's.
 */
function isSameLastName(given: string, value: string, fullNameOf: () => string): boolean {
	if (looseKey(given) === looseKey(value)) return true;
	const [asked, stored] = [withoutSuffix(given), withoutSuffix(value)];
	if (asked.name !== stored.name) return false;
	if (asked.suffix === "") return true;
	return stored.suffix === "" && looseWords(fullNameOf()).includes(asked.suffix);
}

/** A last name under the loose fold, and the suffix that ends it; "" for none. */
function withoutSuffix(name: string): { name: string; suffix: string } {
	const words = looseWords(name);
	const last = words.at(-1) ?? "";
	const hasSuffix = words.length > 1 && UNCOUNTED_SUFFIXES.has(last);
	return { name: words.slice(0, hasSuffix ? -1 : undefined).join(""), suffix: hasSuffix ? last : "" };
}

/** Whether two first names are equal, or one is the other with middle names or initials. */
function isSameFirstName(a: string, b: string): boolean {
	return (
		looseKey(a) === looseKey(b) || (looseWords(a)[0] !== undefined && looseWords(a)[0] === looseWords(b)[0])
	);
}

function areOnePerson(rows: readonly number[], source: LicenseSource): boolean {
	return rows.every((row) => isSamePerson(row, rows[0], source));
}

/**
 * Whether two rows of one number have the same name: in full, or in its parts where both have both. Names that are not
 * known are the same.
 */
function isSamePerson(a: number, b: number, source: LicenseSource): boolean {
	if (a === b) return true;
	const full = keysOf("member_full_name", a, b, source);
	if (full[0] !== "" && full[0] === full[1]) return true;
	const last = keysOf("member_last_name", a, b, source);
	const first = keysOf("member_first_name", a, b, source);
	const arePartsKnown = [...last, ...first].every((key) => key !== "");
	if (!arePartsKnown) return full[0] === full[1] && agree(last) && agree(first);
	const firstName = (row: number) => source.value(row, "member_first_name") ?? "";
	return last[0] === last[1] && isSameFirstName(firstName(a), firstName(b));
}

/** Whether two values are equal, or one is not known. */
function agree([a, b]: readonly [string, string]): boolean {
	return a === "" || b === "" || a === b;
}

/** The values of two rows under the loose fold; "" for none. */
function keysOf(column: ColumnName, a: number, b: number, source: LicenseSource): [string, string] {
	return [looseKey(source.value(a, column) ?? ""), looseKey(source.value(b, column) ?? "")];
}
