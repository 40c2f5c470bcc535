/**
 * One row group of an exported Parquet file: each column of the table of columns as one chunk of one data
 * page (version 2), compressed by Snappy.
 *
 * Columns over a dictionary are stored with the dictionary's values that occur in the group, unless most
 * rows have a value of their own. Dates are DATE, counts INT32, ids INT64, all else UTF-8 text. Codes are
 * used as they are stored, so no value is looked up by its text.
 */

import type { ColumnChunk, Encoding, RowGroup, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import {
	COLUMNS,
	type Column,
	daysOfIsoDate,
	decodeUtf8,
	monthNumber,
	type Profile,
	profileName,
	type Range,
	rowId,
	type SnapshotFiles,
} from "../../formats/index.js";
import { encodeHybrid, encodePlain, extremes, indexBits, type Values } from "./parquet-pages.js";

/** Most rows of a row group: what DuckDB and Spark read as one unit of work. */
export const ROW_GROUP_ROWS = 131_072;

/** A dictionary is stored where each of its values has this many rows on average. */
const ROWS_PER_VALUE_MIN = 2;

/** The columns as Parquet types, by their names in `profile`. */
export function parquetSchema(profile: Profile | null): SchemaElement[] {
	const elements = COLUMNS.map((column) => ({
		...elementOf(column),
		name: profileName(column.name, profile),
	}));
	return [{ name: "root", num_children: COLUMNS.length }, ...elements];
}

function elementOf({ name, kind, nullable }: Column): SchemaElement {
	const repetition_type = nullable ? "OPTIONAL" : "REQUIRED";
	if (kind === "id") return { name, type: "INT64", repetition_type };
	if (kind === "int") return { name, type: "INT32", repetition_type };
	if (kind === "date") {
		const logical_type = { type: "DATE" } as const;
		return { name, type: "INT32", converted_type: "DATE", logical_type, repetition_type };
	}
	const logical_type = { type: "STRING" } as const;
	return { name, type: "BYTE_ARRAY", converted_type: "UTF8", logical_type, repetition_type };
}

/** A chunk before it is framed. */
interface EncodedChunk {
	readonly encoding: Encoding;
	readonly page: Uint8Array;
	/** Values and bytes of the dictionary page; null: none. */
	readonly dictionary: { readonly values: number; readonly bytes: Uint8Array } | null;
	readonly least: string | number | bigint | undefined;
	readonly most: string | number | bigint | undefined;
}

/** Encodes row groups of one month. */
export class RowGroupEncoder {
	constructor(
		private readonly files: SnapshotFiles,
		/** Whose names the columns have; null: ours. */
		private readonly profile: Profile | null = null,
	) {}

	/** Appends a row group of the rows [from, to), at most {@link ROW_GROUP_ROWS}. Cost O(rows × columns). */
	write(rows: Range, writer: ByteWriter): RowGroup {
		const start = writer.offset;
		const columns = COLUMNS.map((column) => this.writeChunk(column, rows, writer));
		let bytes = 0n;
		for (const { meta_data } of columns) bytes += meta_data?.total_uncompressed_size ?? 0n;
		return {
			columns,
			total_byte_size: bytes,
			num_rows: BigInt(rows.to - rows.from),
			total_compressed_size: BigInt(writer.offset - start),
		};
	}

	private writeChunk(column: Column, rows: Range, writer: ByteWriter): ColumnChunk {
		const places = column.kind === "id" || column.kind === "snapshot" ? null : this.placesOf(column, rows);
		const nulls = places === null ? 0 : rows.to - rows.from - places.values.length;
		const chunk = places === null ? this.encodeMade(column, rows) : this.encode(column, places.values);
		const levels = column.nullable ? encodeLevels(places?.present ?? null, rows) : Buffer.alloc(0);
		const framed = frame(column, chunk, { rows: rows.to - rows.from, nulls, levels }, writer);
		if (framed.meta_data !== undefined)
			framed.meta_data.path_in_schema = [profileName(column.name, this.profile)];
		return framed;
	}

	/** Where the values of rows that have one lie: codes, or rows of a text column. `present`: 1 for such a row. */
	private placesOf(column: Column, { from, to }: Range): { values: Uint32Array; present: Uint32Array } {
		const values = new Uint32Array(to - from);
		const present = new Uint32Array(to - from);
		let count = 0;
		if (column.kind === "string") {
			const { offsets } = this.files.text(column);
			for (let row = from; row < to; row++) {
				if (offsets[row] === offsets[row + 1]) continue;
				present[row - from] = 1;
				values[count++] = row;
			}
		} else {
			const codes = this.files.codes(column);
			const { distinct } = this.files.column(column);
			for (let row = from; row < to; row++) {
				if (codes[row] === distinct) continue;
				present[row - from] = 1;
				values[count++] = codes[row];
			}
		}
		return { values: values.subarray(0, count), present };
	}

	private encode(column: Column, places: Uint32Array): EncodedChunk {
		const values: Values = column.kind === "string" ? this.files.text(column) : this.files.dictionary(column);
		const isText = column.kind === "string" || column.kind === "dict";
		const local = column.kind === "string" ? null : localDictionary(places, values.offsets.length - 1);
		const stored = local?.codes ?? places;
		const plain = (some: Uint32Array) => (isText ? encodePlain(values, some) : numbers(column, values, some));
		const range = isText ? extremes(values, stored) : codeRange(stored);
		const edge = (place: number | undefined) =>
			place === undefined ? undefined : cellOf(column, values, place);
		const statistics = { least: edge(range?.from), most: edge(range?.to) };
		if (local === null || local.codes.length * ROWS_PER_VALUE_MIN > places.length)
			return { encoding: "PLAIN", page: plain(places), dictionary: null, ...statistics };
		const bits = indexBits(local.codes.length);
		const page = Buffer.concat([Buffer.of(bits), encodeHybrid(local.indexes, places.length, bits)]);
		const dictionary = { values: local.codes.length, bytes: plain(local.codes) };
		return { encoding: "RLE_DICTIONARY", page, dictionary, ...statistics };
	}

	/** The columns that are made from a row's position and month. */
	private encodeMade({ kind }: Column, { from, to }: Range): EncodedChunk {
		const { month } = this.files.catalog;
		if (kind === "id") {
			const ids = BigInt64Array.from({ length: to - from }, (_, i) =>
				BigInt(rowId(monthNumber(month), from + i)),
			);
			const page = new ByteWriter();
			deltaBinaryPack(page, ids as unknown as bigint[], "INT64");
			const [least, most] = [ids[0], ids[ids.length - 1]];
			return { encoding: "DELTA_BINARY_PACKED", page: page.getBytes(), dictionary: null, least, most };
		}
		const text = Buffer.from(month);
		const values: Values = { heap: text, offsets: Uint32Array.of(0, text.length) };
		const page = Buffer.concat([Buffer.of(0), encodeHybrid(new Uint32Array(to - from), to - from, 0)]);
		const dictionary = { values: 1, bytes: encodePlain(values, Uint32Array.of(0)) };
		return { encoding: "RLE_DICTIONARY", page, dictionary, least: month, most: month };
	}
}

/** The codes that occur in `places`, ascending, and each place as an index into them. Cost O(places + distinct). */
function localDictionary(
	places: Uint32Array,
	distinct: number,
): { codes: Uint32Array; indexes: Uint32Array } {
	const indexOf = new Uint32Array(distinct);
	for (const code of places) indexOf[code] = 1;
	const codes = new Uint32Array(Math.min(distinct, places.length));
	let count = 0;
	for (let code = 0; code < distinct; code++) {
		if (indexOf[code] === 0) continue;
		indexOf[code] = count;
		codes[count++] = code;
	}
	const indexes = new Uint32Array(places.length);
	for (let i = 0; i < places.length; i++) indexes[i] = indexOf[places[i]];
	return { codes: codes.subarray(0, count), indexes };
}

/** The least and the largest of codes of numbers or dates, which are sorted by value. */
function codeRange(codes: Uint32Array): Range | null {
	if (codes.length === 0) return null;
	let [from, to] = [codes[0], codes[0]];
	for (const code of codes) {
		if (code < from) from = code;
		else if (code > to) to = code;
	}
	return { from, to };
}

function cellOf({ kind }: Column, { heap, offsets }: Values, place: number): string | number {
	const text = decodeUtf8(heap, offsets[place], offsets[place + 1]);
	if (kind === "date") return daysOfIsoDate(text);
	return kind === "int" ? Number(text) : text;
}

/** Values of dates and numbers as four bytes each. */
function numbers(column: Column, values: Values, places: Uint32Array): Buffer {
	const out = Buffer.allocUnsafe(places.length * 4);
	places.forEach((place, i) => {
		out.writeInt32LE(cellOf(column, values, place) as number, i * 4);
	});
	return out;
}

/** One bit a row: whether it has a value. */
function encodeLevels(present: Uint32Array | null, { from, to }: Range): Buffer {
	return encodeHybrid(present ?? new Uint32Array(to - from).fill(1), to - from, 1);
}

interface PageRows {
	readonly rows: number;
	readonly nulls: number;
	readonly levels: Uint8Array;
}

/** Writes the pages of a chunk, and describes them. */
function frame(
	column: Column,
	{ encoding, page, dictionary, least, most }: EncodedChunk,
	{ rows, nulls, levels }: PageRows,
	writer: ByteWriter,
): ColumnChunk {
	const start = writer.offset;
	let uncompressed = 0;
	if (dictionary !== null) {
		const compressed = snappyCompress(dictionary.bytes);
		writePageHeader(writer, {
			type: "DICTIONARY_PAGE",
			uncompressed_page_size: dictionary.bytes.length,
			compressed_page_size: compressed.length,
			dictionary_page_header: { num_values: dictionary.values, encoding: "PLAIN" },
		});
		uncompressed += writer.offset - start + dictionary.bytes.length;
		writer.appendBytes(compressed);
	}
	const dataStart = writer.offset;
	const compressed = snappyCompress(page);
	writePageHeader(writer, {
		type: "DATA_PAGE_V2",
		uncompressed_page_size: levels.length + page.length,
		compressed_page_size: levels.length + compressed.length,
		data_page_header_v2: {
			num_values: rows,
			num_nulls: nulls,
			num_rows: rows,
			encoding,
			definition_levels_byte_length: levels.length,
			repetition_levels_byte_length: 0,
			is_compressed: true,
		},
	});
	uncompressed += writer.offset - dataStart + levels.length + page.length;
	writer.appendBytes(levels);
	writer.appendBytes(compressed);
	return {
		file_offset: BigInt(start),
		meta_data: {
			type: elementOf(column).type ?? "BYTE_ARRAY",
			encodings: dictionary === null ? [encoding] : ["PLAIN", encoding],
			path_in_schema: [column.name],
			codec: "SNAPPY",
			num_values: BigInt(rows),
			total_compressed_size: BigInt(writer.offset - start),
			total_uncompressed_size: BigInt(uncompressed),
			data_page_offset: BigInt(dataStart),
			...(dictionary === null ? {} : { dictionary_page_offset: BigInt(start) }),
			statistics: { min_value: least, max_value: most, null_count: BigInt(nulls) },
		},
	};
}
