/** The dates of a month: how many are implausible, and when licenses expire. */

import {
	type Column,
	DICTIONARY_COLUMNS,
	monthNumber,
	monthOfNumber,
	type SnapshotFiles,
} from "../../formats/index.js";

export interface DateProfile {
	readonly column: string;
	/** Rows with a date. */
	readonly rows: number;
	/** Rows with a date at or before {@link TOO_EARLY} or too far after the month. */
	readonly odd: number;
	/** Those that the gate counts: not {@link TOO_EARLY} itself, which is told but is no sign of dates read wrongly. */
	readonly judged: number;
	/** The earliest and the latest of the implausible dates, if any. */
	readonly odd_samples: readonly string[];
	/** Rows by the date's month, ascending. */
	readonly months: readonly { readonly month: string; readonly rows: number }[];
}

/** No licensing body is so old; the day itself is what databases and spreadsheets have where there is no date. */
const TOO_EARLY = "1900-01-01";
/** Maximum months between the month and a date: a license may last a lifetime, other dates are past or planned. */
const MONTHS_AHEAD_EXPIRY = 100 * 12;
const MONTHS_AHEAD_ELSE = 50 * 12;

/** Profiles of all date columns. Cost O(distinct dates). */
export function profileDates(files: SnapshotFiles): DateProfile[] {
	return DICTIONARY_COLUMNS.filter((column) => column.kind === "date").map((column) =>
		profile(files, column),
	);
}

/** The last plausible month of a date of `column`. */
function latestMonth(column: Column, month: string): string {
	const ahead = column.name === "member_license_expires" ? MONTHS_AHEAD_EXPIRY : MONTHS_AHEAD_ELSE;
	return monthOfNumber(monthNumber(month) + ahead);
}

function profile(files: SnapshotFiles, column: Column): DateProfile {
	const dictionary = files.dictionary(column);
	const { offsets } = files.permutation(column);
	const latest = latestMonth(column, files.catalog.month);
	const months = new Map<string, number>();
	const odd: string[] = [];
	let oddRows = 0;
	let fillers = 0;
	for (let code = 0; code < dictionary.distinct; code++) {
		const date = dictionary.value(code) as string;
		const month = date.slice(0, 7);
		const rows = offsets[code + 1] - offsets[code];
		months.set(month, (months.get(month) ?? 0) + rows);
		if (date > TOO_EARLY && month <= latest) continue;
		odd.push(date);
		oddRows += rows;
		if (date === TOO_EARLY) fillers += rows;
	}
	return {
		column: column.name,
		rows: offsets[dictionary.distinct],
		odd: oddRows,
		judged: oddRows - fillers,
		odd_samples: odd.length > 1 ? [odd[0], odd[odd.length - 1]] : odd,
		months: [...months].map(([month, rows]) => ({ month, rows })),
	};
}
