/**
 * Map files: an operator's description of a source's columns, dates, nulls and encoding.
 *
 * A map file is JSON, either one map or `{"files": [map, …]}`. The first map, over all map files in the given
 * order, whose `match` matches the file's base name applies to it; one without `match` matches all.
 */

import { basename } from "node:path";
import { z } from "zod";
import { type Column, type ColumnName, INPUT_COLUMNS } from "../../formats/domain/columns.js";
import { isIsoDate } from "../../formats/domain/dates.js";
import { findJurisdiction } from "../../formats/domain/jurisdictions.js";
import { stateCodeOf } from "../../formats/domain/state-names.js";
import { quoted } from "../../formats/parameters/nearest.js";
import { BuildError } from "../errors.js";
import { CELL_BYTES_MAX } from "./cell-bytes.js";
import { countryCodeOf } from "./country-names.js";
import { compileDateFormats } from "./date-format.js";
import { comparedName } from "./header-name.js";
import { readJsonFile } from "./json-file.js";
import { issueText } from "./json-issues.js";
import { INPUT_NAMES, MAP_SETTINGS, mapSchema, splitSchema, unknownName } from "./map-schema.js";
import { type PatternSegment, parseSplitPattern } from "./split-pattern.js";

const mapListSchema = z.strictObject({ files: z.array(mapSchema).min(1) });

type MapDocument = z.infer<typeof mapSchema>;

/** A cell that is split into several columns. */
export interface SplitRule {
	readonly name: string;
	readonly segments: readonly PatternSegment[];
	readonly into: readonly { readonly part: string; readonly column: ColumnName }[];
}

/** Cells that together fill a column. */
export interface CombineRule {
	readonly column: ColumnName;
	/** As {@link comparedName}. */
	readonly names: readonly string[];
	/** Between the cells that are joined; null: the first that is not empty is taken. */
	readonly separator: string | null;
}

/** Settings that are checked and kept in another form. */
type Reformed = "dateFormat" | "dateFormats" | "columns" | "split" | "join" | "coalesce";

/** One validated map; `path` is its map file. */
export interface SourceMap extends Omit<MapDocument, Reformed> {
	readonly path: string | null;
	/** Our columns by their header name, as {@link comparedName}; an empty list skips the column. */
	readonly columns: ReadonlyMap<string, readonly ColumnName[]>;
	readonly split: readonly SplitRule[];
	/** Columns of `join`, then those of `coalesce`. */
	readonly combine: readonly CombineRule[];
	/** Null if the map names none. */
	readonly dateFormats: readonly string[] | null;
}

/** The map of a file that no map matches. */
export const NO_MAP: SourceMap = checkedMap(mapSchema.parse({}), null);

/** Reads map files. Throws {@link BuildError} `missing_file`, `unreadable_file`, `bad_map` or `bad_date_format`. */
export function readMapFiles(paths: readonly string[]): SourceMap[] {
	return paths.flatMap((path) => {
		const json = readJsonFile(path, "bad_map");
		const parsed = isMapList(json) ? mapListSchema.safeParse(json) : mapSchema.safeParse(json);
		if (!parsed.success) throw new BuildError("bad_map", mapIssueText(parsed.error, json), { file: path });
		const documents = "files" in parsed.data ? parsed.data.files : [parsed.data];
		return documents.map((document) => checkedMap(document, path));
	});
}

/**
 * The first map whose `match` matches the base name of `file`, or of the archive it is in; {@link NO_MAP} if
 * there is none.
 */
export function mapForFile(
	maps: readonly SourceMap[],
	file: string,
	archive: string | null = null,
): SourceMap {
	const names = [file, ...(archive === null ? [] : [archive])].map((path) => basename(path));
	const isMatched = (pattern: string) => names.some((name) => fitsPattern(name, pattern));
	return maps.find(({ match }) => match === undefined || isMatched(match)) ?? NO_MAP;
}

/** Whether a map file holds several maps. */
function isMapList(json: unknown): boolean {
	return typeof json === "object" && json !== null && "files" in json;
}

/** For a pair of `columns` with our name before the header's; null for any other setting. */
function turnedRound(path: readonly PropertyKey[], json: unknown): string | null {
	const name = path.at(-1);
	if (path.at(-2) !== "columns" || typeof name !== "string" || !INPUT_NAMES.includes(name)) return null;
	const header = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], json);
	if (typeof header !== "string") return null;
	const pair = `${quoted(header)}: ${quoted(name)}`;
	return `${path.join(".")}: columns has names of the file's header before ours; write ${pair}`;
}

/** The first issue of a failed parse in one line. */
function mapIssueText(error: z.ZodError, json: unknown): string {
	const [issue] = error.issues;
	if (issue.code !== "unrecognized_keys") return turnedRound(issue.path, json) ?? issueText(issue, json);
	const place = issue.path.join(".");
	if (place === "" && isMapList(json))
		return `${quoted(issue.keys[0])} is beside "files"; settings are written in each of its maps`;
	const known = place.includes("split.") ? Object.keys(splitSchema.shape) : MAP_SETTINGS;
	return `${place === "" ? "" : `${place}: `}${unknownName("setting", issue.keys[0], known)}`;
}

/**
 * Whether `name` matches `pattern`, in which `*` matches any characters and `?` one. Both are compared in NFC: names of
 * files made on macOS may have accents as characters of their own. Cost O(pattern × name).
 */
