/**
 * Parquet files of exports: those of a state, whose row groups are encoded, and those of a whole month, which
 * concatenate the states' row groups under a new footer.
 */

import type { ColumnChunk, KeyValue, RowGroup } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { hex, type Profile, type Range, type SnapshotFiles } from "../../formats/index.js";
import { HashedFile } from "./hashed-file.js";
import { parquetSchema, ROW_GROUP_ROWS, RowGroupEncoder } from "./parquet-row-group.js";

const MAGIC = Buffer.from("PAR1");
/** Initial size of the buffer that row groups are encoded in. */
const BUFFER_BYTES = 16 * 1024 * 1024;

/** A file that was written. */
export interface WrittenFile {
	readonly bytes: number;
	/** Hexadecimal digits. */
	readonly sha256: string;
	/** The range of bytes with rows, without what every file of the format has before and after them. */
	readonly content: Range;
	/** Parquet: the row groups, by offsets in this file. */
	readonly rowGroups: readonly RowGroup[];
}

/** What a file holds: a state or, with null, the month; columns by their names in a profile or, with null, by ours. */
export interface ParquetContent {
	readonly state: string | null;
	readonly profile: Profile | null;
}

/** A file and its path. */
export interface PartFile extends WrittenFile {
	readonly path: string;
}

/**
 * Writes the rows [from, to) of a month to `path`, in row groups of `groupRows`. Cost O(rows × columns); memory
 * of one row group.
 */
export function writeParquet(
	files: SnapshotFiles,
	rows: Range,
	content: ParquetContent,
	path: string,
	groupRows = ROW_GROUP_ROWS,
): WrittenFile {
	const file = new HashedFile(path);
	try {
		file.write(MAGIC);
		const encoder = new RowGroupEncoder(files, content.profile);
		const rowGroups: RowGroup[] = [];
		for (let from = rows.from; from < rows.to; from += groupRows) {
			const buffer = new ByteWriter(BUFFER_BYTES);
			const group = encoder.write({ from, to: Math.min(from + groupRows, rows.to) }, buffer);
			rowGroups.push(movedBy(file.bytes, group));
			file.write(buffer.getBytes());
		}
		return finish(file, rowGroups, files, content);
	} catch (error) {
		file.abandon();
		throw error;
	}
}

/** Writes the rows of `parts`, in their order, to `path`. Cost O(bytes). */
export function joinParquet(
	files: SnapshotFiles,
	parts: readonly PartFile[],
	content: ParquetContent,
	path: string,
): WrittenFile {
	const file = new HashedFile(path);
	try {
		file.write(MAGIC);
		const rowGroups: RowGroup[] = [];
		for (const { path: source, content: rows, rowGroups: groups } of parts) {
			const by = file.bytes - rows.from;
			for (const group of groups) rowGroups.push(movedBy(by, group));
			file.copy(source, rows.from, rows.to);
		}
		return finish(file, rowGroups, files, content);
	} catch (error) {
		file.abandon();
		throw error;
	}
}

function descriptionOf({ catalog, crc }: SnapshotFiles, state: string | null): KeyValue[] {
	const described = [
		{ key: "rollcall.month", value: catalog.month },
		{ key: "rollcall.digest", value: hex(crc) },
	];
	return state === null ? described : [...described, { key: "rollcall.state", value: state }];
}

/** Writes the footer. */
function finish(
	file: HashedFile,
	rowGroups: readonly RowGroup[],
	files: SnapshotFiles,
	{ state, profile }: ParquetContent,
): WrittenFile {
	const content = { from: MAGIC.length, to: file.bytes };
	const footer = new ByteWriter();
	const writer = new ParquetWriter({
		writer: footer,
		schema: parquetSchema(profile),
		kvMetadata: descriptionOf(files, state),
		createdBy: "rollcall",
	});
	for (const group of rowGroups) {
		writer.row_groups.push(group);
		writer.num_rows += group.num_rows;
	}
	writer.finish();
	// The writer begins with the magic, which the file already has.
	file.write(footer.getBytes().subarray(MAGIC.length));
	const { bytes } = file;
	return { bytes, sha256: file.finish(), content, rowGroups };
}

/** A row group whose bytes are moved by `by` bytes. */
function movedBy(by: number, group: RowGroup): RowGroup {
	const moved = BigInt(by);
	const columns = group.columns.map((chunk): ColumnChunk => {
		const { file_offset, meta_data } = chunk;
		if (meta_data === undefined) return chunk;
		const { data_page_offset, dictionary_page_offset } = meta_data;
		const dictionary =
			dictionary_page_offset === undefined ? {} : { dictionary_page_offset: dictionary_page_offset + moved };
		return {
			file_offset: file_offset + moved,
			meta_data: { ...meta_data, data_page_offset: data_page_offset + moved, ...dictionary },
		};
	});
	return { ...group, columns };
}
