/** The digest by which manifests, changes and hosts name a revision of a month. */

import { FormatError } from "../errors.js";
import { hex } from "../layout.js";
import { SnapshotFiles } from "./snapshot.js";

/** The digest of the snapshot in `folder`; null if it cannot be opened. Throws system errors. */
export function snapshotDigest(folder: string): string | null {
	try {
		return hex(SnapshotFiles.open(folder).crc);
	} catch (error) {
		if (error instanceof FormatError) return null;
		throw error;
	}
}
