/** Steps of a simulated run as plain data, and the mistakes that can be planted in it. */

import type { Exchange } from "../../server/shared-state/lease-exchange.js";

/** Mistakes that the simulation must find. */
export type Planted =
	| "none"
	| "lease not returned"
	| "lease renewed whole"
	| "batch counted twice"
	| "old index taken"
	| "leases end with the connection"
	| "sent before the heartbeat"
	| "no claims after a loss"
	| "behind without saying so"
	| "live without being here"
	| "live by the machine's clock"
	| "index not kept"
	| "ready by an old index"
	| "ready before its threads";

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
		/** The host has no connection to the shared store, or an object store, for a while. */
		| "cut"
		/** All that the host sends to the shared store and gets from it is lost for a while. */
		| "silence"
		/** The shared store restarts without data. */
		| "empty"
		/** A replica gets all data. */
		| "replicate"
		/** The replica takes over. */
		| "fail over"
		/** The index announces a month, or another version of the newest one. */
		| "publish"
		| "read index"
		| "read old index"
		/** The host downloads a month that it lacks. */
		| "pull"
		/** A thread of the host opens the published months. */
		| "reload";
	readonly host: number;
	readonly key: number;
	readonly amount: number;
}

/** The values of an exchange, as if nothing was left of the leases: the sixth of eight for each window, after four. */
export function withoutRest(values: Exchange["values"]): Exchange["values"] {
	return values.map((value, i) => (i >= 4 && (i - 4) % 8 === 5 ? 0 : value));
}
