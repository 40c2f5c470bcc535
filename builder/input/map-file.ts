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
import { PROFILES } from "../../formats/domain/reso.js";
import { stateCodeOf } from "../../formats/domain/state-names.js";
import { didYouMean, didYouMeanName, quoted, suggested } from "../../formats/parameters/nearest.js";
import { BuildError } from "../errors.js";
import { CELL_BYTES_MAX } from "./cell-bytes.js";
import { countryCodeOf } from "./country-names.js";
import { compileDateFormats } from "./date-format.js";
import { ENCODINGS } from "./encodings.js";
import { readJsonFile } from "./json-file.js";
import { issueText } from "./json-issues.js";
import { likelyName } from "./likely-names.js";
import { type PatternSegment, parseSplitPattern } from "./split-pattern.js";

const INPUT_NAMES: readonly string[] = INPUT_COLUMNS.map((column) => column.name);

/** The name of a column of drops. */
const ourColumn = z.string().transform((name, context): ColumnName => {
	if (INPUT_NAMES.includes(name)) return name as ColumnName;
	context.addIssue({ code: "custom", message: unknownColumn(name) });
	return z.NEVER;
});

/** One of our columns, several, or null: the column is skipped without a report. */
const targets = z.unknown().transform((given, context): readonly ColumnName[] => {
	if (given === null) return [];
	const names = Array.isArray(given) ? given : [given];
	const unknown = names.find((name) => typeof name !== "string" || !INPUT_NAMES.includes(name));
	if (names.length > 0 && unknown === undefined) return names as ColumnName[];
	const message =
		typeof unknown === "string"
			? unknownColumn(unknown)
			: "expected the name of a column, a list of names, or null";
	context.addIssue({ code: "custom", message });
	return z.NEVER;
});

/** A setting by column. */
function byColumn<T extends z.ZodType>(value: T) {
	return z.record(z.string(), value).transform((record, context): ByColumn<z.infer<T>> => {
		const unknown = Object.keys(record).find((name) => !INPUT_NAMES.includes(name));
		if (unknown === undefined) return record as ByColumn<z.infer<T>>;
		context.addIssue({ code: "custom", message: unknownColumn(unknown) });
		return z.NEVER;
	});
}

/** Whether a text is one character of ASCII, other than NUL and those of line ends. */
function isOneAsciiCharacter(text: string): boolean {
	const code = text.charCodeAt(0);
	return text.length === 1 && code > 0 && code < 0x7f && text !== "\n" && text !== "\r";
}

const headerName = z.string().min(1);

/** Texts and their replacements, both trimmed as cells are. */
const replacements = z.record(z.string(), z.string().max(1_000)).transform((record, context) => {
	const texts = Object.entries(record).map(
		([text, replacement]) => [text.trim(), replacement.trim()] as const,
	);
	const seen = new Set<string>();
	const repeated = texts.find(([text]) => seen.size === seen.add(text).size);
	const rule = texts.some(([text]) => text === "")
		? "an empty text cannot be replaced: empty cells are null"
		: repeated !== undefined
			? `${quoted(repeated[0])} is replaced twice`
			: null;
	if (rule === null) return Object.fromEntries(texts);
	context.addIssue({ code: "custom", message: rule });
	return z.NEVER;
});

const splitSchema = z.strictObject({
	/** Part names in capitals and the text between them; see split-pattern.ts. */
	pattern: z.string().min(1).max(200),
	/** Part to our column. */
	into: z.record(z.string(), ourColumn),
});

