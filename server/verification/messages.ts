/** What the verifying thread is started with, and what it says. */

import type { Fence } from "../../engine/library.js";

export interface VerifyingData {
	readonly dataFolder: string;
	/** Bytes a second; 0: files are looked at and not read. */
	readonly bytesPerSecond: number;
}

/** Sent at every change. */
export interface VerifiedMessage {
	/** Months that must not be served, and why. */
	readonly fences: readonly Fence[];
	/** Months of which every byte was found as it was published. */
	readonly sound: readonly string[];
}
