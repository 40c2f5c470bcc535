/**
 * The result of parsing: a month's rows as columns in memory.
 *
 * Rows are divided into parts, in CSV order. Each part was parsed by one worker, and its codes refer to that
 * worker's dictionaries, which are independent of other workers'. How rows are divided into parts and workers
 * depends on the number of threads and the size of chunks; the sequence of rows and their values do not.
 *
 * Values are UTF-8, trimmed like String.trim(), never empty. Dates are ISO `YYYY-MM-DD` days that exist in the
 * calendar; `agent_count` is decimal digits without leading zeros; every row has a `state`, a known
 * jurisdiction, and its `country`.
 *
 * Every typed array has a SharedArrayBuffer of its own, so that worker tasks read it without a copy; memory is
 * freed with the last reference (`Map.delete` here, for columns that have been processed).
 */

import type { ColumnName } from "../../formats/domain/columns.js";
import type { OddSample } from "../input/byte-reader.js";
import type { DayNumbers } from "../input/day-numbers.js";
import type { SourcePlan } from "../input/source-plan.js";

/** Code of null in {@link ParsedPart.codes}. */
export const NULL_CODE = 0xffffffff;

/** Values of one column as one worker encountered them, unordered; with duplicates if nearly all are distinct (interner.ts). */
export interface WorkerDictionary {
	/** Number of values. Some may be used by no row, left by rejected rows. */
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

/** Consecutive rows of one source. */
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
	/** In ascending order of rows. */
	readonly samples: readonly SampledRecord[];
}

/** A record as it was read, kept to compare its row with the finished files. */
export interface SampledRecord {
	/** Within the part. */
	readonly row: number;
	/** The record's bytes, its line end included: after decompression and recoding, before any cell is cleaned. */
	readonly bytes: Uint8Array;
}

/** Why a row was rejected. Frozen names: reject files contain them. */
export const REJECT_REASONS = [
	/** Text other than a delimiter or line end after a closing quote. */
	"stray_quote",
	/** A quoted field contains a line that is a complete record: an unclosed quote. */
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
	/** A date in a known format that does not exist in the calendar. */
	"impossible_date",
	/** `agent_count` other than decimal digits, or above 999,999,999. */
	"invalid_integer",
	/** `state` is empty or names no jurisdiction, neither by code nor by name. */
	"unknown_jurisdiction",
	/** `country` is not the country of `state`. */
	"country_mismatch",
	/** Every cell in use is its column's name in the header. */
	"repeated_header",
] as const;

export type RejectReason = (typeof REJECT_REASONS)[number];

