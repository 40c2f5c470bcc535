/**
 * File descriptors of this process: how many it may have and how many it has open. Connections are
 * refused before the last ones are used, since the database, snapshots and logs need some at any time.
 *
 * Linux only. Elsewhere nothing is known, and only the counts of the transports limit connections.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";

const OPEN_FOLDER = "/proc/self/fd";

/** Share of the descriptors that connections may not use, with its bounds. */
const RESERVE_SHARE = 1 / 8;
const RESERVE_MIN = 128;
const RESERVE_MAX = 4_096;

/** Maximum descriptors of this process; null if unknown. */
export function descriptorLimit(): number | null {
	try {
		const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
		return limit === undefined ? null : Number(limit);
	} catch {
		// Not Linux.
		return null;
	}
}

/** Descriptors kept for files while connections are limited to the rest of `limit`. */
export function reserveOf(limit: number): number {
	return Math.min(RESERVE_MAX, Math.max(RESERVE_MIN, Math.floor(limit * RESERVE_SHARE)), limit >> 1);
}

/**
 * Descriptors open now; null if unknown. Cost: some microseconds on Linux 6.2 and later, where the
 * size of the folder is their number; before, some milliseconds per ten thousand.
 */
export function openDescriptors(): number | null {
	try {
		const { size } = statSync(OPEN_FOLDER);
		return size > 0 ? size : readdirSync(OPEN_FOLDER).length;
	} catch {
		return null;
	}
}
