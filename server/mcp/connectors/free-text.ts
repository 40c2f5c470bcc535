/**
 * Reads a free-text query, as hosts send that know one `search` tool for every server: a place, a license
 * number and the words of a name, in any order, such as `Jane Smith, CA` or `TX license 706941`.
 */

import { findJurisdiction, JURISDICTIONS } from "../../../formats/index.js";

export interface FreeText {
	/** Code of the jurisdiction; null: none is named. */
	readonly state: string | null;
	/** A word with digits, as license numbers are; null: none. */
	readonly number: string | null;
	/** The other words, which name a person or an office; may be empty. */
	readonly words: string;
	/** The query without the state, as it was typed: the names of offices have punctuation. */
	readonly typed: string;
	/** What a comma, `in`, `at` or `of` parts after a name, such as a city or an office: `Jane Smith, Houston`; null: nothing. */
	readonly parted: { readonly name: string; readonly others: readonly string[] } | null;
}

/** Words about the question rather than of a name, in lower case. */
const QUESTION_WORDS = new Set(
	(
		"à a agent agents an about at broker brokers by chez does find for from has have in is licence licences license licensed " +
		"licenses named number of real estate realtor search status the under who whose with"
	).split(" "),
);

/**
 * Further words that only ask, in lower case. Some are names as well, so that they are left out where no row has the name with
 * them.
 */
export const ASKING_WORDS: ReadonlySet<string> = new Set(
	(
		"still currently current valid active actif active expired expire expires renewed renew registered certified working works work " +
		"first when was were been since long check verify tell know if whether can could you me please hey hi hello get need want looking " +
		"phone email e-mail address office owner info information details record inspectors appraisers est est-ce que qui son sa"
	).split(" "),
);

/**
 * A state's name after a comma, `in`, `en` or `au`, at the end: elsewhere Virginia and Georgia are first names. The name begins with no
 * space, or a long run of spaces would be divided in every way before the text is found not to match.
 */
const NAMED_AT_END = /^(.*)(?:,|\b(?:in|en|au))\s+([\p{L}.'-][\p{L}.' -]{3,39}?)\s*[?.]?$/isu;
/** What a question begins and ends with, of which the words may be names elsewhere. */
const BEGINNING =
	/^(?:please )?(?:est-ce que|qui est|how long has|who owns|tell me about|look up|show me|give me|when (?:does|will)|where does|what is|(?:who works|agents|brokers) (?:at|for|of|with)) /i;
const ENDING = /,? (?:expires?|works?|please|thanks|thank you|s'il vous pla[iî]t)\s?[?.]?$/i;
/** Between a name and what follows, such as a city or an office. */
const PART_END = /[,;]| (?:at|in|of|with|à|chez) /i;

/** A state's code in any case after a comma, at the end, and two words or a number: `Smith, Al` is a name. */
const CODE_AT_END = /^(\s*\S+[\s,].*|.*\d.*),\s*([a-z]{2})\s*[?.]?$/is;
const DIGITS_MIN = 3;
/** A number written after a hash, unlike the `#1` of an office's name. */
const HASHED_NUMBER = /^#.*\d.*\d.*\d/;

export function readFreeText(query: string): FreeText {
	let rest = query.normalize("NFC").trim().replace(BEGINNING, "").replace(ENDING, "");
	let state: string | null = null;
	const atEnd = NAMED_AT_END.exec(rest) ?? CODE_AT_END.exec(rest);
	const named = stateNamed(atEnd?.[2] ?? "");
	if (atEnd !== null && named !== null) {
		state = named;
		rest = atEnd[1];
	}
	let number: string | null = null;
	const parts = rest.split(PART_END).map((part) => {
		const words: string[] = [];
		for (const given of part.split(/[\s:?"()]+/)) {
			const word = HASHED_NUMBER.test(given) ? given.slice(1) : given;
			if (word === "" || QUESTION_WORDS.has(word.toLowerCase())) continue;
			// In capitals alone: "or", "in" and "me" are words, too.
			if (state === null && /^[A-Z]{2}$/.test(word) && findJurisdiction(word) !== undefined) state = word;
			else if (number === null && word.replaceAll(/\D/g, "").length >= DIGITS_MIN) number = word;
			else words.push(word);
		}
		return words.join(" ");
	});
	const texts = parts.filter((part) => part !== "");
	const typed = state === null ? rest : rest.replace(new RegExp(`[\\s,]*\\b${state}\\b`), "");
	const words = nameOf(texts.join(" "));
	const text = { state, number, words, typed: typed.trim(), parted: partedOf(texts) };
	// Beside a number, a state's name is hardly a person's.
	return number === null ? text : (stateAtEnd(text) ?? text);
}

/** The parts as a name of two words or more, `Smith, Jane` included, and what follows; null: nothing does. */
function partedOf(parts: readonly string[]): FreeText["parted"] {
	const length = parts[0]?.includes(" ") ? 1 : 2;
	if (parts.length <= length) return null;
	return { name: parts.slice(0, length).join(" "), others: parts.slice(length) };
}

/**
 * The text with a state's name at the end of its words taken as the state, though no comma is before it: `Jane Smith
 * Texas`, or beside a number `Texas 706941`. Null where there is none, or nothing besides.
 */
export function stateAtEnd(text: FreeText): FreeText | null {
	if (text.state !== null) return null;
	const words = ` ${plain(text.words)}`;
	const named = JURISDICTIONS.filter(({ name }) => words.endsWith(` ${plain(name)}`));
	// West Virginia ends with Virginia.
	const [longest] = named.sort((a, b) => b.name.length - a.name.length);
	if (longest === undefined) return null;
	const rest = nameOf(text.words.slice(0, -longest.name.length).trim());
	if (rest === "" && text.number === null) return null;
	const parted = text.parted && {
		name: text.parted.name,
		others: text.parted.others.map((part) => withoutEnd(part, longest.name)).filter((part) => part !== ""),
	};
	return { ...text, state: longest.state, words: rest, typed: rest, parted };
}

/** Code of the state whose name or code this is; null: none. */
export function stateNamed(text: string): string | null {
	const asNamed = plain(text);
	const named = JURISDICTIONS.find((each) => [plain(each.name), plain(each.state)].includes(asNamed));
	return named?.state ?? null;
}

/** In lower case and without marks, of the same length as letters are one each: Québec is Quebec. */
function plain(text: string): string {
	return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

function withoutEnd(text: string, end: string): string {
	return plain(text).endsWith(plain(end)) ? text.slice(0, -end.length).trim() : text;
}

/** `words`, or nothing where they have no letter or digit, as in `# 706941` or `706941 - Texas`. */
function nameOf(words: string): string {
	return /[\p{L}\p{N}]/u.test(words) ? words : "";
}
