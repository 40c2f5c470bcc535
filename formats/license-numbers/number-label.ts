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
 * `number` without the label before it, which may also name `state`, a code, even without a separator where the
 * number begins with letters of its own; null where it has none.
 */
export function withoutNumberLabel(number: string, state: string | null): string | null {
	let rest = number;
	for (let words = 0; words < WORDS_MAX; words++) {
		const [label = "", word = ""] = WORD.exec(rest) ?? [];
		if (!LABEL_WORDS.has(word.toLowerCase()) && (word === "" || word.toUpperCase() !== state)) break;
		rest = rest.slice(label.length);
	}
	if (state !== null && rest.slice(0, 2).toUpperCase() === state && TWO_PREFIXES.test(rest))
		rest = rest.slice(2);
	return rest === number ? null : rest;
}
