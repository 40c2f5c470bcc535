/**
 * Text that reveals faults in folding, comparison, escaping and CSV: characters whose case or
 * composition changes length, characters above the Basic Multilingual Plane, quotes, separators, control
 * characters, formula prefixes of spreadsheets.
 */

import fc from "fast-check";

/** Each is one hard case; strings are made by joining some. */
export const TRICKY_PIECES: readonly string[] = [
	"a",
	"A",
	"b",
	"z",
	"Z",
	"e",
	"E",
	"i",
	"I",
	"s",
	"K",
	"H",
	"0",
	"9",
	" ",
	"'",
	"-",
	"\u00e9", // é, composed
	"\u00c9", // É, composed
	"\u0301", // combining acute: composes with e
	"\u0323", // combining dot below: sorts before the acute in NFC
	"\u0307", // combining dot above: what İ lower-cases to
	"\u0331", // combining macron below: ẖ is composed, its capital is not
	"\u0130", // İ: lower case is two code points
	"\u0131", // ı
	"\u00df", // ß
	"\u1e9e", // ẞ: lower case is ß
	"\u03a3", // Σ: lower case depends on what follows
	"\u03c3", // σ
	"\u03c2", // ς
	"\u017f", // ſ
	"\u212a", // Kelvin sign: NFC is K
	"\u212b", // Angstrom sign: NFC is Å
	"\u01c5", // ǅ: title case
	"\u1100\u1161", // jamo that compose to 가
	"\uac00", // 가
	"\u0345", // combining iota: changes what counts as the end of a word
	"\u00ad", // soft hyphen: case-ignorable
	"\ufeff", // byte order mark: decoders drop it at the start
	"\uffff", // the last of the BMP: above surrogates by code unit, below them by code point
	"\uff21", // Ａ, full width
	"\u{10400}", // 𐐀: a capital in a surrogate pair
	"\u{10428}", // 𐐨
	"\u{1f600}", // 😀
	"\u{1d15e}", // a musical symbol whose NFC is two characters
];

/** Characters that are special to writers and parsers. */
export const MARKUP_PIECES: readonly string[] = [
	'"',
	",",
	"\\",
	"/",
	"=",
	"+",
	"@",
	"\n",
	"\r\n",
	"\t",
	"\u0000",
	"\u0001",
	"\u001f",
	"\u007f",
	"\u2028",
	"<",
	"&",
	";",
];

/** Short texts over {@link TRICKY_PIECES}, few enough pieces that equal folds and prefixes are common. */
export function trickyText(lengthMax = 6): fc.Arbitrary<string> {
	return fc.array(fc.constantFrom(...TRICKY_PIECES), { maxLength: lengthMax }).map((p) => p.join(""));
}

/** Any well-formed text, tricky, plain or wild. */
export function anyText(): fc.Arbitrary<string> {
	return fc.oneof(
		{ weight: 4, arbitrary: trickyText() },
		{ weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
		{ weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
	);
}
