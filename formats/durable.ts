/** Making files and folders last: what is synced survives the machine's stop. */

import { closeSync, fsyncSync, openSync } from "node:fs";

/** Flushes a file's bytes, or a folder's creations, renames and removals, to storage. */
export function syncPath(path: string): void {
	const descriptor = openSync(path, "r");
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
