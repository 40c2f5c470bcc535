/**
 * Map files: how an operator says what a source's columns, dates, nulls and bytes mean.
 *
 * A map file is JSON, either one map or `{"files": [map, …]}`. The first map, over all map files in
 * the order given, whose `match` fits the file's base name applies to it; one without `match` fits all.
 */

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { type Column, type ColumnName, INPUT_COLUMNS } from "../../formats/columns.js";
import { isIsoDate } from "../../formats/dates.js";
import { findJurisdiction } from "../../formats/jurisdictions.js";
import { BuildError, systemErrorText } from "../errors.js";
import { compileDateFormats } from "./date-format.js";
import { ENCODINGS } from "./encodings.js";

const ourColumn = z.enum(INPUT_COLUMNS.map((column) => column.name) as [ColumnName, ...ColumnName[]]);

const mapSchema = z
	.strictObject({
		/** Pattern over the file's base name: `*` any characters, `?` one. */
		match: z.string().min(1).optional(),
		/** Their header name to our column, to several, or to null: skipped without a report. */
		columns: z.record(z.string(), z.union([ourColumn, z.array(ourColumn).min(1), z.null()])).default({}),
		/** The same value of a column in every row. */
		constants: z.partialRecord(ourColumn, z.string()).default({}),
		/** Date formats besides ISO; see date-format.ts. */
		dateFormat: z.string().optional(),
		dateFormats: z.array(z.string()).min(1).optional(),
		encoding: z.enum(ENCODINGS).default("utf-8"),
		/** One ASCII character, not a quote, line end, letter or digit. */
		delimiter: z
			.string()
			.regex(/^[\t -~]$/)
			.regex(/^[^"A-Za-z0-9]$/)
			.default(","),
		/** Cells that, trimmed, equal one of these are null. */
		nulls: z.array(z.string().min(1)).default([]),
		/** true: the first line names the columns. A list: the file has no such line, these are their names. */
		header: z.union([z.literal(true), z.array(z.string()).min(1)]).default(true),
		/** What becomes of a date that cannot be read: the row is rejected, or the date is null and counted. */
		invalidDates: z.enum(["reject", "null"]).default("reject"),
	})
	.refine((map) => map.dateFormat === undefined || map.dateFormats === undefined, {
		message: "dateFormat and dateFormats exclude each other",
	});

const mapListSchema = z.strictObject({ files: z.array(mapSchema).min(1) });

type MapDocument = z.infer<typeof mapSchema>;

/** One map, checked; `path` is the map file it stands in. */
export interface SourceMap extends Omit<MapDocument, "dateFormat" | "dateFormats" | "columns"> {
	readonly path: string | null;
	/** Our columns by their header name, trimmed; an empty list skips the column. */
	readonly columns: ReadonlyMap<string, readonly ColumnName[]>;
	/** null where the map names none. */
	readonly dateFormats: readonly string[] | null;
}

/** What applies to a file that no map fits. */
export const NO_MAP: SourceMap = checkedMap(mapSchema.parse({}), null);

/** Reads map files. Throws {@link BuildError} `missing_file`, `unreadable_file`, `bad_map` or `bad_date_format`. */
export function readMapFiles(paths: readonly string[]): SourceMap[] {
	return paths.flatMap((path) => {
		const json = readJson(path);
		const listed = typeof json === "object" && json !== null && "files" in json;
		const parsed = listed ? mapListSchema.safeParse(json) : mapSchema.safeParse(json);
		if (!parsed.success) throw new BuildError("bad_map", issueText(parsed.error), { file: path });
		const documents = "files" in parsed.data ? parsed.data.files : [parsed.data];
		return documents.map((document) => checkedMap(document, path));
	});
}

/** The first map whose `match` fits the base name of `file`; {@link NO_MAP} where none does. */
export function mapForFile(maps: readonly SourceMap[], file: string): SourceMap {
	const name = basename(file);
	return maps.find((map) => map.match === undefined || fits(name, map.match)) ?? NO_MAP;
}

function readJson(path: string): unknown {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
		throw new BuildError(missing ? "missing_file" : "unreadable_file", systemErrorText(error), {
			file: path,
		});
	}
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new BuildError("bad_map", `no JSON: ${(error as Error).message}`, { file: path });
	}
}

/** The first issue of a failed parse in one line. */
function issueText(error: z.ZodError): string {
	const { path, message } = error.issues[0];
	return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

/**
 * Whether `name` fits `pattern`, in which `*` stands for any characters and `?` for one. Cost
 * O(pattern × name): after a mismatch only the last star takes one character more.
 */
function fits(name: string, pattern: string): boolean {
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
	const { dateFormat, dateFormats, columns, constants, ...rest } = document;
	const formats = dateFormats ?? (dateFormat === undefined ? null : [dateFormat]);
	compileDateFormats(formats ?? [], path);
	const trimmed = new Map<string, readonly ColumnName[]>();
	for (const [name, ours] of Object.entries(columns)) {
		if (trimmed.has(name.trim())) {
			throw new BuildError("bad_map", `"${name.trim()}" is mapped twice`, { file: path });
		}
		trimmed.set(name.trim(), ours === null ? [] : [ours].flat());
	}
	for (const column of INPUT_COLUMNS) {
		const value = constants[column.name];
		if (value !== undefined) checkConstant(column, value, path);
	}
	return { ...rest, constants, path, dateFormats: formats, columns: trimmed };
}

function checkConstant(column: Column, value: string, path: string | null): void {
	const refuse = (rule: string) => {
		throw new BuildError("bad_map", `constant "${value}" ${rule}`, { file: path, column: column.name });
	};
	if (value.trim() !== value || value === "") refuse("is empty or has white space around it");
	if (column.kind === "date" && !isIsoDate(value)) refuse("is no ISO date");
	if (column.kind === "int" && !/^(0|[1-9]\d{0,8})$/.test(value)) refuse("is no whole number");
	if (column.name === "state" && findJurisdiction(value) === undefined) refuse("is no jurisdiction");
	if (column.name === "country" && value !== "US" && value !== "CA") refuse("is neither US nor CA");
}
