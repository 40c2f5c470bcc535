/**
 * CSV and NDJSON files of exports, compressed by gzip: the lines that the API answers with `format=csv` and
 * `ndjson`. A file is a series of gzip members, which every reader takes for one file: CSV's header line, then
 * some thousand rows each. So a whole month is its states' members, one after the other.
 */

import { gzipSync } from "node:zlib";
import { ByteSink, type Projection, type Snapshot } from "../../engine/index.js";
import { COLUMNS, type Profile, profileName, type Range } from "../../formats/index.js";
import { HashedFile } from "./hashed-file.js";
import type { PartFile, WrittenFile } from "./parquet-file.js";

/** Rows of a gzip member: enough that members cost no size, few enough that memory stays small. */
const MEMBER_ROWS = 16_384;
/** zlib's level: a third of the time of level 6 for a tenth more bytes. */
const GZIP_LEVEL = 4;

/** Every column, by its name in a profile. */
function everything(profile: Profile | null): Projection {
	const columns = COLUMNS.map(({ name }) => name);
	if (profile === null) return { columns, masked: false };
	return { columns, names: columns.map((name) => profileName(name, profile)), masked: false };
}

/** What lines are: their form, and whose names of the columns they have; null: ours. */
export interface LineFormat {
	readonly form: "csv" | "ndjson";
	readonly profile: Profile | null;
}

/** Writes the rows [from, to) of a month to `path`. Cost O(bytes); memory of one member. */
export function writeLines(
	snapshot: Snapshot,
	{ from, to }: Range,
	format: LineFormat,
	path: string,
): WrittenFile {
	const file = new HashedFile(path);
	try {
		const sink = new ByteSink();
		writeHeader(snapshot, format, file);
		const start = file.bytes;
		const rows = new Uint32Array(Math.min(MEMBER_ROWS, to - from));
		const projection = everything(format.profile);
		for (let first = from; first < to; first += rows.length) {
			const count = Math.min(rows.length, to - first);
			for (let i = 0; i < count; i++) rows[i] = first + i;
			sink.reset();
			snapshot.renderRows(rows.subarray(0, count), projection, format.form, sink, false);
			file.write(gzipSync(sink.view(), { level: GZIP_LEVEL }));
		}
		return finish(file, start);
	} catch (error) {
		file.abandon();
		throw error;
	}
}

/** Writes the rows of `parts`, in their order, to `path`. Cost O(bytes). */
export function joinLines(
	snapshot: Snapshot,
	parts: readonly PartFile[],
	format: LineFormat,
	path: string,
): WrittenFile {
	const file = new HashedFile(path);
	try {
		writeHeader(snapshot, format, file);
		const start = file.bytes;
		for (const { path: source, content } of parts) file.copy(source, content.from, content.to);
		return finish(file, start);
	} catch (error) {
		file.abandon();
		throw error;
	}
}

function writeHeader(snapshot: Snapshot, format: LineFormat, file: HashedFile): void {
	const sink = new ByteSink(1 << 12);
	snapshot.renderRows(new Uint32Array(0), everything(format.profile), format.form, sink);
	if (sink.length > 0) file.write(gzipSync(sink.view(), { level: GZIP_LEVEL }));
}

function finish(file: HashedFile, start: number): WrittenFile {
	const { bytes } = file;
	return { bytes, sha256: file.finish(), content: { from: start, to: bytes }, rowGroups: [] };
}
