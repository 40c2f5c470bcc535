/** The folder for files that are written and synced thousands of times: in memory, where the system has such a one. */

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Linux's file system in memory. */
export const SYSTEM_MEMORY_FOLDER = "/dev/shm";
/** Variable that names the folder in it of a run of the tests, which the run removes. */
export const MEMORY_VARIABLE = "MEMORY_FOLDER_FOR_ROLLCALL_TESTS";

export const MEMORY_FOLDER =
	process.env[MEMORY_VARIABLE] ?? (existsSync(SYSTEM_MEMORY_FOLDER) ? SYSTEM_MEMORY_FOLDER : tmpdir());
