/** The settings of a map file, with their defaults and the rules that each has by itself. */

import { z } from "zod";
import { type ColumnName, INPUT_COLUMNS } from "../../formats/domain/columns.js";
import { PROFILES } from "../../formats/domain/reso.js";
import { didYouMean, didYouMeanName, quoted, suggested } from "../../formats/parameters/nearest.js";
import { ENCODINGS } from "./encodings.js";
import { likelyName } from "./likely-names.js";

export const INPUT_NAMES: readonly string[] = INPUT_COLUMNS.map((column) => column.name);

type ByColumn<T> = Readonly<Partial<Record<ColumnName, T>>>;

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

const headerNames = z.array(headerName).min(2);

const joined = z
	.union([headerNames, z.strictObject({ columns: headerNames, separator: z.string().min(1).max(10) })], {
		error: 'expected a list of two or more header names, or {"columns": […], "separator": "-"}',
	})
	.transform((rule) => (Array.isArray(rule) ? { columns: rule, separator: " " } : rule));

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

export const splitSchema = z.strictObject({
	/** Part names in capitals and the text between them; see split-pattern.ts. */
	pattern: z.string().min(1).max(200),
	/** Part to our column. */
	into: z.record(z.string(), ourColumn),
});

export const mapSchema = z
	.strictObject({
		/** Pattern over the file's base name: `*` any characters, `?` one. */
		match: z.string().min(1).optional(),
		/** Whether files that match are left out of the month; they are reported. */
		skip: z.boolean().default(false),
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
		/** Our column to the header names whose cells are joined, by a space unless a separator is given. */
		join: byColumn(joined).default({}),
		/** Our column to the header names the first of whose cells that is not empty is taken. */
		coalesce: byColumn(headerNames).default({}),
		/** By our column: exact texts and their replacements. */
		values: byColumn(replacements).default({}),
		/** By our column: digits of a whole number, including leading zeros. */
		pad: byColumn(z.int().min(1).max(100)).default({}),
		/** Our columns whose cells may be written as formulas that keep spreadsheets from reading numbers: `="0123"`. */
		trimFormula: z.array(ourColumn).default([]),
		/** Our columns whose whole numbers may be written with `.0`. */
		trimDecimal: z.array(ourColumn).default([]),
		/** How a record with fewer cells than the header is treated: it is rejected, or those at its end are null and it is counted. */
		missingCells: z.enum(["reject", "null"]).default("reject"),
		/** How an unreadable date is treated: the row is rejected, or the date becomes null and is counted. */
		invalidDates: z.enum(["reject", "null"]).default("reject"),
	})
	.refine((map) => map.dateFormat === undefined || map.dateFormats === undefined, {
		message: "dateFormat and dateFormats exclude each other",
	})
	.refine((map) => !map.skip || map.match !== undefined, {
		message: 'skip needs a "match": without one the map would skip every file',
	})
	.refine((map) => !map.headerMatch || (map.skipLines === 0 && map.header === true), {
		message: "headerMatch finds the header itself: it excludes skipLines and a list of header names",
	});

/** Every setting of a map, for messages. */
export const MAP_SETTINGS: readonly string[] = Object.keys(mapSchema.shape);

/** `no column "x"; did you mean "y"? The columns are …`. */
export function unknownName(noun: string, name: string, known: readonly string[]): string {
	return `no ${noun} ${quoted(name)}${didYouMean(name, known) || "."} The ${noun}s are ${known.join(", ")}`;
}

/** As {@link unknownName} for a column: another name is suggested only for a slip, the same words or their abbreviations. */
function unknownColumn(name: string): string {
	const likely = likelyName(name, INPUT_NAMES);
	const hint = didYouMeanName(name, INPUT_NAMES) || suggested(likely === null ? [] : [likely]);
	return `no column ${quoted(name)}${hint || "."} The columns are ${INPUT_NAMES.join(", ")}`;
}
