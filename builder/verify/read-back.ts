/**
 * Reads a sample of a compiled month's rows back from its finished files and compares every cell with the source. A
 * difference is a fault of the builder or of the disk, never of the drop, and prevents the publication. The sample is
 * drawn before the month is compiled, so that the parsed columns need not be kept until the files are finished.
 *
 * There are two samples:
 * - Records drawn while parsing, with their bytes as they were read: they are parsed a second time
 *   (parse-samples.ts), so every step from the source's bytes to the files is covered.
 * - Rows drawn with a seed that an error names, compared with the parsed columns: one row of every
 *   parsed part, so that every worker's dictionaries are covered, and rows of the whole month. A small month is
 *   compared whole.
 */

import { randomInt } from "node:crypto";
import {
	type Column,
	type ColumnName,
	columnNamed,
	decodeUtf8,
	type SnapshotFiles,
	STORED_COLUMNS,
} from "../../formats/index.js";
import { NULL_CODE, type ParsedMonth, type ParsedPart, type WorkerDictionary } from "../csv/parsed-month.js";
import { BuildError } from "../errors.js";
import { seededDraw } from "../seeded-draw.js";
import { parseSamples } from "./parse-samples.js";

/** Rows drawn from the whole month, besides one of every part. 2,000 rows of all columns take about 50 ms. */
const DRAWN_ROWS = 2_000;

/** The sampled rows of a month, by their rows in the CSV. */
export interface MonthSample {
	/** Of records whose bytes were kept. */
	readonly records: Sample;
	/** Of the parsed columns. */
	readonly rows: Sample;
	readonly seed: number;
}

/** The values of a sampled row, null for none, by column; columns that are not compared are missing. */
type SampledValues = ReadonlyMap<ColumnName, string | null>;

type Sample = ReadonlyMap<number, SampledValues>;

/**
 * Draws both samples of a parsed month. Throws {@link BuildError} `corrupt_snapshot` if a record is not one row when
 * parsed alone. Cost O(sampled rows x columns).
 */
export function drawSample(parsed: ParsedMonth, seed = randomInt(2 ** 32)): MonthSample {
	const columns = STORED_COLUMNS.flatMap(({ name }) => (parsed.columns.includes(name) ? [name] : []));
	const own = columns.filter((name) => !parsed.enrichedColumns.includes(name));
	return {
		records: valuesOf(sampledRecords(parsed), own),
		rows: valuesOf(drawnRows(parsed, seed), columns),
		seed,
	};
}

/**
 * Compares a month's sample with its files. `order` holds the CSV row at each position. Throws {@link BuildError}
 * `corrupt_snapshot`. Cost O(rows + sampled rows x columns).
 */
export function compareSample(
	{ records, rows, seed }: MonthSample,
	order: Uint32Array,
	files: SnapshotFiles,
): void {
	const positions = positionsOf(order, [records, rows]);
	compare(records, positions, files, (position, column, stored, source) =>
		difference(files, position, column, stored, `the record in the source has ${source}`),
	);
	compare(rows, positions, files, (position, column, stored, source) =>
		difference(files, position, column, stored, `the source has ${source} (sample seed ${seed})`),
	);
}

/** A sampled row as it was parsed. */
interface SampledRow {
	readonly part: Pick<ParsedPart, "codes" | "text">;
	/** Within the part. */
	readonly row: number;
	readonly dictionaries: ReadonlyMap<ColumnName, WorkerDictionary>;
}

/** By CSV row. */
type SampledRows = ReadonlyMap<number, SampledRow>;

function valuesOf(rows: SampledRows, columns: readonly ColumnName[]): Sample {
	const values = (row: SampledRow) => new Map(columns.map((name) => [name, parsedCell(row, name)]));
	return new Map([...rows].map(([csvRow, row]) => [csvRow, values(row)]));
}

/** The records that were kept with their bytes, parsed again. */
function sampledRecords(parsed: ParsedMonth): SampledRows {
	const sample = new Map<number, SampledRow>();
	for (const { part, dictionaries, samples, firstRow } of parseSamples(parsed)) {
		for (const [row, { row: rowOfPart }] of samples.entries())
			sample.set(firstRow + rowOfPart, { part, row, dictionaries });
	}
	return sample;
}

