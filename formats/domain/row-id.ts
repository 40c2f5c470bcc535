/**
 * Row ids and months (docs/API.md §1.4): id = M × 100,000,000 + n, where M counts months since 2000-01
 * and n is the row's 1-based position in its snapshot's canonical order.
 *
 * Invariant: ids are safe integers below 2^53 and unique over all months from 2000-01 to 9999-12.
 */

const ROWS_PER_MONTH = 100_000_000;
const EPOCH_YEAR = 2000;

/** Maximum number of rows of a snapshot, so that ids are unique. */
export const MAX_ROWS = ROWS_PER_MONTH - 1;

const MONTH_PATTERN = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** Whether `text` names a month as `YYYY-MM`, be it one that snapshots can be of ({@link isMonth}) or an earlier one. */
export function isCalendarMonth(text: string): boolean {
	return MONTH_PATTERN.test(text);
}

/** Whether `text` names a month that a snapshot can be of, from 2000-01 on, as `YYYY-MM`. */
export function isMonth(text: string): boolean {
	const match = MONTH_PATTERN.exec(text);
	return match !== null && Number(match[1]) >= EPOCH_YEAR;
}

/** Months from 2000-01 to `month` (`YYYY-MM`, valid by {@link isCalendarMonth}), negative before. */
export function monthNumber(month: string): number {
	return (Number(month.slice(0, 4)) - EPOCH_YEAR) * 12 + Number(month.slice(5, 7)) - 1;
}

/** The month `number` months after 2000-01, as `YYYY-MM`. */
export function monthOfNumber(number: number): string {
	const year = String(EPOCH_YEAR + Math.floor(number / 12)).padStart(4, "0");
	return `${year}-${String((number % 12) + 1).padStart(2, "0")}`;
}

/** Id of the row at 0-based position `row` of the snapshot of `month`. */
export function rowId(monthNumberOfSnapshot: number, row: number): number {
	return monthNumberOfSnapshot * ROWS_PER_MONTH + row + 1;
}

/** The month number and 0-based row of an id; `row` is -1 for an id that no row can have. */
export function splitRowId(id: number): { monthNumber: number; row: number } {
	return { monthNumber: Math.floor(id / ROWS_PER_MONTH), row: (id % ROWS_PER_MONTH) - 1 };
}

/** Last day of `month` as an ISO date. */
export function lastDayOfMonth(month: string): string {
	const year = Number(month.slice(0, 4));
	const monthOfYear = Number(month.slice(5, 7));
	const days = new Date(Date.UTC(year, monthOfYear, 0)).getUTCDate();
	return `${month}-${String(days).padStart(2, "0")}`;
}
