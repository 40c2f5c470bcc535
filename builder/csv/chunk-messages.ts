/** What is asked of a worker that parses a chunk, and its reply. */

import type { ColumnName } from "../../formats/domain/columns.js";
import type { SourcePlan } from "../input/source-plan.js";
import type { OddRecords } from "./odd-records.js";
import type { ParsedPart, RejectReason } from "./parsed-month.js";
import type { CellOddity } from "./row-encoder.js";

export interface ChunkRequest {
	/** Identifies the month's parse; dictionaries are kept per session. */
	readonly session: number;
	readonly plan: SourcePlan;
	/** Seed of the records sampled. */
	readonly sampleSeed: number;
	readonly buffer: SharedArrayBuffer;
	/** The chunk's own bytes: it owns the records that begin up to this position of the buffer. */
	readonly bytes: number;
	/** Bytes in the buffer. */
	readonly held: number;
	/** Whether the source ends with the buffer. */
	readonly final: boolean;
	/** Where the first record begins; null: at the first line that starts in the chunk. */
	readonly start: number | null;
}

/** A rejected record; `line` is 0-based, relative to the chunk. */
export interface ChunkReject {
	readonly line: number;
	readonly column: ColumnName | null;
	readonly reason: RejectReason;
	/** The record's text; of a malformed record, its first physical line. */
	readonly raw: string;
	/** As `RejectedRow.found`. */
	readonly found: string | null;
}

export type ChunkReply =
	/** The buffer ends within the last record; nothing was kept. */
	| { readonly outcome: "short" }
	/** A physical line, numbered relative to the chunk, exceeds the maximum record length. */
	| { readonly outcome: "overlong"; readonly start: number; readonly line: number }
	/** The map's `skipMatching` took too long, up to a line numbered relative to the chunk; the worker's dictionaries are lost. */
	| { readonly outcome: "overtime"; readonly start: number; readonly line: number }
	| {
			readonly outcome: "parsed";
			/** Where this chunk's first record begins, and the next chunk's. */
			readonly start: number;
			readonly end: number;
			/** Physical lines from start to end. */
			readonly lines: number;
			readonly blankLines: number;
			/** Records and malformed lines skipped because they match the map's `skipMatching`. */
			readonly skippedLines: number;
			/** Those of them that look like licenses; lines are 0-based, relative to the chunk. */
			readonly skippedRecords: OddRecords;
			/** Records that lack cells at the end, which are null. */
			readonly shortRecords: OddRecords;
			readonly part: Omit<ParsedPart, "worker" | "source">;
			readonly rejects: readonly ChunkReject[];
			readonly oddities: readonly CellOddity[];
	  };
