/** JSON files below the data folder, read and checked by a schema. */

import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { FormatError } from "../errors.js";

/** What is wrong with a document, in one line. */
export function issuesText(error: z.ZodError): string {
	return z.prettifyError(error).replaceAll(/\s*\n\s*/g, " ");
}

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
	if (!parsed.success) throw new FormatError("unreadable", path, issuesText(parsed.error));
	return parsed.data;
}
