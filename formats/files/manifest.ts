/**
 * The manifest of a month: the record of its publication. It is stored beside the snapshot, so that the
 * snapshot's bytes depend on its CSV alone.
 */

import { z } from "zod";
import { manifestFile } from "./data-folder.js";
import { readJsonDocument } from "./json-document.js";

export const manifestSchema = z.strictObject({
	month: z.string(),
	rows: z.number().int(),
	/** ISO 8601 instant of the publication. */
	built_at: z.string(),
	/** Operating-system user who published. */
	built_by: z.string(),
	sources: z.array(
		z.strictObject({ file: z.string(), bytes: z.number(), rows: z.number(), rejects: z.number() }),
	),
	rejects: z.number().int(),
	/** Failed gates that the operator accepted, with their findings. */
	accepted: z.array(z.strictObject({ gate: z.string(), finding: z.string() })),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** The manifest of `month`, or null. Throws FormatError `unreadable` for an invalid one. */
export function readManifest(dataFolder: string, month: string): Manifest | null {
	return readJsonDocument(manifestFile(dataFolder, month), manifestSchema);
}
