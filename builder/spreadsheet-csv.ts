/** CSV that people open in spreadsheets: cells that would be read as formulas are guarded by an apostrophe. */

/** First characters of a cell that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@]/;

/** A cell as CSV text, quoted where it must be. */
export function spreadsheetCell(text: string): string {
	const guarded = FORMULA.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
