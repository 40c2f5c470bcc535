/** Messages between the main thread and the threads that serve. */

import type { QuarantinedMonth } from "../../engine/library.js";
import type { LeaseAnswer, LeaseAsk, UsageAnswer, UsageAsk } from "../limits/lease-line.js";
import type { Config } from "../settings/config.js";
import type { FileLine } from "./shared-files.js";

/** What a thread serves. */
export interface ThreadData {
	/** With the transport and the port resolved. */
	readonly config: Config;
	/** Counters of the limits, shared by all threads. */
	readonly counters: SharedArrayBuffer;
	/** Leases of limits that hosts share; null: this host alone has the keys. */
	readonly leases: SharedArrayBuffer | null;
	/** Counters of all threads for metrics; null: there is no admin port. */
	readonly metrics: SharedArrayBuffer | null;
	/** Which published months the threads have opened. */
	readonly publications: SharedArrayBuffer;
	/** Number of this thread, from 0; a replacement takes the number of the thread it replaces. */
	readonly slot: number;
	/** Months that must not be served. */
	readonly quarantined: readonly QuarantinedMonth[];
	/** Through which files are read; null: this machine maps them. */
	readonly files: FileLine | null;
	/** The uWebSockets.js binary to load; null: the thread looks for one itself if it needs it. */
	readonly uwsBinary: string | null;
}

/** From the main thread, the first: serve. */
export interface ServeMessage {
	readonly kind: "serve";
	readonly data: ThreadData;
}

/** From the main thread. */
export interface CloseMessage {
	readonly kind: "close";
	readonly graceMs: number;
}

/** From the main thread: these months, and no others, must not be served. */
export interface QuarantineMessage {
	readonly kind: "quarantine";
	readonly quarantined: readonly QuarantinedMonth[];
}

/** What the main thread sends a thread that serves. */
export type MainMessage = CloseMessage | QuarantineMessage | LeaseAnswer | UsageAnswer;

/** To the main thread. */
export type ThreadMessage =
	| LeaseAsk
	| UsageAsk
	| { readonly kind: "listening"; readonly port: number }
	| { readonly kind: "refused"; readonly reason: string };
