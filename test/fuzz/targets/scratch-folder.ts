/** Folder for files that fuzzers write thousands of times a minute. */

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { MEMORY_FOLDER } from "../../memory-folder.js";

export function scratchFolder(): string {
	return mkdtempSync(join(MEMORY_FOLDER, "rollcall-fuzz-"));
}