/** One rejected row, as in the reject file. */
export interface RejectedRow {
	/** Path as the operator gave it. */
	readonly file: string;
	/** Physical line the record starts at, 1-based, including the header. */
	readonly line: number;
	/** The faulty column; null if the record as a whole is faulty. */
	readonly column: ColumnName | null;
	readonly reason: RejectReason;
	/**
	 * The faulty cell's text in quotes, with escapes as `\\xe9` for bytes where it is not UTF-8, or the number of columns;
	 * null where neither explains the reason.
	 */
	readonly found: string | null;
	/** The start of the record's text, at most {@link SAMPLE_CHARACTERS_MAX} characters; bytes that are not UTF-8 read as U+FFFD. */
	readonly raw: string;
	/** How the file counts days, if it is a workbook. */
	readonly dayNumbers?: DayNumbers;
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

/** Peculiarities of a source that reject no row. Frozen names. */
export const ODDITIES = [
	/** No map given matches the file's name, so it is read without one. */
	"no_map",
	/** A header name that is not a column; its cells are skipped. */
	"unknown_column",
	/** A column that the builder generates, such as `id`; the file's is ignored. */
	"builder_made_column",
	/** A column without a name in the header; its cells are skipped. */
	"nameless_column",
	/** A header name that the map reads but the file does not have. */
	"mapped_header_absent",
	/**
	 * Cells with a NUL or another control character; kept. They include tabs and line ends inside quotes, and quotes and
	 * dashes of windows-1252 that were read as latin1.
	 */
	"control_characters",
	/** Cells with U+FFFD or with UTF-8 that was read in a single-byte encoding, such as `Ã©`; kept. */
	"garbled_characters",
	/**
	 * Cells with characters that nothing shows, such as zero-width spaces, marks of direction and soft hyphens; kept. A
	 * license number with one is not found by what is read of it.
	 */
	"invisible_characters",
	/** Dates that were unreadable or impossible and became null (`invalidDates: "null"`). */
	"nulled_date",
	/** Cells that became null because the map lists their text under `nulls`. */
	"null_spelling",
	/** An entry of a given folder or archive that does not have the name of a drop; not read. */
	"skipped_file",
	/** Cells that a map's `split` pattern does not match; their parts are null. */
	"unsplit_cell",
	/** Cells replaced by a map's `values`. */
	"replaced_value",
	/** Whole numbers padded with zeros by a map's `pad`. */
	"padded_number",
	/** Numbers whose `.0` was removed by a map's `trimDecimal`. */
	"trimmed_decimal",
	/** Formulas of a text, such as `="0123"`, replaced by the text by a map's `trimFormula`. */
	"trimmed_formula",
	/** Rows whose `state` is a name, or a code in another spelling; stored as the code. */
	"state_name",
	/** Rows of other states than most of a source whose `state` is probably that of addresses; read as it is. */
	"address_state",
	/** A sheet of a workbook other than the one read, by its name. */
	"unread_sheet",
	/** Cells of a workbook whose formula failed, such as `#N/A`; they are null. */
	"formula_error",
	/** Cells of a workbook with a formula that no program has calculated, by column; they are null. */
	"uncalculated_formula",
	/** Number cells of a workbook, by column, whose format shows zeros, text or a time that is not read; read without them. */
	"bare_number",
	/** Cells of a workbook that a merged cell above them covers, by its first column; they are null. */
	"merged_cell",
	/** Rows of a workbook that are hidden; read. */
	"hidden_row",
	/** Lines before the header, skipped by `skipLines` or `headerMatch`. */
	"preamble_line",
	/** Lines at the end, skipped by `skipFooter`. */
	"footer_line",
	/** Lines skipped by `skipMatching`. */
	"skipped_line",
	/** Lines skipped by one of these settings that have as many cells as the header, a state, a license number and another value. */
	"skipped_record",
	/** Records that lack cells at the end, which are null (`missingCells: "null"`). */
	"short_record",
	/** The file does not end with a line end, as a truncated one does. */
	"no_final_newline",
	/** The file ends with the end-of-file mark of DOS, Ctrl-Z; skipped. */
	"end_of_file_mark",
	/** Blank lines between records, and records whose cells are all empty; skipped. */
	"blank_line",
	/** The file begins with a byte-order mark; skipped. */
	"byte_order_mark",
] as const;

export type OddityKind = (typeof ODDITIES)[number];

export interface Oddity {
	readonly kind: OddityKind;
	/** Path as the operator gave it. */
	readonly file: string;
	/** Our column, or the header's name; null if the oddity concerns no column. */
	readonly column: string | null;
	/** Cells, lines or columns concerned. */
	readonly count: number;
	/** The column or header name that the name is probably a misspelling of. */
	readonly likely?: string;
	/** The first places. */
	readonly samples?: readonly OddSample[];
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
	/** Columns that at least one source has (by header, map or constant; always `country`), in output order. */
	readonly columns: readonly ColumnName[];
	/** By worker: its dictionaries by column. */
	readonly dictionaries: readonly Map<ColumnName, WorkerDictionary>[];
	/** In row order. */
	readonly parts: readonly ParsedPart[];
	/** In the order read. */
	readonly sources: readonly ParsedSource[];
	/** By source: how its fields become columns. */
	readonly plans: readonly SourcePlan[];
	/** Columns whose values may come from the contacts of an enrichment. */
	readonly enrichedColumns: readonly ColumnName[];
	readonly rejects: RejectSummary;
	readonly oddities: readonly Oddity[];
}

/** Has the memory of a month's codes and dictionaries freed; its texts and samples remain. */
export function releaseCodes({ parts, dictionaries }: ParsedMonth): void {
	for (const { codes } of parts) codes.clear();
	for (const columns of dictionaries) columns.clear();
}
