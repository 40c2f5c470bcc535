/**
 * Reads a sample of a compiled month's rows back from its finished files and compares every cell with
 * the parsed source. A difference is a fault of the builder or of the disk, never of the drop, and prevents the
 * publication.
 *
 * The sample is drawn with a seed, which an error names: one row of every parsed part, so that every
 * worker's dictionaries are covered, and rows drawn from the whole month. A small month is read whole.
 */

import {
	type Column,
	type ColumnName,
	columnNamed,
	decodeUtf8,
	type SnapshotFiles,
	STORED_COLUMNS,
} from "../../formats/index.js";
import { NULL_CODE, type ParsedMonth, type ParsedPart } from "../csv/parsed-month.js";
import { BuildError } from "../errors.js";

/** Rows drawn from the whole month, besides one of every part. 2,000 rows of all columns take about 50 ms. */
const SAMPLED_ROWS = 2_000;

/**
 * Compares a sample of the rows. `order` holds the CSV row at each position. Returns the number of rows
 * compared. Throws {@link BuildError} `corrupt_snapshot`. Cost O(rows + sampled rows × columns).
 */
export function readBack(
	parsed: ParsedMonth,
	order: Uint32Array,
	files: SnapshotFiles,
	seed: number,
): number {
	const columns = STORED_COLUMNS.filter(({ name }) => parsed.columns.includes(name));
	const cells = columns.map((column) => ({ column, read: storedCell(files, column) }));
	const positions = samplePositions(parsed, order, seed);
	for (const [position, { part, row }] of positions) {
		for (const { column, read } of cells) {
			const stored = read(position);
			const source = parsedCell(parsed, part, row, column.name);
			if (stored !== source) throw difference(files, position, column, stored, source, seed);
		}
	}
	return positions.size;
}

/** A row of a part. */
interface PartRow {
	readonly part: ParsedPart;
	/** Within the part. */
	readonly row: number;
}

/** Sampled positions, each with the row of a part that belongs there. */
function samplePositions(parsed: ParsedMonth, order: Uint32Array, seed: number): Map<number, PartRow> {
	const below = generator(seed);
	const wanted = new Map<number, PartRow>();
	const starts: number[] = [];
	let first = 0;
	for (const part of parsed.parts) {
		starts.push(first);
		const row = below(part.rows);
		wanted.set(first + row, { part, row });
		first += part.rows;
	}
	const isWhole = first <= SAMPLED_ROWS;
	for (let draw = 0; draw < Math.min(SAMPLED_ROWS, first); draw++) {
		const csvRow = isWhole ? draw : below(first);
		const index = partAt(starts, csvRow);
		wanted.set(csvRow, { part: parsed.parts[index], row: csvRow - starts[index] });
	}
	const positions = new Map<number, PartRow>();
	for (let position = 0; position < order.length; position++) {
		const found = wanted.get(order[position]);
		if (found !== undefined) positions.set(position, found);
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

/** Whole numbers below a bound, from a 32-bit seed (mulberry32). */
function generator(seed: number): (bound: number) => number {
	let state = seed >>> 0;
	return (bound) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
	};
}

function parsedCell(parsed: ParsedMonth, part: ParsedPart, row: number, name: ColumnName): string | null {
	if (columnNamed(name).kind === "string") {
		const text = part.text.get(name);
		if (text === undefined || text.offsets[row] === text.offsets[row + 1]) return null;
		return decodeUtf8(text.heap, text.offsets[row], text.offsets[row + 1]);
	}
	const code = part.codes.get(name)?.[row] ?? NULL_CODE;
	const dictionary = parsed.dictionaries[part.worker].get(name);
	if (code === NULL_CODE || dictionary === undefined) return null;
	return decodeUtf8(dictionary.heap, dictionary.offsets[code], dictionary.offsets[code + 1]);
}

function storedCell(files: SnapshotFiles, column: Column): (position: number) => string | null {
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
	source: string | null,
	seed: number,
): BuildError {
	return new BuildError(
		"corrupt_snapshot",
		`row ${position} reads back as ${JSON.stringify(stored)}, the source has ${JSON.stringify(source)} ` +
			`(sample seed ${seed}); nothing is published`,
		{ file: files.folder, column: column.name },
	);
}