const mapSchema = z
	.strictObject({
		/** Pattern over the file's base name: `*` any characters, `?` one. */
		match: z.string().min(1).optional(),
		/** Header names accepted besides ours; null: none. */
		profile: z.enum(PROFILES).nullable().default(null),
		/** Header name to our column, to several, or to null. */
		columns: z.record(z.string(), targets).default({}),
		/** The same value of a column in every row. */
		constants: byColumn(z.string()).default({}),
		/** Date formats besides ISO; see date-format.ts. */
		dateFormat: z.string().optional(),
		dateFormats: z.array(z.string()).min(1).optional(),
		encoding: z.enum(ENCODINGS).default("utf-8"),
		/** Sheet of a workbook; null: its first that is not hidden. */
		sheet: z.string().min(1).max(255).nullable().default(null),
		/** One ASCII character, not a quote, line end, letter or digit. */
		delimiter: z
			.string()
			.refine((text) => isOneAsciiCharacter(text), {
				message: 'expected one ASCII character, such as ";" or "\\t"',
			})
			.regex(/^[^"A-Za-z0-9]$/, "expected a character other than a quote, letter or digit")
			.default(","),
		/** Whether fields may be in quotes; false: a quote is a character like any other. */
		quotes: z.boolean().default(true),
		/** Cells that, trimmed, equal one of these are null. */
		nulls: z.array(z.string().min(1)).default([]),
		/** true: the first line names the columns. A list: the file has no such line, these are their names. */
		header: z
			.union([z.literal(true), z.array(z.string()).min(1)], {
				error: "expected true, or a list of at least one name if the file has no header line",
			})
			.default(true),
		/** Lines to skip before the header, or before the first record if `header` lists the names. */
		skipLines: z.int().min(0).max(10_000).default(0),
		/** Whether the header is the first line that has every mapped column. */
		headerMatch: z.boolean().default(false),
		/** Number of lines to skip at the end. */
		skipFooter: z.int().min(0).max(1_000).default(0),
		/** Regular expression of lines to skip. */
		skipMatching: z.string().min(1).max(200).nullable().default(null),
		/** Header name to the parts of its cells. */
		split: z.record(headerName, splitSchema).default({}),
		/** Our column to the header names whose cells are joined by a space. */
		join: byColumn(z.array(headerName).min(2)).default({}),
		/** By our column: exact texts and their replacements. */
		values: byColumn(replacements).default({}),
		/** By our column: digits of a whole number, including leading zeros. */
		pad: byColumn(z.int().min(1).max(100)).default({}),
		/** Our columns whose cells may be written as formulas that keep spreadsheets from reading numbers: `="0123"`. */
		trimFormula: z.array(ourColumn).default([]),
		/** Our columns whose whole numbers may be written with `.0`. */
		trimDecimal: z.array(ourColumn).default([]),
		/** How an unreadable date is treated: the row is rejected, or the date becomes null and is counted. */
		invalidDates: z.enum(["reject", "null"]).default("reject"),
	})
	.refine((map) => map.dateFormat === undefined || map.dateFormats === undefined, {
		message: "dateFormat and dateFormats exclude each other",
	})
	.refine((map) => !map.headerMatch || (map.skipLines === 0 && map.header === true), {
		message: "headerMatch finds the header itself: it excludes skipLines and a list of header names",
	});

/** Every setting of a map, for messages. */
const MAP_SETTINGS: readonly string[] = Object.keys(mapSchema.shape);

const mapListSchema = z.strictObject({ files: z.array(mapSchema).min(1) });

type MapDocument = z.infer<typeof mapSchema>;

type ByColumn<T> = Readonly<Partial<Record<ColumnName, T>>>;

/** A cell that is split into several columns. */
export interface SplitRule {
	readonly name: string;
	readonly segments: readonly PatternSegment[];
	readonly into: readonly { readonly part: string; readonly column: ColumnName }[];
}

/** One validated map; `path` is its map file. */
export interface SourceMap extends Omit<MapDocument, "dateFormat" | "dateFormats" | "columns" | "split"> {
	readonly path: string | null;
	/** Our columns by their header name, trimmed; an empty list skips the column. */
	readonly columns: ReadonlyMap<string, readonly ColumnName[]>;
	readonly split: readonly SplitRule[];
	/** Null if the map names none. */
	readonly dateFormats: readonly string[] | null;
}

/** `no column "x"; did you mean "y"? The columns are …`. */
function unknownName(noun: string, name: string, known: readonly string[]): string {
	return `no ${noun} ${quoted(name)}${didYouMean(name, known) || "."} The ${noun}s are ${known.join(", ")}`;
}

/** As {@link unknownName} for a column: another name is suggested only for a slip, the same words or their abbreviations. */
function unknownColumn(name: string): string {
	const likely = likelyName(name, INPUT_NAMES);
	const hint = didYouMeanName(name, INPUT_NAMES) || suggested(likely === null ? [] : [likely]);
	return `no column ${quoted(name)}${hint || "."} The columns are ${INPUT_NAMES.join(", ")}`;
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
	return (
		maps.find(({ match }) => match === undefined || names.some((name) => fitsPattern(name, match))) ?? NO_MAP
	);
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
 * Whether `name` matches `pattern`, in which `*` matches any characters and `?` one. Cost O(pattern × name):
 * after a mismatch only the last star is extended by one character.
 */
export function fitsPattern(name: string, pattern: string): boolean {
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
	const { dateFormat, dateFormats, columns, constants, split, ...rest } = document;
	const formats = dateFormats ?? (dateFormat === undefined ? null : [dateFormat]);
	compileDateFormats(formats ?? [], path);
	const trimmed = new Map<string, readonly ColumnName[]>();
	for (const [name, ours] of Object.entries(columns)) {
		if (trimmed.has(name.trim())) {
			throw new BuildError("bad_map", `"${name.trim()}" is mapped twice`, { file: path });
		}
		trimmed.set(name.trim(), ours);
	}
	for (const column of INPUT_COLUMNS) {
		const value = constants[column.name];
		if (value !== undefined) checkConstant(column, value, path);
	}
	checkPattern(rest.skipMatching, path);
	return {
		...rest,
		constants,
		path,
		dateFormats: formats,
		columns: trimmed,
		split: Object.entries(split).map(([name, rule]) => checkedSplit(name.trim(), rule, path)),
	};
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
