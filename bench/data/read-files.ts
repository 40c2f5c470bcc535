/** Reads files once, first to last, so that they are in the page cache before anything over them is timed. */

import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

const CHUNK_BYTES = 4 << 20;

/** The files below `folder`. */
export function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

/** Reads each file, or the files below each folder. */
export function readFiles(paths: readonly string[]): void {
	const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
	for (const path of paths.flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))) {
		const descriptor = openSync(path, "r");
		while (readSync(descriptor, chunk, 0, CHUNK_BYTES, null) > 0);
		closeSync(descriptor);
	}
}
