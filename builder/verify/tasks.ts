/** Verification as tasks for the builder's worker threads. */

import { SnapshotFiles } from "../../formats/index.js";
import type { DerivedPart } from "./verify-derived.js";
import type { VerifyPart } from "./verify-snapshot.js";

/** Tasks by kind, with their input and output. */
export interface VerifyTasks {
	"verify-part": {
		input: { readonly folder: string; readonly part: VerifyPart };
		output: null;
	};
	"verify-derived": {
		input: DerivedPart;
		output: null;
	};
}

/** What each kind of task does. Its code is loaded with the first: builds do not need it. */
export const VERIFY_TASK_HANDLERS = {
	"verify-part": async ({ folder, part }: VerifyTasks["verify-part"]["input"]): Promise<null> => {
		const { verifyPart } = await import("./verify-snapshot.js");
		verifyPart(SnapshotFiles.open(folder), part);
		return null;
	},
	"verify-derived": async (part: DerivedPart): Promise<null> => {
		const { verifyDerived } = await import("./verify-derived.js");
		await verifyDerived(part);
		return null;
	},
};
