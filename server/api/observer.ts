/** Observers of responses: metrics and the access log. They receive no key and no row. */

import type { Status } from "../http/transport.js";
import type { LimitCode } from "../limits/limits.js";
import type { TraceContext } from "./responses/trace-context.js";

export interface Answered {
	/** Path template or path of what served it; `other`: no such path. */
	readonly endpoint: string;
	readonly method: string;
	readonly status: Status;
	/** From the head being read to the answer being handed to the transport, in milliseconds. */
	readonly ms: number;
	/** Of the body, as sent. */
	readonly bytes: number;
	readonly requestId: string;
	/** The trace that the client named; null: none. */
	readonly trace: TraceContext | null;
}

export interface Observer {
	answered(answered: Answered): void;
	/** The work behind an answer: `ms` in the engine and the renderer, for `rows` rows. */
	worked(ms: number, rows: number): void;
	/** A request was refused by a limit. */
	limited(code: LimitCode): void;
}

/** One observer that forwards to all of `observers`; null for none. */
export function allOf(observers: readonly Observer[]): Observer | null {
	if (observers.length <= 1) return observers[0] ?? null;
	return {
		answered(answered) {
			for (const observer of observers) observer.answered(answered);
		},
		worked(ms, rows) {
			for (const observer of observers) observer.worked(ms, rows);
		},
		limited(code) {
			for (const observer of observers) observer.limited(code);
		},
	};
}
