/** Text of unknown origin in a message for an operator: one line, and nothing that a terminal obeys. */

const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Longest text that is told whole, in characters as shown. */
const LENGTH_MAX = 4_000;

/**
 * `text` with line ends as spaces, and other control characters and those that turn the direction of
 * writing as escapes; of what is long then, the beginning. Cost O(length), of {@link LENGTH_MAX} at most.
 */
export function printable(text: string): string {
	// Cut for the cost, and cut again below, since an escape is longer than what it stands for.
	const shown = text
		.slice(0, LENGTH_MAX + 1)
		.replaceAll(/\s*[\r\n\u2028\u2029]\s*/g, " ")
		.replaceAll(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
	return shown.length > LENGTH_MAX || text.length > LENGTH_MAX ? `${shown.slice(0, LENGTH_MAX)}…` : shown;
}
