/**
 * The windows that requests are counted in: the UTC minute, day and month, numbered from 1970.
 * Fixed windows: each begins at zero on its boundary.
 */

export const WINDOW_NAMES = ["minute", "day", "month"] as const;

/** Positions in {@link WINDOW_NAMES}, from the shortest window to the longest. */
export const MINUTE = 0;
export const DAY = 1;
export const MONTH = 2;

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Number of the UTC minute of `nowMs`, from 0 for the first of 1970. */
export function minuteOf(nowMs: number): number {
	return Math.floor(nowMs / MINUTE_MS);
}

/** Whole seconds from `nowMs` to the end of its UTC minute, rounded up: at least 1. */
export function secondsOfMinuteLeft(nowMs: number): number {
	return Math.ceil((endOfWindow(MINUTE, minuteOf(nowMs)) - nowMs) / 1000);
}

/** Number of the UTC day of `nowMs`, from 0 for 1970-01-01. */
export function dayOf(nowMs: number): number {
	return Math.floor(nowMs / DAY_MS);
}

/** Whole seconds from `nowMs` to the end of its UTC day, rounded up: at least 1. */
export function secondsOfDayLeft(nowMs: number): number {
	return Math.ceil((endOfWindow(DAY, dayOf(nowMs)) - nowMs) / 1000);
}

/** Number of the UTC month of `nowMs`, from 0 for 1970-01. */
export function monthOf(nowMs: number): number {
	const date = new Date(nowMs);
	return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** First moment of the month numbered `month`, in milliseconds. */
export function startOfMonth(month: number): number {
	return Date.UTC(1970, month, 1);
}

/** First moment after the window numbered `index` of the kind `kind`, in milliseconds. */
export function endOfWindow(kind: number, index: number): number {
	if (kind === MINUTE) return (index + 1) * MINUTE_MS;
	if (kind === DAY) return (index + 1) * DAY_MS;
	return startOfMonth(index + 1);
}

/**
 * Maximum difference between the clocks of threads and processes, and of a small adjustment of a clock, in
 * milliseconds: this close to its end, the next window may have begun elsewhere.
 */
const CLOCKS_APART_MS = 5_000;

/** Whether the window numbered `index` of the kind `kind` ends so soon that the next may have begun elsewhere. */
export function isNearEnd(kind: number, index: number, nowMs: number): boolean {
	return endOfWindow(kind, index) - nowMs <= CLOCKS_APART_MS;
}

/** The windows of a time. One per thread: it caches the month, so that most calls need no calendar. */
export class Moment {
	nowMs = Number.NaN;
	minute = 0;
	day = 0;
	month = 0;
	#monthStartMs = Number.POSITIVE_INFINITY;
	#monthEndMs = Number.NEGATIVE_INFINITY;

	/** Moves to `nowMs`. Cost: two divisions, within a month. */
	set(nowMs: number): void {
		this.nowMs = nowMs;
		this.minute = Math.floor(nowMs / MINUTE_MS);
		this.day = Math.floor(nowMs / DAY_MS);
		if (nowMs >= this.#monthStartMs && nowMs < this.#monthEndMs) return;
		this.month = monthOf(nowMs);
		this.#monthStartMs = startOfMonth(this.month);
		this.#monthEndMs = startOfMonth(this.month + 1);
	}

	/** Number of the window of the kind `kind`. */
	index(kind: number): number {
		if (kind === MINUTE) return this.minute;
		return kind === DAY ? this.day : this.month;
	}
}
