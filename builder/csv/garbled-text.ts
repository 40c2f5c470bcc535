/**
 * Recognises text that was read in another encoding than it was written in. Only characters that no name has beside its
 * letters are signs of it: an accented letter in place of another is none. Cost O(bytes of the cell).
 */

/** Characters that no word has between two letters: `Nu¤ez`, `B”hm`. */
const WITHIN = "¡¢£¤¥¦§¨¯±²³¶¸¹¾¿÷«»€‚ƒ„†‡ˆ‰‹›“”˜˘˙˚˝˛ˇ‗√≈∆";
/** Those that no word has after a letter, either: `Ren‚`. */
const AFTER = "¤‚ƒ";
/** Box drawing and block elements, as CP850 has them. */
const BOXES = { first: 0x2500, last: 0x25a0 };
const DASHES = "–—";
const MIDDLE_DOT = "·";

/** What a character is a sign of, by code point below {@link CODES}. */
const SIGN = { none: 0, within: 1, after: 2, dash: 3, dot: 4, capital: 5 } as const;
const CODES = BOXES.last + 1;
const SIGNS = new Uint8Array(CODES);
/** Letters of Latin, as ASCII, Latin-1 and its extensions A and B have them: 1 for a lower-case one, 2 for any other. */
const LETTERS_END = 0x250;
const LETTERS = new Uint8Array(LETTERS_END);
const LOWER = 1;

for (let code = 0; code < LETTERS_END; code++) {
	const character = String.fromCharCode(code);
	if (character === "ƒ" || !/\p{L}/u.test(character)) continue;
	const isLower = character.toUpperCase() !== character;
	LETTERS[code] = isLower ? LOWER : 2;
	if (!isLower && code >= 0x80) SIGNS[code] = SIGN.capital;
}
SIGNS.fill(SIGN.after, BOXES.first, CODES);
for (const [sign, characters] of [
	[SIGN.within, WITHIN],
	[SIGN.after, AFTER],
	[SIGN.dash, DASHES],
	[SIGN.dot, MIDDLE_DOT],
] as const)
	for (const character of characters) SIGNS[character.charCodeAt(0)] = sign;

/** Whether bytes[start, end), valid UTF-8, are text that was read in another encoding than its own. */
export function isGarbled(bytes: Uint8Array, start: number, end: number): boolean {
	return wasReadBytewise(bytes, start, end) || hasForeignCharacter(bytes, start, end);
}

/**
 * Whether UTF-8 has U+FFFD, or characters that no name has beside each other: what remains of an accented letter
 * (`Ã©`, `Ã‘`) or of a quote (`â€™`) that was read in a single-byte encoding although it was UTF-8.
 */
function wasReadBytewise(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end - 2; i++) {
		if (bytes[i] === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd) return true;
		if (bytes[i] !== 0xc3) continue;
		// U+00C2 or 00C3 before one of U+0080 to 00BF, or before what windows-1252 has in place of U+0080 to 009F.
		const isLead = bytes[i + 1] === 0x82 || bytes[i + 1] === 0x83;
		if (isLead && (bytes[i + 2] === 0xc2 || isOfWindows1252(bytes, i + 2, end))) return true;
		// U+00E2 before U+20AC.
		if (bytes[i + 1] === 0xa2 && bytes[i + 2] === 0xe2 && bytes[i + 3] === 0x82 && bytes[i + 4] === 0xac)
			return true;
	}
	return false;
}

/** The characters of windows-1252's bytes 80 to 9F. */
const WINDOWS_1252: ReadonlySet<string> = new Set("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ");

/** Whether the character at `at` of valid UTF-8 is one that windows-1252 has in place of U+0080 to 009F. */
function isOfWindows1252(bytes: Uint8Array, at: number, end: number): boolean {
	if (bytes[at] < 0xc5 || bytes[at] > 0xe2) return false;
	const length = bytes[at] < 0xe0 ? 2 : 3;
	return WINDOWS_1252.has(Buffer.from(bytes.slice(at, Math.min(end, at + length))).toString("utf8"));
}

/** Whether a letter is followed by what one single-byte encoding has in place of a letter of another: `Ren‚ Nu¤ez`. */
function hasForeignCharacter(bytes: Uint8Array, start: number, end: number): boolean {
	let before = 0;
	for (let at = start; at < end; ) {
		const code = codeAt(bytes, at, end);
		const next = at + lengthAt(bytes, at);
		if (code >= 0x80 && isForeign(code, before, codeAt(bytes, next, end))) return true;
		before = code;
		at = next;
	}
	return false;
}

function isForeign(code: number, before: number, after: number): boolean {
	if (!isLetter(before)) return false;
	switch (code < CODES ? SIGNS[code] : SIGN.none) {
		case SIGN.after:
			return true;
		case SIGN.within:
			return isLetter(after);
		case SIGN.dash:
			return isLower(after);
		case SIGN.dot:
			// Catalan has it between two letters l.
			return isLetter(after) && !((before | 0x20) === 0x6c && (after | 0x20) === 0x6c);
		case SIGN.capital:
			// One that ends a word: `RenÚ`.
			return isLower(before) && !isLetter(after);
		default:
			return false;
	}
}

function isLetter(code: number): boolean {
	return code < LETTERS_END && LETTERS[code] !== 0;
}

function isLower(code: number): boolean {
	return code < LETTERS_END && LETTERS[code] === LOWER;
}

/** Bytes of the character at `at` of valid UTF-8. */
function lengthAt(bytes: Uint8Array, at: number): number {
	const lead = bytes[at];
	if (lead < 0xc0) return 1;
	return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Code point of the character at `at` of valid UTF-8; 0 at its end. */
function codeAt(bytes: Uint8Array, at: number, end: number): number {
	if (at >= end) return 0;
	const length = lengthAt(bytes, at);
	if (length === 1) return bytes[at];
	let code = bytes[at] & (0xff >> (length + 1));
	for (let i = 1; i < length; i++) code = (code << 6) | (bytes[at + i] & 0x3f);
	return code;
}
