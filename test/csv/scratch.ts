/** A folder for a test file's drops, removed when its tests are done. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

export interface Scratch {
	readonly folder: string;
	/** Path of the reject file. */
	readonly rejectFile: string;
	/** Writes a file of the folder; returns its path. */
	write(name: string, content: string | Uint8Array): string;
}

export function makeScratch(): Scratch {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-csv-"));
	after(() => rmSync(folder, { recursive: true }));
	return {
		folder,
		rejectFile: join(folder, "rejects.csv"),
		write(name, content) {
			const path = join(folder, name);
			writeFileSync(path, content);
			return path;
		},
	};
}