export function fitsPattern(name: string, pattern: string): boolean {
	return isFit(name.normalize("NFC"), pattern.normalize("NFC"));
}

/** As {@link fitsPattern}, in one form: after a mismatch only the last star is extended by one character. */
function isFit(name: string, pattern: string): boolean {
	let star = -1;
	let taken = 0;
	let p = 0;
	for (let n = 0; n < name.length; ) {
		if (pattern[p] === "*") {
			star = p++;
			taken = n;
		} else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
			p++;
			n++;
		} else if (star >= 0) {
			p = star + 1;
			n = ++taken;
		} else {
			return false;
		}
	}
	while (pattern[p] === "*") p++;
	return p === pattern.length;
}

function checkedMap(document: MapDocument, path: string | null): SourceMap {
	const { dateFormat, dateFormats, columns, constants, split, join, coalesce, ...rest } = document;
	const formats = dateFormats ?? (dateFormat === undefined ? null : [dateFormat]);
	compileDateFormats(formats ?? [], path);
	const trimmed = new Map<string, readonly ColumnName[]>();
	for (const [name, ours] of Object.entries(columns)) {
		const compared = comparedName(name);
		if (trimmed.has(compared)) {
			throw new BuildError("bad_map", `"${compared}" is mapped twice`, { file: path });
		}
		trimmed.set(compared, ours);
	}
	for (const column of INPUT_COLUMNS) {
		const value = constants[column.name];
		if (value === undefined) continue;
		checkConstant(column, value, path);
		refuseChangeOfConstant(column.name, document, path);
	}
	checkPattern(rest.skipMatching, path);
	return {
		...rest,
		constants,
		path,
		dateFormats: formats,
		columns: trimmed,
		split: Object.entries(split).map(([name, rule]) => checkedSplit(comparedName(name), rule, path)),
		combine: [
			...Object.entries(join).map(([column, rule]) => combineRule(column, rule.columns, rule.separator)),
			...Object.entries(coalesce).map(([column, names]) => combineRule(column, names, null)),
		],
	};
}

function combineRule(column: string, names: readonly string[], separator: string | null): CombineRule {
	return { column: column as ColumnName, names: names.map(comparedName), separator };
}

function checkedSplit(name: string, rule: z.infer<typeof splitSchema>, path: string | null): SplitRule {
	const segments = parseSplitPattern(rule.pattern, path);
	const parts = segments.flatMap((segment) => segment.parts);
	const into = Object.entries(rule.into).map(([part, column]) => {
		// A suffix is removed from a name whether or not the pattern has it.
		const isSuffix = part === "SUFFIX" && segments.every((segment) => segment.isName);
		if (!isSuffix && !parts.includes(part))
			throw new BuildError("bad_map", `split.${name}.into: ${unknownName("part", part, parts)}`, {
				file: path,
			});
		return { part, column };
	});
	const twice = into.find(({ column }, i) => into.findIndex((other) => other.column === column) < i);
	if (twice !== undefined)
		throw new BuildError("bad_map", `split.${name}.into: two parts fill ${twice.column}`, { file: path });
	if (into.length === 0)
		throw new BuildError("bad_map", `split.${name}.into names no part: ${parts.join(", ")}`, { file: path });
	return { name, segments, into };
}

function checkPattern(pattern: string | null, path: string | null): void {
	if (pattern === null) return;
	try {
		new RegExp(pattern, "u");
	} catch (error) {
		throw new BuildError("bad_map", `skipMatching: ${(error as Error).message}`, { file: path });
	}
}

/** Refuses settings that change cells of a column whose value is a constant, which would have no effect. */
function refuseChangeOfConstant(column: ColumnName, document: MapDocument, path: string | null): void {
	const { values, pad, trimDecimal, trimFormula } = document;
	const settings = {
		values: values[column] !== undefined,
		pad: pad[column] !== undefined,
		trimDecimal: trimDecimal.includes(column),
		trimFormula: trimFormula.includes(column),
	};
	const setting = Object.entries(settings).find(([, isGiven]) => isGiven)?.[0];
	if (setting === undefined) return;
	const rule = `"constants" sets the column, and no cell of it is left for "${setting}" to change; leave one of them out`;
	throw new BuildError("bad_map", rule, { file: path, column });
}

function checkConstant(column: Column, value: string, path: string | null): void {
	const refuse = (rule: string) => {
		throw new BuildError("bad_map", `constant "${value}" ${rule}`, { file: path, column: column.name });
	};
	if (Buffer.byteLength(value) > CELL_BYTES_MAX) {
		const rule = `the constant has more than ${CELL_BYTES_MAX} bytes`;
		throw new BuildError("bad_map", rule, { file: path, column: column.name });
	}
	if (value.trim() !== value || value === "") refuse("is empty or has white space around it");
	if (column.kind === "date" && !isIsoDate(value)) refuse("is no ISO date");
	if (column.kind === "int" && !/^(0|[1-9]\d{0,8})$/.test(value)) refuse("is no whole number");
	const written = (code: string | null) => (code === null ? "" : `; write ${quoted(code)}`);
	if (column.name === "state" && findJurisdiction(value) === undefined)
		refuse(`is the postal code of no jurisdiction${written(stateCodeOf(value))}`);
	if (column.name === "country" && value !== "US" && value !== "CA")
		refuse(`is neither US nor CA${written(countryCodeOf(value))}`);
}
