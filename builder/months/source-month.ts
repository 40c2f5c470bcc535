/** Determines the month from files' names. */

import { statSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import type { Oddity } from "../csv/parsed-month.js";
import { BuildError } from "../errors.js";
import { mapForFile, readMapFiles } from "../input/map-file.js";
import { listSourceFiles, STANDARD_INPUT } from "../input/source-files.js";
import { dropPaths } from "../input/zip-reader.js";
import { FLAG_NAMES } from "../setting-names.js";

/** A month that is not the end of a longer number, nor the begin of one. */
const MONTH_IN_NAME = /(?<!\d)\d{4}-(?:0[1-9]|1[0-2])(?!\d)/g;
/** Maximum names listed in a finding. */
const NAMES_LISTED_MAX = 5;

/**
 * Which names of `files` have months, none of which is `month`: names of files and folders as given, and of the
 * files in these folders and in archives, without those that `oddities` say were skipped.
 * Null if there are none. Throws {@link BuildError}.
 */
export async function otherMonths(
	files: readonly string[],
	month: string,
	oddities: readonly Oddity[],
): Promise<string | null> {
	const skipped = new Set(oddities.filter(({ kind }) => kind === "skipped_file").map(({ file }) => file));
	const read = (await namedPaths(files)).filter((path) => !skipped.has(path));
	const named = read.flatMap((path) => {
		const months = monthsIn(path);
		return months.length === 0 || months.includes(month) ? [] : [`${path} names ${months.join(" and ")}`];
	});
	if (named.length === 0) return null;
	const listed = named.slice(0, NAMES_LISTED_MAX);
	if (named.length > listed.length) listed.push(`and ${named.length - listed.length} more`);
	return listed.join(", ");
}

/**
 * The month that the names of the files that are read agree on; of a folder whose name has none, those of the files in it.
 * `mapFiles`: paths of the map files, which may skip some. An error names the setting of the month as the last parameter does.
 * Throws {@link BuildError} `bad_month`, or like {@link listSourceFiles} and {@link readMapFiles}.
 */
export function monthOfFiles(
	files: readonly string[],
	mapFiles: readonly string[],
	{ month: needed } = FLAG_NAMES,
): string {
	const maps = readMapFiles(mapFiles.filter(canBeReadTwice));
	const months = new Set<string>();
	const add = (path: string) => {
		const named = monthsIn(path);
		if (named.length > 1) throw monthNeeded(needed, `the name has ${named.join(" and ")}`, path);
		for (const month of named) months.add(month);
	};
	for (const file of files) {
		const read = listSourceFiles([file]).files.filter(({ path }) => !mapForFile(maps, path).skip);
		const isNamed = monthsIn(file).length > 0 && read.length > 0;
		for (const path of isNamed ? [file] : read.map(({ path }) => path)) add(path);
	}
	if (months.size === 1) return [...months][0];
	throw monthNeeded(
		needed,
		months.size === 0 ? "no file's name has one" : `the files' names say ${[...months].join(" and ")}`,
	);
}

/** Whether a map file is not a pipe, which the parse of the month needs unread. */
function canBeReadTwice(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isFIFO() !== true;
}

function monthNeeded(needed: string, why: string, file: string | null = null): BuildError {
	return new BuildError("bad_month", `${needed} is needed: ${why}`, { file });
}

/** The different months in the last part of a path. */
function monthsIn(path: string): string[] {
	return [...new Set([...basename(path).matchAll(MONTH_IN_NAME)].map(([text]) => text))];
}

/** The paths given and those of everything below them that is read, each once. */
async function namedPaths(files: readonly string[]): Promise<string[]> {
	const paths = new Set<string>();
	for (const given of files) {
		paths.add(given);
		if (given === STANDARD_INPUT) continue;
		const sources = listSourceFiles([given]).files;
		const below = [...sources.map(({ path }) => path), ...(await dropPaths(sources))];
		for (const path of below) for (const part of partsBelow(given, path)) paths.add(part);
	}
	return [...paths];
}

/** `path` and the folders or archives it is in, up to `given`, outermost first. */
function partsBelow(given: string, path: string): string[] {
	if (relative(given, path) === "") return [];
	return [...partsBelow(given, dirname(path)), path];
}
