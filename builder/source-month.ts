/** The month that files' names tell. */

import { basename } from "node:path";
import { BuildError } from "./errors.js";

/** The month that the files' names agree on. Throws {@link BuildError} `bad_month`. */
export function monthOfFiles(files: readonly string[]): string {
	const months = new Set<string>();
	for (const file of files) {
		const match = /\d{4}-(?:0[1-9]|1[0-2])(?!\d)/.exec(basename(file));
		if (match !== null) months.add(match[0]);
	}
	if (months.size === 1) return [...months][0];
	const found =
		months.size === 0 ? "no file's name has one" : `the files' names say ${[...months].join(" and ")}`;
	throw new BuildError("bad_month", `--month YYYY-MM is needed: ${found}`);
}
