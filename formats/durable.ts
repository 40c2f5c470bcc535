/** Durability: what has been synced survives a crash of the machine. */

import { closeSync, fsyncSync, openSync } from "node:fs";

/** Flushes a file's contents, or a folder's entries, to storage. */
export function syncPath(path: string): void {
	const descriptor = openSync(path, "r");
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
