/** Code and message of a request that a limit refuses (docs/API.md §5.3). */

import type { Tier } from "../keys/key.js";
import type { LimitCode } from "./limits.js";
import { DAY, endOfWindow, MINUTE, MONTH, WINDOW_NAMES } from "./windows.js";

/** Trial keys get `trial_limit` beyond the minute (docs/API.md §5.3). */
export function refusalCode(tier: Tier, full: number): LimitCode {
	if (full === MINUTE) return "rate_limited";
	if (tier === "trial") return "trial_limit";
	return full === MONTH ? "quota_exceeded" : "rate_limited";
}

/** `1 request`, `600 requests`. */
function requestsText(limit: number | string): string {
	return `${limit} ${Number(limit) === 1 ? "request" : "requests"}`;
}

export function refusalMessage(full: number, limit: string, waitSeconds: string, heldTag: number): string {
	if (full === MINUTE)
		return `The limit of ${requestsText(limit)} per minute is reached; retry in ${waitSeconds} s.`;
	const resetsAt = new Date(endOfWindow(full, heldTag - 1)).toISOString();
	if (full === DAY)
		return `The limit of ${requestsText(limit)} per day is reached; it resets at ${resetsAt}.`;
	return `The monthly quota of ${requestsText(limit)} is used up; it resets at ${resetsAt}.`;
}

/** Of a request that counts as several, for which the window has no room at the moment. */
export function largeRefusalMessage(
	full: number,
	limit: number,
	left: number,
	requests: number,
	waitSeconds: string,
): string {
	const remain = `${left} of the limit of ${requestsText(limit)} per ${WINDOW_NAMES[full]} ${left === 1 ? "is" : "are"} left`;
	const counts = `This request counts as ${requests}, and ${remain}`;
	return `${counts}; ask for less in one request, or retry in ${waitSeconds} s.`;
}

/** Of a request that counts as more than the window ever has room for. */
export function neverMessage(kind: number, limit: number, requests: number): string {
	const counts = `This request counts as ${requests}, more than the limit of ${requestsText(limit)} per ${WINDOW_NAMES[kind]}`;
	return `${counts}, so waiting does not help; ask for less in one request.`;
}
