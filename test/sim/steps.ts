/** Steps of a simulated run as plain data, and the mistakes that can be planted in it. */

import type { Exchange } from "../../server/shared-state/lease-exchange.js";

/** Mistakes that the simulation must find. */
export type Planted =
	| "none"
	| "lease not returned"
	| "lease renewed whole"
	| "batch counted twice"
	| "old index taken";

/** One step, as plain numbers, so that a run can be shortened by leaving steps out. */
export interface Step {
	readonly kind:
		| "request"
		| "deliver"
		| "lose"
		| "repeat"
		| "time"
		| "sweep"
		| "send"
		| "kill"
		| "jump"
		| "publish"
		| "read index"
		| "read old index";
	readonly host: number;
	readonly key: number;
	readonly amount: number;
}

/** The values of an exchange, as if nothing was left of the leases: the sixth of eight for each window, after four. */
export function withoutRest(values: Exchange["values"]): Exchange["values"] {
	return values.map((value, i) => (i >= 4 && (i - 4) % 8 === 5 ? 0 : value));
}
