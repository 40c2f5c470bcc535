/** What is added to the error of a source that cannot be read: a known peculiarity of it that may be the cause. */

import { quoted } from "../../formats/parameters/nearest.js";
import { BuildError } from "../errors.js";
import type { ByteReader } from "../input/byte-reader.js";
import type { SourceFile } from "../input/source-files.js";

/** Sheets of a workbook named in an error. */
const SHEETS_NAMED_MAX = 20;

/** Adds `notes` to an error of a source's header, and what to do if an entry of an archive is no drop. */
export async function noteSource<T>(
	{ inside }: SourceFile,
	notes: () => readonly string[],
	plan: () => Promise<T>,
): Promise<T> {
	try {
		return await plan();
	} catch (error) {
		if (!(error instanceof BuildError)) throw error;
		const isNoDrop = inside !== null && error.code === "no_header";
		const entry = isNoDrop
			? [`if "${inside.entry}" is no roster, skip it by a map with "match" and "skip": true`]
			: [];
		const added = [...notes(), ...entry];
		throw added.length === 0 ? error : new BuildError(error.code, [error.text, ...added].join("; "), error);
	}
}

/** That no map applies. */
export function unmatchedNote(isUnmatched: boolean): string[] {
	return isUnmatched ? [`no map applies: the file's name fits no "match" of those given`] : [];
}

/** That a workbook has other sheets, one of which may be the roster: the first may be a cover. */
export function sheetNote(bytes: ByteReader): string[] {
	const others = (bytes.oddities?.() ?? []).filter(({ kind }) => kind === "unread_sheet");
	if (others.length === 0) return [];
	const names = others.slice(0, SHEETS_NAMED_MAX).map(({ column }) => quoted(String(column)));
	if (others.length > names.length) names.push(`and ${others.length - names.length} more`);
	return [`the workbook also has ${names.join(", ")}: "sheet" in a --map file names the sheet to read`];
}
