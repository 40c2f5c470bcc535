/** Guesses for messages: by which date format texts are probably written. Guesses never affect how a file is read. */

import { compileDateFormats, type DateFormat, readDate } from "./date-format.js";
import type { DayNumbers } from "./day-numbers.js";

/** Formats that rosters have, the usual ones of both countries first. */
const FORMATS = [
	...["M/D/YYYY", "D/M/YYYY", "YYYY/M/D", "M-D-YYYY", "D-M-YYYY", "YYYY-M-D", "D.M.YYYY", "YYYY.M.D"],
	...["YYYYMMDD", "MMDDYYYY", "DDMMYYYY"],
	...["M/D/YYYY h:mm AM", "M/D/YYYY h:mm:ss AM", "M/D/YYYY H:mm", "M/D/YYYY H:mm:ss"],
	...["D/M/YYYY H:mm", "D/M/YYYY H:mm:ss", "YYYY/M/D H:mm:ss"],
	...["D-MMM-YYYY", "D MMM YYYY", "MMM D, YYYY", "MMM D YYYY", "MMM D YYYY h:mmAM", "DMMMYYYY"],
	...["D-MMMM-YYYY", "D MMMM YYYY", "MMMM D, YYYY", "MMMM D YYYY"],
	...[
		"dddd, MMMM D, YYYY",
		"dddd D MMMM YYYY",
		"ddd, MMM D, YYYY",
		"ddd MMM D YYYY",
		"ddd, D MMM YYYY",
		"ddd D MMM YYYY",
	],
	...["ddd M/D/YYYY", "ddd, M/D/YYYY", "ddd, D MMM YYYY HH:mm:ss ZZZ", "ddd MMM D HH:mm:ss ZZZ YYYY"],
	...["M/D/YY from 1950", "D/M/YY from 1950", "M-D-YY from 1950", "D-MMM-YY from 1950"],
];
/** Maximum number of formats guessed: more are no guess. */
const GUESSES_MAX = 2;
/** Day numbers of spreadsheets, of 1954 to 2064 and of 9999-12-31; other numbers are as likely something else. */
const SERIAL_DAY = /^(?:[2-5]\d{4}|2958465|2957003)(\.\d+)?$/;
/** What stands for no date in files of any format, and reveals none: `00000000`, `00/00/0000`, `99999999`. */
const FILLER = /^[09](?:\W*[09])*$/;

/**
 * Formats that each read all of `texts`, trimmed and not empty, except fillers such as `00000000`; none where there are more
 * than {@link GUESSES_MAX}. `dayNumbers`: how a workbook that has them counts days.
 */
export function likelyDateFormats(
	texts: readonly string[],
	dayNumbers: DayNumbers = "excel",
): readonly string[] {
	const dates = texts.filter((written) => !FILLER.test(written));
	const fitting = [...FORMATS, dayNumbers].filter((text) => {
		const formats = compileDateFormats([text]);
		return dates.length > 0 && dates.every((written) => isLikely(written, text, formats));
	});
	return fitting.length > GUESSES_MAX ? [] : fitting;
}

function isLikely(written: string, text: string, formats: readonly DateFormat[]): boolean {
	return (!text.startsWith("excel") || SERIAL_DAY.test(written)) && "iso" in readDate(written, formats);
}
