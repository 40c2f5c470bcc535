/** Moving snapshots that are out of service to `retired/`. */

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RETIRED_FOLDER } from "./data-folder.js";
import { syncPath } from "./durable.js";

/**
 * Moves snapshot folders of `month` to `retired/`, replacing a month retired before; of several, the last is
 * kept. Durable on return.
 */
export function moveToRetired(dataFolder: string, month: string, folders: readonly string[]): void {
	const retired = join(dataFolder, RETIRED_FOLDER);
	mkdirSync(retired, { recursive: true });
	for (const folder of folders) {
		rmSync(join(retired, month), { recursive: true, force: true });
		renameSync(folder, join(retired, month));
	}
	syncPath(retired);
}
