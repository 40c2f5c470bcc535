/** Labels that people write before a license number: `Lic. #BK6321580`, `No. SA602342000`, in Colorado `CO-FA.683303198`. */

/** Words of labels, in English, French and Spanish. */
const LABEL_WORDS: ReadonlySet<string> = new Set(
	(
		"lic license licence licensed number num no n° nº nbr registration reg permit certificate cert id " +
		"real estate state permis numéro licencia número"
	).split(" "),
);

/** More words than a label has. */
const WORDS_MAX = 6;

/** A word, and what separates it from the rest. */
const WORD = /^[^\p{L}\p{N}]*(\p{L}+°?)[^\p{L}\p{N}]+(?=[\p{L}\p{N}])/u;

/** A code of two letters, and a number that begins with letters: `FLSL2462924`. */
const TWO_PREFIXES = /^[A-Z]{2}[A-Z]{1,4}[^\p{L}\p{N}]*\d/iu;

/**
 * What `number` may be without the label before it, shortest first; empty where it has none. A label may name `state`, a
 * code, even without a separator where the number begins with letters of its own. Numbers of some states begin with the
 * code themselves (`WVS7173507`), so the text with the code is a possibility, too.
 */
export function withoutNumberLabel(number: string, state: string | null): string[] {
	let rest = number;
	const withCode: string[] = [];
	for (let words = 0; words < WORDS_MAX; words++) {
		const [label = "", word = ""] = WORD.exec(rest) ?? [];
		const isCode = word !== "" && word.toUpperCase() === state;
		if (!isCode && !LABEL_WORDS.has(word.toLowerCase())) break;
		if (isCode) withCode.unshift(rest);
		rest = rest.slice(label.length);
	}
	if (state !== null && rest.slice(0, 2).toUpperCase() === state && TWO_PREFIXES.test(rest)) {
		withCode.unshift(rest);
		rest = rest.slice(2);
	}
	return [rest, ...withCode].filter((text) => text !== number);
}
