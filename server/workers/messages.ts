/** What the main thread and the threads that serve say to each other. */

import type { Fence } from "../../engine/library.js";
import type { Config } from "../config.js";
import type { FileLine } from "./shared-files.js";

/** What a thread is started with. */
export interface ThreadData {
	/** With the transport and the port resolved. */
	readonly config: Config;
	/** Counters of the limits, shared by all threads. */
	readonly counters: SharedArrayBuffer;
	/** Where all threads count what they do; null: nobody asks. */
	readonly metrics: SharedArrayBuffer | null;
	/** Number of this thread, from 0; one that takes a dead one's place takes its number. */
	readonly slot: number;
	/** Months that must not be served. */
	readonly fences: readonly Fence[];
	/** Where files come from; null: this machine maps them. */
	readonly files: FileLine | null;
	/** The uWebSockets.js binary to load; null: the thread looks for one itself if it needs it. */
	readonly uwsBinary: string | null;
}

/** From the main thread. */
export interface CloseMessage {
	readonly kind: "close";
	readonly graceMs: number;
}

/** From the main thread: these months, and no others, must not be served. */
export interface FenceMessage {
	readonly kind: "fence";
	readonly fences: readonly Fence[];
}

/** To the main thread. */
export type ThreadMessage =
	| { readonly kind: "listening"; readonly port: number }
	| { readonly kind: "refused"; readonly message: string };
