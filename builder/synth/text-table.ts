/**
 * Texts as bytes, ready to copy: one heap of UTF-8 and the offsets of each text in it; and the letter styles in
 * which licensing bodies write the same text.
 */

/** Text i is `heap[offsets[i], offsets[i + 1])`. */
export interface TextTable {
	readonly heap: Uint8Array;
	readonly offsets: Uint32Array;
}

export function textTable(texts: readonly string[]): TextTable {
	const offsets = new Uint32Array(texts.length + 1);
	for (let i = 0; i < texts.length; i++) offsets[i + 1] = offsets[i] + Buffer.byteLength(texts[i]);
	return { heap: Buffer.from(texts.join("")), offsets };
}

/** How a text is written: with or without accents, in capitals or not. */
export type Letters = "natural" | "upper" | "plain" | "plain-upper";

const MARKS = /\p{M}/gu;
/** Letters without a combining mark that are not ASCII. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
	ø: "o",
	Ø: "O",
	ł: "l",
	Ł: "L",
	đ: "d",
	Đ: "D",
	ð: "d",
	Ð: "D",
	þ: "th",
	Þ: "Th",
	æ: "ae",
	Æ: "Ae",
	œ: "oe",
	Œ: "Oe",
	ß: "ss",
	ı: "i",
	"’": "'",
};
const NOT_ASCII = /[^\0-\x7f]/g;

/** The text in ASCII: accents removed, ligatures expanded. */
export function plainText(text: string): string {
	return text
		.normalize("NFD")
		.replace(MARKS, "")
		.replace(NOT_ASCII, (letter) => PLAIN_LETTERS[letter] ?? "");
}

export function inLetters(text: string, letters: Letters): string {
	const spelled = letters === "plain" || letters === "plain-upper" ? plainText(text) : text;
	return letters === "upper" || letters === "plain-upper" ? spelled.toUpperCase() : spelled;
}

/** The text's letters and digits in lower case, as used in e-mail addresses. */
export function slug(text: string): string {
	return plainText(text)
		.toLowerCase()
		.replace(/[^a-z0-9]/g, "");
}

/** The same texts in every letter style. */
export type Lettered = Readonly<Record<Letters, TextTable>>;

export function lettered(texts: readonly string[]): Lettered {
	const inEach = (letters: Letters) => textTable(texts.map((text) => inLetters(text, letters)));
	return {
		natural: inEach("natural"),
		upper: inEach("upper"),
		plain: inEach("plain"),
		"plain-upper": inEach("plain-upper"),
	};
}

/** A list in the form `text*weight|text*weight|…`; the default weight is 1. */
export function weightedList(list: string): { texts: string[]; weights: number[] } {
	const entries = list.split("|").map((entry) => entry.split("*"));
	return { texts: entries.map(([text]) => text), weights: entries.map(([, weight]) => Number(weight ?? 1)) };
}
