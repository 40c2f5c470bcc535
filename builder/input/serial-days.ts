/**
 * Serial day numbers of spreadsheets, in two systems: day 1 is 1900-01-01 or 1904-01-02. The 1900 system counts a
 * 29 February 1900 that never was, day 60, so days before it are a day later than the others have it.
 */

/** Day 0 of the two systems, in days since 1970-01-01; that of 1900 from March 1900 on. */
const DAY_OF_1900 = -25_569;
const DAY_OF_1904 = -24_107;
const NO_DAY_OF_1900 = 60;
/** 9999-12-31, in days since 1970-01-01. */
export const LAST_DAY = 2_932_896;

/** Whether a whole number is the number of a day: day 60 of the 1900 system is none, nor is its day 0. */
export function isSerialDay(day: number, is1904: boolean): boolean {
	return is1904 ? day >= 0 : day >= 1 && day !== NO_DAY_OF_1900;
}

/** Days from 1970-01-01 to the day numbered `day`, which {@link isSerialDay} accepts; after {@link LAST_DAY} there is none. */
export function daysOfSerial(day: number, is1904: boolean): number {
	if (is1904) return DAY_OF_1904 + day;
	return DAY_OF_1900 + day + (day < NO_DAY_OF_1900 ? 1 : 0);
}