/** Rows of the parsed columns. */
function drawnRows(parsed: ParsedMonth, seed: number): SampledRows {
	const draw = seededDraw(seed);
	const sample = new Map<number, SampledRow>();
	const starts: number[] = [];
	const add = (index: number, row: number) => {
		const part = parsed.parts[index];
		sample.set(starts[index] + row, { part, row, dictionaries: parsed.dictionaries[part.worker] });
	};
	let rows = 0;
	for (const [index, part] of parsed.parts.entries()) {
		starts.push(rows);
		add(index, draw(part.rows));
		rows += part.rows;
	}
	const isWhole = rows <= DRAWN_ROWS;
	for (let i = 0; i < Math.min(DRAWN_ROWS, rows); i++) {
		const csvRow = isWhole ? i : draw(rows);
		const index = partAt(starts, csvRow);
		add(index, csvRow - starts[index]);
	}
	return sample;
}

/** The position in canonical order of every sampled CSV row. */
function positionsOf(order: Uint32Array, samples: readonly Sample[]): Map<number, number> {
	// Marks are an array, since a lookup of every row in a map would take longer than the comparison.
	const marks = new Uint8Array(order.length);
	for (const sample of samples) for (const csvRow of sample.keys()) marks[csvRow] = 1;
	const positions = new Map<number, number>();
	for (let position = 0; position < order.length; position++) {
		if (marks[order[position]] === 1) positions.set(order[position], position);
	}
	return positions;
}

/** The last part that starts at or before `csvRow`. */
function partAt(starts: readonly number[], csvRow: number): number {
	let low = 0;
	let high = starts.length;
	while (low + 1 < high) {
		const middle = (low + high) >>> 1;
		if (starts[middle] <= csvRow) low = middle;
		else high = middle;
	}
	return low;
}

function compare(
	sample: Sample,
	positions: ReadonlyMap<number, number>,
	files: SnapshotFiles,
	fault: (position: number, column: Column, stored: string | null, source: string) => BuildError,
): void {
	const cells = new Map(STORED_COLUMNS.map((column) => [column.name, storedCell(files, column)]));
	for (const [csvRow, values] of sample) {
		const position = positions.get(csvRow) ?? -1;
		for (const [name, source] of values) {
			const stored = position < 0 ? null : (cells.get(name) as StoredCell)(position);
			if (stored !== source) throw fault(position, columnNamed(name), stored, JSON.stringify(source));
		}
	}
}

function parsedCell({ part, row, dictionaries }: SampledRow, name: ColumnName): string | null {
	if (columnNamed(name).kind === "string") {
		const text = part.text.get(name);
		if (text === undefined || text.offsets[row] === text.offsets[row + 1]) return null;
		return decodeUtf8(text.heap, text.offsets[row], text.offsets[row + 1]);
	}
	const code = part.codes.get(name)?.[row] ?? NULL_CODE;
	const dictionary = dictionaries.get(name);
	if (code === NULL_CODE || dictionary === undefined) return null;
	return decodeUtf8(dictionary.heap, dictionary.offsets[code], dictionary.offsets[code + 1]);
}

/** Reads a column of the finished files. */
type StoredCell = (position: number) => string | null;

function storedCell(files: SnapshotFiles, column: Column): StoredCell {
	if (column.kind === "string") {
		const { offsets, heap } = files.text(column);
		return (position) =>
			offsets[position] === offsets[position + 1]
				? null
				: decodeUtf8(heap, offsets[position], offsets[position + 1]);
	}
	const codes = files.codes(column);
	const dictionary = files.dictionary(column);
	return (position) => dictionary.value(codes[position]);
}

function difference(
	files: SnapshotFiles,
	position: number,
	column: Column,
	stored: string | null,
	source: string,
): BuildError {
	return new BuildError(
		"corrupt_snapshot",
		`row ${position} reads back as ${JSON.stringify(stored)}, ${source}; nothing is published`,
		{ file: files.folder, column: column.name },
	);
}
