/**
 * The part of a split cell that is a state or province: which texts are one, and how many words it takes. Known are the
 * names and codes of formats/domain/state-names.ts, the other codes of postal addresses in the United States, and the texts that
 * a map replaces. Cost: two letters are looked up in a table, other texts decoded once and remembered.
 */

import { isLetter } from "../../formats/ascii.js";
import { STATE_NAMES, stateCodeOf } from "../../formats/domain/state-names.js";

/** Codes of addresses that are no licensing jurisdiction: of the armed forces and of the freely associated states. */
const POSTAL_CODES = ["AA", "AE", "AP", "FM", "MH", "PW"];
/** Longer texts, in bytes, are no state's. */
const TEXT_BYTES_MAX = 100;
/** Texts remembered; a column has some dozens. */
const REMEMBERED_MAX = 4096;

/** The last word of a name as the key of {@link WORDS_MAX}. */
function lastWordOf(name: string): string {
	const words = name.split(/[\s.'\u2018\u2019\u02bb-]+/).filter((word) => word !== "");
	return (words.at(-1) ?? "")
		.normalize("NFD")
		.replaceAll(/[\u0300-\u036f]/g, "")
		.toUpperCase();
}

/** By the last word of a name of several words: the most words of such a name. */
const WORDS_MAX: ReadonlyMap<string, number> = wordsByLast();

function wordsByLast(): Map<string, number> {
	const found = new Map<string, number>();
	for (const [name] of STATE_NAMES) {
		const words = name.split(/[\s.]+/).filter((word) => word !== "").length;
		const last = lastWordOf(name);
		if (words > (found.get(last) ?? 1)) found.set(last, words);
	}
	return found;
}

/** By two ASCII letters in either case, five bits each: the state that they name. */
const TWO_LETTERS: (string | undefined)[] = new Array(1 << 10).fill(undefined);
for (const [text, state] of [...STATE_NAMES, ...POSTAL_CODES.map((code) => [code, code] as const)])
	if (/^[A-Za-z]{2}$/.test(text)) TWO_LETTERS[pairOf(text.charCodeAt(0), text.charCodeAt(1))] = state;

/** By two ASCII letters: as {@link WORDS_MAX}, 1 if no longer name ends with them. */
const WORDS_MAX_OF_PAIR = new Uint8Array(1 << 10).fill(1);
for (const [word, words] of WORDS_MAX)
	if (/^[A-Z]{2}$/.test(word)) WORDS_MAX_OF_PAIR[pairOf(word.charCodeAt(0), word.charCodeAt(1))] = words;

function pairOf(first: number, second: number): number {
	return ((first & 31) << 5) | (second & 31);
}

/** Whether bytes[start, end) are two ASCII letters. */
function isPair(bytes: Uint8Array, start: number, end: number): boolean {
	return end - start === 2 && isLetter(bytes[start]) && isLetter(bytes[start + 1]);
}

export class StatePart {
	private readonly replaced: ReadonlySet<string>;
	private readonly remembered = new Map<string, string | null>();

	/** `replaced`: the exact texts of the column that the map replaces. */
	constructor(replaced: readonly string[]) {
		this.replaced = new Set(replaced);
	}

	/**
	 * The code of the state or province that bytes[start, end), valid UTF-8, name, for a text that the map replaces that
	 * text; null if they name none. A text with a comma does not: `Washington, DC`.
	 */
	codeOf(bytes: Uint8Array, start: number, end: number): string | null {
		if (isPair(bytes, start, end)) {
			const code = TWO_LETTERS[pairOf(bytes[start], bytes[start + 1])];
			if (code !== undefined) return code;
			if (this.replaced.size === 0) return null;
		}
		if (end - start > TEXT_BYTES_MAX) return null;
		const text = Buffer.from(bytes.slice(start, end)).toString("utf8");
		const known = this.remembered.get(text);
		if (known !== undefined) return known;
		const code = this.replaced.has(text) ? text : text.includes(",") ? null : stateCodeOf(text);
		if (this.remembered.size === REMEMBERED_MAX) this.remembered.clear();
		this.remembered.set(text, code);
		return code;
	}

	/** The most words of a state's name that ends with the word bytes[start, end); 1 if none has several. */
	wordsMax(bytes: Uint8Array, start: number, end: number): number {
		if (isPair(bytes, start, end)) return WORDS_MAX_OF_PAIR[pairOf(bytes[start], bytes[start + 1])];
		if (end - start > TEXT_BYTES_MAX) return 1;
		return WORDS_MAX.get(lastWordOf(Buffer.from(bytes.slice(start, end)).toString("utf8"))) ?? 1;
	}
}
