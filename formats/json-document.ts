/** JSON files below the data folder, read and checked by a schema. */

import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { FormatError } from "./errors.js";

/** The document in the file at `path`; null if there is no such file. Throws {@link FormatError} `unreadable` for an invalid one. */
export function readJsonDocument<T>(path: string, schema: z.ZodType<T>): T | null {
	if (!existsSync(path)) return null;
	let document: unknown;
	try {
		document = JSON.parse(readFileSync(path, "utf8"));
	} catch (error) {
		throw new FormatError("unreadable", path, (error as Error).message);
	}
	const parsed = schema.safeParse(document);
	if (!parsed.success)
		throw new FormatError("unreadable", path, z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, " "));
	return parsed.data;
}
