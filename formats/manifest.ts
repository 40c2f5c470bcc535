/**
 * The manifest of a month: the record of its publication. It is stored beside the snapshot, so that the
 * snapshot's bytes depend on its CSV alone.
 */

import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { manifestFile } from "./data-folder.js";
import { FormatError } from "./errors.js";

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

/** The manifest of `month`, or null. Throws {@link FormatError} for an invalid one. */
export function readManifest(dataFolder: string, month: string): Manifest | null {
	const path = manifestFile(dataFolder, month);
	if (!existsSync(path)) return null;
	let document: unknown;
	try {
		document = JSON.parse(readFileSync(path, "utf8"));
	} catch (error) {
		throw new FormatError("unreadable", path, (error as Error).message);
	}
	const parsed = manifestSchema.safeParse(document);
	if (!parsed.success) throw new FormatError("unreadable", path, z.prettifyError(parsed.error));
	return parsed.data;
}
