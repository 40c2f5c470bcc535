/** Reads the JSON files that operators write: maps, groups and rules. */

import { readFileSync } from "node:fs";
import { quoted } from "../../formats/parameters/nearest.js";
import { repeatedName } from "../../formats/parameters/repeated-name.js";
import { BuildError, type BuildErrorCode, systemErrorText } from "../errors.js";
import { markedEncoding } from "./byte-order-mark.js";

/**
 * The value in a JSON file in UTF-8, or in UTF-16 with a byte-order mark, as programs of Windows save it. Throws {@link
 * BuildError} `missing_file`, `unreadable_file`, or `code` for a file that is not JSON or has a name twice in one object.
 */
export function readJsonFile(path: string, code: BuildErrorCode): unknown {
	let bytes: Buffer;
	try {
		bytes = readFileSync(path);
	} catch (error) {
		const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
		throw new BuildError(missing ? "missing_file" : "unreadable_file", systemErrorText(error), {
			file: path,
		});
	}
	const text = textOf(bytes);
	if (text === null)
		throw new BuildError(code, "not UTF-8, which JSON must be: save it as UTF-8", { file: path });
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch (error) {
		throw new BuildError(code, `not JSON: ${(error as Error).message}`, { file: path });
	}
	const repeated = repeatedName(text);
	if (repeated !== undefined) {
		const rule = `${quoted(repeated)} is twice in the same object; only one of them can apply`;
		throw new BuildError(code, rule, { file: path });
	}
	return json;
}

/** The text without its byte-order mark, which determines the encoding; null if it has bytes of another encoding. */
function textOf(bytes: Buffer): string | null {
	try {
		return new TextDecoder(markedEncoding(bytes) ?? "utf-8", { fatal: true }).decode(bytes);
	} catch {
		return null;
	}
}
