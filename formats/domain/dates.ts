/**
 * Calendar dates as ISO text `YYYY-MM-DD` (years 0001 to 9999) and as days since 1970-01-01.
 * Proleptic Gregorian calendar, no time zones.
 */

const ISO_PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the day exists in the calendar. */
export function isCalendarDate(year: number, month: number, day: number): boolean {
	if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
	const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
	return day <= (month === 2 && leap ? 29 : DAYS_OF_MONTH[month - 1]);
}

/** Whether `text` is an ISO date that exists in the calendar. */
export function isIsoDate(text: string): boolean {
	const match = ISO_PATTERN.exec(text);
	return match !== null && isCalendarDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** Days from 1970-01-01 to the ISO date `text`, which {@link isIsoDate} accepts. */
export function daysOfIsoDate(text: string): number {
	const date = new Date(0);
	date.setUTCFullYear(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, Number(text.slice(8, 10)));
	return Math.round(date.getTime() / 86_400_000);
}

/** The ISO date `days` after 1970-01-01. */
export function isoDateOfDays(days: number): string {
	return new Date(days * 86_400_000).toISOString().slice(0, 10);
}
