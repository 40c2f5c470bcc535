/** Makes untrusted text safe for terminals and logs: one line without control sequences. */

const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Maximum length of the result, in characters. */
const LENGTH_MAX = 4_000;

/**
 * `text` with line ends as spaces and other control characters, bidirectional ones included, as escapes,
 * truncated to {@link LENGTH_MAX}. Cost O({@link LENGTH_MAX}).
 */
export function printable(text: string): string {
	// Truncated to bound the cost, and again below, since an escape is longer than its character.
	const shown = text
		.slice(0, LENGTH_MAX + 1)
		.replaceAll(/\s*[\r\n\u2028\u2029]\s*/g, " ")
		.replaceAll(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
	return shown.length > LENGTH_MAX || text.length > LENGTH_MAX ? `${shown.slice(0, LENGTH_MAX)}…` : shown;
}
