/** The messages between the process and its scrubbing thread. */

import type { QuarantinedMonth } from "../../engine/library.js";

export interface ScrubbingData {
	readonly dataFolder: string;
	/** Read rate; 0: only file sizes, times and headers are checked. */
	readonly bytesPerSecond: number;
}

/** Sent whenever it changes. */
export interface ScrubReport {
	/** Months that must not be served, with the reason. */
	readonly quarantined: readonly QuarantinedMonth[];
	/** Months whose every byte matches its checksum. */
	readonly sound: readonly string[];
}
