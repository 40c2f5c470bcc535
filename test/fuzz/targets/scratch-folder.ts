/**
 * Folder for files that fuzzers write thousands of times a minute: in memory, where the system has such
 * a folder.
 */

import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";

export function scratchFolder(): string {
	return mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), "rollcall-fuzz-"));
}
