/**
 * Parses the operator's CSV files to dictionary-encoded columns in memory. The result is described in
 * parsed-month.ts, the procedure in month-parse.ts.
 */

import type { Profile } from "../../formats/domain/reso.js";
import { readMapFiles } from "../input/map-file.js";
import { listSourceFiles, type SourceFile } from "../input/source-files.js";
import { WorkerPool } from "../workers/pool.js";
import type { TaskPool } from "../workers/task-pool.js";
import { MonthParse, type ParseProgress } from "./month-parse.js";
import type { ParsedMonth } from "./parsed-month.js";
import { RejectFile } from "./reject-file.js";
import type { CsvTasks } from "./tasks.js";

export type { ParseProgress } from "./month-parse.js";
export * from "./parsed-month.js";

/** Default of {@link ParseOptions.chunkBytes}. */
const CHUNK_BYTES_DEFAULT = 8 << 20;

export interface ParseOptions {
	/** Files, folders of files, `-` for standard input; plain, gzip or zstd. Read in this order. */
	readonly files: readonly string[];
	/** Rows of published months, read after the files and without a map. */
	readonly carried?: readonly SourceFile[];
	/** Paths of map files; the first map that matches a file applies to it. */
	readonly maps?: readonly string[];
	/** Profile of header names for files whose map names none. Default: only our names. */
	readonly profile?: Profile | null;
	/** Date format, besides ISO, for files whose map names none. */
	readonly dateFormat?: string | null;
	/** Worker threads of the pool created for this call; default: one per core. */
	readonly threads?: number;
	/** Where rejected rows are written; created only if there are any. */
	readonly rejectFile: string;
	/** Bytes of a chunk, without its look-ahead. Default {@link CHUNK_BYTES_DEFAULT}. */
	readonly chunkBytes?: number;
	/** Workers to use; closed by the caller, also if this call fails. Default: a pool of its own. */
	readonly pool?: TaskPool<CsvTasks>;
	readonly onProgress?: (progress: ParseProgress) => void;
}

/**
 * Parses a month's files. Cost O(bytes), divided among the workers. Throws `BuildError` for unusable
 * input; single bad rows are rejected and reported in {@link ParsedMonth.rejects}.
 */
export async function parseMonth(options: ParseOptions): Promise<ParsedMonth> {
	const maps = readMapFiles(options.maps ?? []);
	const { files, skipped } = listSourceFiles(options.files);
	const listed = { files: [...files, ...(options.carried ?? [])], skipped };
	const rejects = new RejectFile(options.rejectFile);
	const pool: TaskPool<CsvTasks> = options.pool ?? new WorkerPool<CsvTasks>(options.threads);
	try {
		const parse = new MonthParse({
			maps,
			profile: options.profile ?? null,
			dateFormat: options.dateFormat ?? null,
			chunkBytes: options.chunkBytes ?? CHUNK_BYTES_DEFAULT,
			pool,
			rejects,
			onProgress: options.onProgress ?? null,
		});
		const month = await parse.run(listed);
		rejects.close();
		return month;
	} finally {
		rejects.abandon();
		if (options.pool === undefined) await pool.close();
	}
}
