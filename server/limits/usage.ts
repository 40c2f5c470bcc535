/** Usage as `/v1/usage` answers it (docs/API.md §7.3): requests counted by UTC day and by endpoint. */

import type { Endpoint } from "./usage-codes.js";

export interface Usage {
	/** Length of the window in days, today included. */
	readonly days: number;
	/** First and last day, `YYYY-MM-DD`. */
	readonly from: string;
	readonly to: string;
	/** Requests in the window. */
	readonly total: number;
	/** Every day of the window, oldest first, days without requests as 0. */
	readonly by_day: readonly { readonly date: string; readonly requests: number }[];
	/** Endpoints with requests, most first. */
	readonly by_endpoint: readonly { readonly endpoint: Endpoint; readonly requests: number }[];
}

export interface UsageReader {
	/** Usage of the key `keyId` over the last `days` days (1..90). Cost: a point read a day. */
	usage(keyId: string, days: number, nowMs: number): Usage;
	/** Resolves once usage of the key includes what other hosts counted; null: it does, as always on one host. */
	behind?(keyId: string): Promise<void> | null;
}
