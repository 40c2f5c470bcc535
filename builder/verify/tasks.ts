/** Verification as tasks for the builder's worker threads. */

import { SnapshotFiles } from "../../formats/index.js";
import { type DerivedPart, verifyDerived } from "./verify-derived.js";
import { type VerifyPart, verifyPart } from "./verify-snapshot.js";

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

/** What each kind of task does. */
export const VERIFY_TASK_HANDLERS = {
	"verify-part": ({ folder, part }: VerifyTasks["verify-part"]["input"]): null => {
		verifyPart(SnapshotFiles.open(folder), part);
		return null;
	},
	"verify-derived": async (part: DerivedPart): Promise<null> => {
		await verifyDerived(part);
		return null;
	},
};
