/** The error of a failed verification. */

import type { Column, SnapshotFiles } from "../../formats/index.js";
import { BuildError } from "../errors.js";

/** Throws {@link BuildError} `corrupt_snapshot`, naming the snapshot and the column. */
export function fail(files: SnapshotFiles, column: Column | null, what: string): never {
	throw new BuildError("corrupt_snapshot", what, { file: files.folder, column: column?.name ?? null });
}
