/** Verification of a whole snapshot in this thread; `builder verify` runs the same parts in workers. */

import {
	type VerifyReport,
	verifyChecksums,
	verifyPart,
	verifyParts,
} from "../../builder/verify/verify-snapshot.js";
import type { SnapshotFiles } from "../../formats/index.js";

export function verifySnapshot(files: SnapshotFiles): VerifyReport {
	const report = verifyChecksums(files);
	for (const part of verifyParts(files)) verifyPart(files, part);
	return report;
}
