/**
 * The notation of number formats of spreadsheets (ECMA-376, 18.8.31): up to four sections between semicolons, of
 * placeholders for digits, codes of dates and the like, and literal text. No meaning is given to them here.
 */

export interface FormatToken {
	/**
	 * `placeholder`: one of a digit, or a sign between digits (`0`, `#`, `?`, `.`, `,`, `%`, `/`, an exponent). `literal`: text
	 * that is shown. `bracket`: the content of brackets that show nothing. `code`: any other character.
	 */
	readonly kind: "placeholder" | "literal" | "bracket" | "code";
	readonly text: string;
}

/** Sections that spreadsheets take of a format. */
const SECTIONS_MAX = 4;

/** A token, of which the groups hold the text. */
const TOKEN = new RegExp(
	[
		'"(?<quoted>[^"]*)"?',
		"\\\\(?<escaped>.)",
		"_(?<blank>.)",
		"\\*(?<fill>.)",
		"\\[(?<bracket>[^\\]]*)\\]?",
		"(?<general>General)",
		"(?<exponent>E[+-])",
		"(?<end>;)",
		"(?<other>.)",
	].join("|"),
	"gsui",
);
/** A symbol with a locale, `[$RE-409]`: the symbol is shown. */
const SYMBOL = /^\$([^-]*)/;
/** An elapsed time, `[h]`. */
const ELAPSED = /^(h+|m+|s+)$/i;
/** Characters that are shown without quotes. */
const SHOWN = /^[ $()+:&'~{}<>=^-]$/;
const PLACEHOLDER = /^[0#?.,%/]$/;

/** The sections of a format's code, in order. Cost O(characters). */
export function formatSections(code: string): FormatToken[][] {
	const sections: FormatToken[][] = [[]];
	for (const { groups = {} } of code.matchAll(TOKEN)) {
		if (groups.end === undefined) sections[sections.length - 1].push(...tokensOf(groups));
		else if (sections.length === SECTIONS_MAX) break;
		else sections.push([]);
	}
	return sections;
}

function tokensOf(groups: Readonly<Record<string, string | undefined>>): FormatToken[] {
	const { quoted, escaped, blank, fill, bracket, general, exponent, other = "" } = groups;
	const literal = quoted ?? escaped;
	if (literal !== undefined) return [{ kind: "literal", text: literal }];
	// As wide as the character after it.
	if (blank !== undefined) return [{ kind: "literal", text: " " }];
	if (fill !== undefined) return [];
	if (bracket !== undefined) return [bracketToken(bracket)];
	// It has a digit for zero, unlike `#`.
	if (general !== undefined) return [{ kind: "placeholder", text: "0" }];
	if (exponent !== undefined || PLACEHOLDER.test(other))
		return [{ kind: "placeholder", text: exponent ?? other }];
	return [{ kind: SHOWN.test(other) ? "literal" : "code", text: other }];
}

function bracketToken(content: string): FormatToken {
	const symbol = SYMBOL.exec(content)?.[1];
	if (symbol !== undefined) return { kind: "literal", text: symbol };
	return { kind: ELAPSED.test(content) ? "code" : "bracket", text: content };
}
