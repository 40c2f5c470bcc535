/** Whole numbers for people: `1,234,567`. */

/**
 * `value`, a whole number, with commas between groups of three digits. `toLocaleString` writes the same, but loads the locale
 * data at its first call: 15 ms in every thread.
 */
export function groupDigits(value: number): string {
	return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
