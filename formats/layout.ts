/**
 * The header of every file of a snapshot, and the persisted numbers.
 *
 * | offset | bytes | field | value |
 * |---|---|---|---|
 * | 0 | 8 | magic | `ROLLCALL` in ASCII |
 * | 8 | 4 | version | u32, {@link FORMAT_VERSION} |
 * | 12 | 4 | fileType | u32, one of {@link FILE_TYPE} |
 * | 16 | 4 | month | u32, months since 2000-01 |
 * | 20 | 4 | rows | u32, rows of the snapshot |
 * | 24 | 4 | payloadBytes | u32, bytes after the header |
 * | 28 | 4 | payloadCrc | u32, CRC-32 of the payload of a catalog; 0 in other files |
 * | 32 | 4 | headerCrc | u32, CRC-32 of bytes 0 to 31 |
 * | 36 | 28 | reserved | zero |
 *
 * All numbers are little-endian. Sections start at multiples of {@link SECTION_ALIGNMENT} bytes, so that typed
 * arrays can view a mapping. Codes are frozen: never reused, never renumbered.
 */

import { crc32 } from "./crc32.js";
import { FormatError, invariant } from "./errors.js";

export const MAGIC = "ROLLCALL";

/** Version of the byte layout that is written. Versions from {@link OLDEST_READABLE_VERSION} on are readable. */
export const FORMAT_VERSION = 9;
export const OLDEST_READABLE_VERSION = 1;

/** First version whose stored rows are values with their lengths; before, they were JSON objects. */
export const ROW_VALUES_SINCE_VERSION = 5;

/** Length byte of a value in a stored row that is so long or longer: its length is a word before it. */
export const LONG_VALUE = 255;

export const HEADER_BYTES = 64;
export const SECTION_ALIGNMENT = 64;

/** Maximum size of a file of a snapshot: the limit of one mapping. */
export const MAX_FILE_BYTES = 2 ** 31 - 1;

/** log2 of the rows in one file of the row store, so that a row's segment is a shift. */
export const ROW_SEGMENT_SHIFT = 19;
export const ROWS_PER_SEGMENT = 1 << ROW_SEGMENT_SHIFT;

/** Kinds of file. */
export const FILE_TYPE = { catalog: 1, columns: 2, index: 3, rows: 4, stats: 5, changes: 10 } as const;
export type FileType = (typeof FILE_TYPE)[keyof typeof FILE_TYPE];

/** Kinds of section; formats/SNAPSHOT.md describes the bytes of each. */
export const SECTION = {
	codes: 1,
	dictionaryOffsets: 2,
	dictionaryHeap: 3,
	foldRanks: 4,
	textOffsets: 5,
	textHeap: 6,
	permutation: 7,
	permutationOffsets: 8,
	statePermutation: 9,
	postingOffsets: 10,
	postings: 11,
	bitmapCodes: 12,
	bitmaps: 13,
	cumulativeBounds: 14,
	cumulativeBitmaps: 15,
	rowOffsets: 16,
	rowHeap: 17,
	stats: 18,
	hashIndex: 19,
	orderBuckets: 20,
	orderBucketRanks: 21,
	storedRowOffsets: 22,
	storedRows: 23,
	hashRows: 24,
	orderCountValues: 25,
	orderCounts: 26,
	changeMonths: 40,
	previousRows: 41,
	newRows: 42,
	goneRows: 43,
	changedRows: 44,
	changedFieldRows: 45,
	nameWordOffsets: 60,
	nameWordHeap: 61,
	nameWordsByLength: 62,
	nameLengthStarts: 63,
	nameLetterSets: 64,
	namePostingOffsets: 65,
	namePostings: 66,
	nameValueOffsets: 67,
	nameValueWords: 68,
	nameWordCounts: 69,
	numberBuckets: 70,
	numberCodes: 71,
	stateValueOffsets: 80,
	stateValueCodes: 81,
	stateValueRows: 82,
	stateValueHeads: 83,
	spelledCodes: 90,
	spelledGroups: 91,
	spellingOffsets: 92,
	spellings: 93,
} as const;
export type SectionName = keyof typeof SECTION;
export type SectionKind = (typeof SECTION)[SectionName];

const NAMES = new Map<number, SectionName>(
	(Object.entries(SECTION) as [SectionName, SectionKind][]).map(([name, kind]) => [kind, name]),
);

/** Name of a section kind, or undefined if this version has none. */
export function sectionName(kind: number): SectionName | undefined {
	return NAMES.get(kind);
}

/** Name of the catalog inside a month's folder, and of the row store's folder in it. */
export const CATALOG_FILE = "catalog";
export const ROW_STORE_FOLDER = "rows";

export interface FileHeader {
	readonly version: number;
	readonly fileType: FileType;
	/** Months since 2000-01. */
	readonly month: number;
	readonly rows: number;
	readonly payloadBytes: number;
	readonly payloadCrc: number;
}

const OFFSET = {
	magic: 0,
	version: 8,
	fileType: 12,
	month: 16,
	rows: 20,
	payloadBytes: 24,
	payloadCrc: 28,
	headerCrc: 32,
	reserved: 36,
};

invariant(OFFSET.headerCrc + 4 <= HEADER_BYTES, "the header's fields fit its size");
invariant(HEADER_BYTES % SECTION_ALIGNMENT === 0, "the first section is aligned");

/** The next multiple of {@link SECTION_ALIGNMENT} at or after `offset`. */
export function alignUp(offset: number): number {
	return Math.ceil(offset / SECTION_ALIGNMENT) * SECTION_ALIGNMENT;
}

