/** Which columns a header's names fill, and the error where a required one is missing, with what probably mends it. */

import { type ColumnName, findColumn, REQUIRED_COLUMNS } from "../../formats/columns.js";
import { resoColumn } from "../../formats/reso.js";
import { BuildError } from "../errors.js";
import { isFixedWidth, likelyDelimiter, likelyName, visibleName } from "./likely-names.js";
import type { SourceMap } from "./map-file.js";

/** Header names listed in an error. */
const NAMES_LISTED_MAX = 30;
/** Characters shown of each. */
const NAME_SHOWN_MAX = 60;

export interface HeaderPlace {
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
	place: HeaderPlace,
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
		.map((name) => visibleName(JSON.stringify(name)));
	if (names.length > NAMES_LISTED_MAX) listed.push(`and ${names.length - NAMES_LISTED_MAX} more`);
	const delimiter = likelyDelimiter(
		names,
		map.delimiter,
		(name) => findColumn(name) !== undefined || mappedColumns(name, [], map) !== undefined,
	);
	const likely = likelyName(
		expected.length === 0 ? missing : expected[0].slice(1, -1),
		names.filter((_, field) => ![...filledBy.values()].includes(field)),
	);
	const guess =
		delimiter !== null
			? `; the delimiter is probably ${JSON.stringify(delimiter)}: set "delimiter" in a --map file`
			: likely !== null
				? `; ${visibleName(JSON.stringify(likely))} is probably it: map it in "columns" of a --map file`
				: isFixedWidth(names)
					? "; its columns are probably of fixed width, which is not read: convert it to CSV"
					: "";
	const found = `the header has ${listed.join(", ")}${guess}`;
	if (filledBy.size === 0) {
		const hint =
			'map its names in "columns" of a --map file or, if the file has no header line, list them as "header"';
		const message = `required column ${missing}${wanted} is missing and no name of the first line is known: ${found}; ${hint}`;
		throw new BuildError("no_header", message, place);
	}
	const others = names.includes(missing) ? map.columns.get(missing) : undefined;
	const use = others?.length === 0 ? `skips "${missing}"` : `maps "${missing}" to ${others?.join(" and ")}`;
	const elsewhere = others === undefined ? "" : `; ${map.path} ${use}`;
	const isConstant = missing === "state" && guess === "";
	const hint = isConstant ? '; if all rows are of one state, set it in "constants" of a --map file' : "";
	const message = `required column ${missing}${wanted} is missing: ${found}${elsewhere}${hint}`;
	throw new BuildError("missing_column", message, place);
}
