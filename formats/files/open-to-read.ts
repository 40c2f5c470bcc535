/** Opening the files of a snapshot. */

import { openSync } from "node:fs";
import { FormatError } from "../errors.js";

/** A descriptor of the file at `path`, open to read; the caller closes it. Throws {@link FormatError} `unreadable`. */
export function openToRead(path: string): number {
	try {
		return openSync(path, "r");
	} catch (error) {
		throw new FormatError("unreadable", path, (error as Error).message);
	}
}
