/** Moving snapshots that are out of service to `retired/`. */

import { renameSync } from "node:fs";
import { join } from "node:path";
import { RETIRED_FOLDER } from "./data-folder.js";
import { makeFolder, removeFolder, syncPath } from "./durable.js";

/**
 * Moves snapshot folders of `month` to `retired/`, replacing a month retired before; of several, the last is
 * kept. Durable on return.
 */
export function moveToRetired(dataFolder: string, month: string, folders: readonly string[]): void {
	const retired = join(dataFolder, RETIRED_FOLDER);
	makeFolder(retired);
	for (const folder of folders) {
		removeFolder(join(retired, month));
		renameSync(folder, join(retired, month));
	}
	syncPath(retired);
}
