/** Determines the month from files' names. */

import { basename } from "node:path";
import { BuildError } from "./errors.js";

const MONTH_IN_NAME = /\d{4}-(?:0[1-9]|1[0-2])(?!\d)/g;

/** Months in the files' names other than `month`, each with the file that names it. */
export function otherMonths(files: readonly string[], month: string): { file: string; month: string }[] {
	return files.flatMap((file) => {
		const named = [...basename(file).matchAll(MONTH_IN_NAME)].map(([text]) => text);
		return named.length === 0 || named.includes(month) ? [] : [{ file, month: named[0] }];
	});
}

/** The month that the files' names agree on. Throws {@link BuildError} `bad_month`. */
export function monthOfFiles(files: readonly string[]): string {
	const months = new Set<string>();
	for (const file of files) {
		const [match] = basename(file).matchAll(MONTH_IN_NAME);
		if (match !== undefined) months.add(match[0]);
	}
	if (months.size === 1) return [...months][0];
	const found =
		months.size === 0 ? "no file's name has one" : `the files' names say ${[...months].join(" and ")}`;
	throw new BuildError("bad_month", `--month YYYY-MM is needed: ${found}`);
}