/** The {@link HEADER_BYTES} bytes of a header. */
export function encodeHeader(header: Omit<FileHeader, "version">): Buffer {
	const bytes = Buffer.alloc(HEADER_BYTES);
	bytes.write(MAGIC, OFFSET.magic, "latin1");
	bytes.writeUInt32LE(FORMAT_VERSION, OFFSET.version);
	bytes.writeUInt32LE(header.fileType, OFFSET.fileType);
	bytes.writeUInt32LE(header.month, OFFSET.month);
	bytes.writeUInt32LE(header.rows, OFFSET.rows);
	bytes.writeUInt32LE(header.payloadBytes, OFFSET.payloadBytes);
	bytes.writeUInt32LE(header.payloadCrc, OFFSET.payloadCrc);
	bytes.writeUInt32LE(crc32(bytes.subarray(0, OFFSET.headerCrc)), OFFSET.headerCrc);
	return bytes;
}

/**
 * The header at the start of `bytes`, in a file of `fileBytes` bytes. Cost O(1). Throws {@link FormatError} for
 * a wrong magic, an unreadable version, another file type, a damaged header, or a file length that contradicts
 * the header.
 */
export function decodeHeader(bytes: Buffer, fileBytes: number, fileType: FileType, path: string): FileHeader {
	if (bytes.length < HEADER_BYTES) {
		throw new FormatError(
			"truncated",
			path,
			`expected a header of ${HEADER_BYTES} bytes, got ${bytes.length} bytes`,
		);
	}
	const magic = bytes.toString("latin1", OFFSET.magic, OFFSET.magic + MAGIC.length);
	if (magic !== MAGIC)
		throw new FormatError("not_a_snapshot_file", path, `expected magic ${MAGIC}, got another`);
	const version = bytes.readUInt32LE(OFFSET.version);
	if (version < OLDEST_READABLE_VERSION || version > FORMAT_VERSION) {
		const readable = `${OLDEST_READABLE_VERSION} to ${FORMAT_VERSION}`;
		const remedy =
			version > FORMAT_VERSION
				? "written by a newer version; update this program or rebuild the month"
				: "no longer supported; rebuild the month";
		const message = `expected format version ${readable}, got ${version}: ${remedy}`;
		throw new FormatError("unsupported_version", path, message);
	}
	const expectedCrc = bytes.readUInt32LE(OFFSET.headerCrc);
	const actualCrc = crc32(bytes.subarray(0, OFFSET.headerCrc));
	if (expectedCrc !== actualCrc) {
		throw new FormatError(
			"checksum_mismatch",
			path,
			`header: expected CRC ${hex(expectedCrc)}, got ${hex(actualCrc)}`,
		);
	}
	if (bytes.subarray(OFFSET.reserved, HEADER_BYTES).some((byte) => byte !== 0)) {
		throw new FormatError("stray_bytes", path, "reserved bytes of the header are not zero");
	}
	const header: FileHeader = {
		version,
		fileType: bytes.readUInt32LE(OFFSET.fileType) as FileType,
		month: bytes.readUInt32LE(OFFSET.month),
		rows: bytes.readUInt32LE(OFFSET.rows),
		payloadBytes: bytes.readUInt32LE(OFFSET.payloadBytes),
		payloadCrc: bytes.readUInt32LE(OFFSET.payloadCrc),
	};
	if (header.fileType !== fileType) {
		throw new FormatError("wrong_file", path, `expected file type ${fileType}, got ${header.fileType}`);
	}
	if (fileBytes !== HEADER_BYTES + header.payloadBytes) {
		const expected = HEADER_BYTES + header.payloadBytes;
		throw new FormatError("truncated", path, `expected ${expected} bytes, got ${fileBytes}`);
	}
	return header;
}

/** Words of a bitmap over `rows` rows, padded to whole cache lines. */
export function bitmapWords(rows: number): number {
	return Math.ceil(rows / 512) * 16;
}

/** A code has a bitmap if it has more than rows / BITMAP_ROWS_PER_HIT rows. */
export const BITMAP_ROWS_PER_HIT = 64;

/** Target number of cumulative bitmaps of a column; a column with large folds has some more. */
export const CUMULATIVE_BUCKETS = 28;
/** Minimum number of rows for cumulative bitmaps. */
export const CUMULATIVE_ROWS_MIN = 65_536;

/** Positions of a sort order whose rows are counted together. */
export const ORDER_COUNT_POSITIONS = 2048;
/** A value is counted in sort orders if it has more than rows / ORDER_COUNT_SHARE rows: fewer than 256 of a column. */
export const ORDER_COUNT_SHARE = 256;

/** Maximum number of order buckets of values. The next number is the bucket of null, so both fit in a byte. */
export const ORDER_BUCKETS_MAX = 255;

/** Words of a group of a hash index: one cache line. */
export const HASH_GROUP_WORDS = 16;
/** In place of a row in hashRows: none, or several have the value. */
export const NO_LONE_ROW = 0xffffffff;
/** Maximum average number of values per group; determines the number of groups. */
export const HASH_GROUP_VALUES = 11;
/** Groups that are probed for a value: the one of its hash and those that follow. */
export const HASH_GROUPS_PROBED = 64;
/** Minimum number of distinct values for a hash index. Smaller dictionaries fit in a few cache lines. */
export const HASH_INDEX_VALUES_MIN = 64;

/** Eight hexadecimal digits of a CRC. */
export function hex(crc: number): string {
	return crc.toString(16).padStart(8, "0");
}
