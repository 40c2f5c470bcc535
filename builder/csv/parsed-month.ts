/**
 * What the CSV half of the builder hands to the compiling half: a month's rows as columns in memory.
 *
 * Rows lie in parts, in CSV order: part 0's rows come first, and within a part row 0 first. Each part
 * was parsed by one worker, and its codes point into that worker's dictionaries, which share no
 * numbering with another worker's. How rows fall into parts and workers depends on the number of
 * threads and the size of chunks; the sequence of rows and their values do not.
 *
 * Values are UTF-8, trimmed like String.trim(), never empty. Dates are ISO `YYYY-MM-DD` days that the
 * calendar has; `agent_count` is decimal digits without leading zeros; `state` is a known jurisdiction
 * and `country` the one it lies in, both in every row.
 *
 * Every typed array lies over a SharedArrayBuffer of its own, so that worker tasks read it without a
 * copy; memory goes when the last reference goes (`Map.delete` here, on columns that are done).
 */

import type { ColumnName } from "../../formats/columns.js";
import type { SourcePlan } from "../input/source-plan.js";

/** Code of null in {@link ParsedPart.codes}. */
export const NULL_CODE = 0xffffffff;

/** Distinct values of one column as one worker met them, in no order. */
export interface WorkerDictionary {
	/** Number of values. Some may be used by no row: rejected rows leave theirs behind. */
	readonly count: number;
	/** `count + 1` offsets into `heap`: value c occupies [offsets[c], offsets[c + 1]). */
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

/** One text column of one part; an empty value is null. */
export interface PartText {
	/** `rows + 1` offsets into `heap`. */
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

/** A run of consecutive rows of one source. */
export interface ParsedPart {
	/** Index into {@link ParsedMonth.dictionaries}. */
	readonly worker: number;
	/** Index into {@link ParsedMonth.sources}. */
	readonly source: number;
	readonly rows: number;
	/** Code per row of every dictionary column (kinds dict, date, int) that the source has; a column without an entry is all null. */
	readonly codes: Map<ColumnName, Uint32Array>;
	/** Every text column (kind string) that the source has; a column without an entry is all null. */
	readonly text: Map<ColumnName, PartText>;
	/** By ascending row. */
	readonly samples: readonly SampledRecord[];
}

/** A record as it was read, kept to compare its row with the finished files. */
export interface SampledRecord {
	/** Within the part. */
	readonly row: number;
	/** The record's bytes, its line end included: after decompression and recoding, before any cell is cleaned. */
	readonly bytes: Uint8Array;
}

/** Why a row was rejected. Frozen names: they stand in reject files. */
export const REJECT_REASONS = [
	/** Text other than a delimiter or line end after a closing quote. */
	"stray_quote",
	/** A quoted field swallows a line that is a whole record by itself: a quote nobody closed. */
	"lone_quote",
	/** A quoted field is still open at the end of the file. */
	"unterminated_quote",
	/** A quoted field longer than 1 MiB, or an unquoted line longer than 16 MiB. */
	"field_too_long",
	"wrong_column_count",
	"invalid_utf8",
	/** A cell longer than 4,096 bytes once trimmed. */
	"cell_too_long",
	/** A date in none of the source's formats. */
	"unreadable_date",
	/** A date in a known format of a day that the calendar does not have. */
	"impossible_date",
	/** `agent_count` other than decimal digits, or above 999,999,999. */
	"invalid_integer",
	/** `state` is no code or name of a jurisdiction; also where it is empty. */
	"unknown_jurisdiction",
	/** `country` is not the country `state` lies in. */
	"country_mismatch",
] as const;

export type RejectReason = (typeof REJECT_REASONS)[number];

/** One rejected row, as in the reject file. */
export interface RejectedRow {
	/** Path as the operator gave it. */
	readonly file: string;
	/** Physical line the record starts at, 1-based, the header counted. */
	readonly line: number;
	/** The column at fault; null where the record as a whole is. */
	readonly column: ColumnName | null;
	readonly reason: RejectReason;
	/** The start of the record's text, at most {@link SAMPLE_CHARACTERS_MAX} characters; bytes that are not UTF-8 read as U+FFFD. */
	readonly raw: string;
}

export const SAMPLE_CHARACTERS_MAX = 500;

/** Samples kept of each reason: the first ones in row order. */
export const SAMPLES_PER_REASON = 10;

export interface RejectSummary {
	readonly rows: number;
	/** Reasons that occurred, most rows first. */
	readonly reasons: readonly {
		readonly reason: RejectReason;
		readonly rows: number;
		readonly samples: readonly RejectedRow[];
	}[];
}

/** What is odd in a source yet costs no row. Frozen names. */
export const ODDITIES = [
	/** A header name that is no column of ours; its cells are skipped. */
	"unknown_column",
	/** A column that the builder makes itself, such as `id`; the header's is ignored. */
	"builder_made_column",
	/** A column without a name in the header; its cells are skipped. */
	"nameless_column",
	/** A header name that the map fills a column from and the file does not have. */
	"mapped_header_absent",
	/** Cells that hold a NUL or another control character (tab and line ends inside quotes too); kept. */
	"control_characters",
	/** Dates that were unreadable or impossible and became null (`invalidDates: "null"`). */
	"nulled_date",
	/** Cells that became null because the map calls their text a spelling of null. */
	"null_spelling",
	/** An entry of a folder given that is no drop by its name; not read. */
	"skipped_file",
	/** Cells that a map's `split` pattern does not fit; their parts are null. */
	"unsplit_cell",
	/** Cells replaced by a map's `values`. */
	"replaced_value",
	/** Whole numbers filled up with zeros by a map's `pad`. */
	"padded_number",
	/** Numbers whose `.0` a map's `trimDecimal` dropped. */
	"trimmed_decimal",
	/** Rows whose `state` is a name, or a code in another spelling; read as the code. */
	"state_name",
	/** A sheet of a workbook besides the one read, by its name. */
	"unread_sheet",
	/** Cells of a workbook whose formula failed, such as `#N/A`; they are null. */
	"formula_error",
	/** Lines before the header, skipped by `skipLines` or `headerMatch`. */
	"preamble_line",
	/** Last lines, skipped by `skipFooter`. */
	"footer_line",
	/** Lines skipped by `skipMatching`. */
	"skipped_line",
	/** The file ends without a line end, as one that was cut off does. */
	"no_final_newline",
	/** Blank lines between records; skipped. */
	"blank_line",
	/** The file begins with a byte-order mark; skipped. */
	"byte_order_mark",
] as const;

export type OddityKind = (typeof ODDITIES)[number];

export interface Oddity {
	readonly kind: OddityKind;
	/** Path as the operator gave it. */
	readonly file: string;
	/** Our column, or the header's name; null where the oddity is no column's. */
	readonly column: string | null;
	/** Cells, lines or columns it was seen in. */
	readonly count: number;
	/** What the column's name probably is another spelling of. */
	readonly likely?: string;
}

/** One input file. */
export interface ParsedSource {
	/** Path as the operator gave it; `-` for standard input. */
	readonly file: string;
	/** Bytes read, before decompression. */
	readonly bytes: number;
	readonly rows: number;
	readonly rejects: number;
	/** Whether its rows were carried over from a published month. */
	readonly carried?: boolean;
}

export interface ParsedMonth {
	readonly rows: number;
	/** Columns that at least one source has (by header, map or constant; `country` always), in output order. */
	readonly columns: readonly ColumnName[];
	/** By worker: its dictionaries by column. */
	readonly dictionaries: readonly Map<ColumnName, WorkerDictionary>[];
	/** In row order. */
	readonly parts: readonly ParsedPart[];
	/** In the order read. */
	readonly sources: readonly ParsedSource[];
	/** By source: how its fields become columns. */
	readonly plans: readonly SourcePlan[];
	/** Columns whose values the contacts of an enrichment may have replaced. */
	readonly enrichedColumns: readonly ColumnName[];
	readonly rejects: RejectSummary;
	readonly oddities: readonly Oddity[];
}
