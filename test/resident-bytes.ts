/** How much of a mapped file this process has in its page tables, by Linux's /proc. */

import { readFileSync } from "node:fs";

/** Resident bytes of all mappings of the file at `path` in this process. */
export function residentBytes(path: string): number {
	let bytes = 0;
	let isOfPath = false;
	for (const line of readFileSync("/proc/self/smaps", "utf8").split("\n")) {
		if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isOfPath = line.endsWith(` ${path}`);
		const kilobytes = isOfPath ? /^Rss: +(\d+) kB$/.exec(line)?.[1] : undefined;
		if (kilobytes !== undefined) bytes += Number(kilobytes) * 1_024;
	}
	return bytes;
}
