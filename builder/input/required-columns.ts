/** Which columns a header's names fill, and the error where a required one is missing, with what probably mends it. */

import {
	type ColumnName,
	findColumn,
	INPUT_COLUMNS,
	REQUIRED_COLUMNS,
} from "../../formats/domain/columns.js";
import { resoColumn } from "../../formats/domain/reso.js";
import { BuildError } from "../errors.js";
import { isFixedWidth, likelyDelimiter, likelyName, visibleName } from "./likely-names.js";
import type { SourceMap } from "./map-file.js";

/** Header names listed in an error. */
const NAMES_LISTED_MAX = 30;
/** Characters shown of each. */
const NAME_SHOWN_MAX = 60;

export interface HeaderLocation {
	readonly file: string;
	/** Line of the header; null where the map lists the names. */
	readonly line: number | null;
}

/** The columns that a header's name fills by the map or its profile; undefined where neither knows it. */
export function mappedColumns(
	name: string,
	names: readonly string[],
	map: SourceMap,
): readonly ColumnName[] | undefined {
	const mapped = map.columns.get(name);
	if (mapped !== undefined || map.profile === null) return mapped;
	const column = resoColumn(name, names);
	return column === undefined ? undefined : [column];
}

/** Throws {@link BuildError} `missing_column` for a required column, or `no_header` where no name is known. */
export function requireColumns(
	filledBy: ReadonlyMap<ColumnName, number>,
	map: SourceMap,
	names: readonly string[],
	place: HeaderLocation,
): void {
	const missing = REQUIRED_COLUMNS.find((name) => !filledBy.has(name) && map.constants[name] === undefined);
	if (missing === undefined) return;
	const expected = [...map.columns]
		.filter(([, columns]) => columns.includes(missing))
		.map(([name]) => `"${name}"`);
	const wanted = expected.length === 0 ? "" : ` (${expected.join(" or ")} by ${map.path})`;
	const listed = names
		.slice(0, NAMES_LISTED_MAX)
		.map((name) => (name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name))
		.map(shown);
	if (names.length > NAMES_LISTED_MAX) listed.push(`and ${names.length - NAMES_LISTED_MAX} more`);
	const wants = expected.length === 0 ? [missing] : [expected[0].slice(1, -1), missing];
	const { text, settles } = likelyMend(wants, filledBy, map, names);
	const others = names.includes(missing) ? map.columns.get(missing) : undefined;
	const use = others?.length === 0 ? `skips "${missing}"` : `maps "${missing}" to ${others?.join(" and ")}`;
	const elsewhere = others === undefined ? "" : `; ${map.path} ${use}`;
	const isUnknown = filledBy.size === 0;
	const columns =
		text !== "" || (missing === "state" && !isUnknown) || elsewhere !== ""
			? ""
			: `; map its names in "columns" of a --map file${isUnknown ? NO_HEADER_LINE : ""}`;
	const constant = missing === "state" && !settles ? ONE_STATE : "";
	const rule = `required column ${missing}${wanted} is missing${isUnknown ? " and no name of the first line is known" : ""}`;
	const message = `${rule}: the header has ${listed.join(", ")}${text}${elsewhere}${columns}${constant}`;
	throw new BuildError(isUnknown ? "no_header" : "missing_column", message, place);
}

const NO_HEADER_LINE = ' or, if the file has no header line, list them as "header"';
const ONE_STATE = '; if all rows are of one state, set it in "constants" of a --map file';

const QUOTED_LINE =
	"; the line is in quotes as a whole, as others may be: have the source put its fields in quotes, not its lines";

/** What is probably wrong with a header, and what mends it; the text is empty if nothing is likely. */
interface LikelyMend {
	readonly text: string;
	/** Whether the missing column is found by it. */
	readonly settles: boolean;
}

/** The likely mend of a header that lacks a column, whose names are `wants`, the likeliest first. */
function likelyMend(
	wants: readonly string[],
	filledBy: ReadonlyMap<ColumnName, number>,
	map: SourceMap,
	names: readonly string[],
): LikelyMend {
	const knows = (name: string) =>
		findColumn(name) !== undefined || mappedColumns(name, [], map) !== undefined;
	// Of a line in quotes, the only name has the delimiter.
	if (names.length === 1 && names[0].includes(map.delimiter)) return { text: QUOTED_LINE, settles: true };
	const delimiter = likelyDelimiter(names, map.delimiter, knows);
	if (delimiter !== null) {
		const text = `; the delimiter is probably ${JSON.stringify(delimiter)}: set "delimiter" in a --map file`;
		return { text, settles: true };
	}
	const fields = [...filledBy.values()];
	const free = names.filter((_, field) => !fields.includes(field));
	const likely = wants.map((name) => likelyName(name, free)).find((name) => name !== null);
	const pairs = filledBy.size === 0 && map.columns.size === 0 ? likelyColumns(names) : [];
	if (pairs.length > (likely === undefined ? 0 : 1)) {
		const texts = pairs.map(([name, column]) => `${shown(name)} is probably ${column}`);
		const text = `; ${texts.join(", ")}: map ${pairs.length === 1 ? "it" : "them"} in "columns" of a --map file`;
		return { text, settles: likely !== undefined };
	}
	if (likely !== undefined) {
		const text = `; ${shown(likely)} is probably it: map it in "columns" of a --map file`;
		return { text, settles: true };
	}
	return isFixedWidth(names)
		? {
				text: "; its columns are probably of fixed width, which is not read: convert it to CSV",
				settles: true,
			}
		: { text: "", settles: false };
}

function shown(name: string): string {
	return visibleName(JSON.stringify(name));
}

/** The names that are probably our columns, with these; of several that are one, the first. */
function likelyColumns(names: readonly string[]): [name: string, column: string][] {
	const left = new Set<string>(INPUT_COLUMNS.map(({ name }) => name));
	return names.slice(0, NAMES_LISTED_MAX).flatMap((name): [string, string][] => {
		const column = likelyName(name, [...left]);
		if (column === null) return [];
		left.delete(column);
		return [[name, column]];
	});
}
