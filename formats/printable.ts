/** Text of unknown origin in a message for an operator: one line, and nothing that a terminal obeys. */

const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Longest text that is told whole, in characters. */
const LENGTH_MAX = 4_000;

/**
 * `text`, of a long one the beginning, with line ends as spaces, and other control characters and those that turn the direction of
 * writing as escapes. Cost O(length).
 */
export function printable(text: string): string {
	const shown = text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
	return shown
		.replaceAll(/\s*[\r\n\u2028\u2029]\s*/g, " ")
		.replaceAll(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
