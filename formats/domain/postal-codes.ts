/**
 * Spellings of postal codes. Values are stored as their source has them; a code that is asked for is found in
 * each of its spellings: a ZIP+4 code with its hyphen or without, a Canadian code in either case, with a space, a
 * hyphen or neither. A ZIP code and a ZIP+4 code within it are two codes.
 */

const ZIP_PLUS_FOUR = /^(\d{5})-?(\d{4})$/;
const CANADIAN = /^([a-z]\d[a-z])[ -]?(\d[a-z]\d)$/i;
const SHORTEST = "A1A1A1".length;
const LONGEST = "12345-6789".length;

/** The spellings of `code`, its own included, apart from case; empty where it has only its own. */
export function postalSpellings(code: string): readonly string[] {
	// Most codes are ZIP codes of five digits.
	if (code.length < SHORTEST || code.length > LONGEST) return [];
	const zip = ZIP_PLUS_FOUR.exec(code);
	if (zip !== null) return [`${zip[1]}-${zip[2]}`, `${zip[1]}${zip[2]}`];
	const canadian = CANADIAN.exec(code);
	if (canadian === null) return [];
	return ["", " ", "-"].map((between) => `${canadian[1]}${between}${canadian[2]}`);
}
