/**
 * A sheet of an .xlsx workbook as CSV bytes, so that workbooks are parsed like other drops. The sheet is parsed
 * while it is decompressed; memory holds the shared strings, at most 512 MiB, and part of the sheet. Larger
 * contents are refused.
 */

import type { FileHandle } from "node:fs/promises";
import { BuildError } from "../../errors.js";
import type { ByteReader, SourceOddity, WorkbookTraits } from "../byte-reader.js";
import { PieceFiller } from "../piece-filler.js";
import { ALLOWANCE_BYTES, RATIO_MAX, type ZipArchive } from "../zip-archive.js";
import { RecordWriter } from "./record-writer.js";
import { SharedStrings } from "./shared-strings.js";
import { SheetRows } from "./sheet-rows.js";
import { readWorkbook, type Workbook } from "./workbook.js";
import { partBytes } from "./xml-part.js";

/** Bytes of a sheet parsed at a time; limited because a short reference may represent a long text. */
const SLICE_BYTES = 1 << 12;

export interface SheetSettings {
	/** Name of the sheet; null: the first that is not hidden. */
	readonly sheet: string | null;
	readonly delimiter: string;
	/** Columns that the map lists; 0 if the sheet has a header. */
	readonly columns: number;
	readonly mapFile: string | null;
}

export class XlsxReader implements ByteReader {
	readonly workbook: WorkbookTraits;
	private readonly filler = new PieceFiller(() => this.next());
	private readonly pieces: AsyncGenerator<Uint8Array>;
	/** Bytes of the sheet that have not been parsed. */
	private rest: Uint8Array = new Uint8Array(0);
	private readBytes = 0;
	private writtenBytes = 0;
	private ended = false;

	private constructor(
		private readonly archive: ZipArchive,
		private readonly handle: FileHandle | null,
		private readonly parts: Workbook,
		private readonly records: RecordWriter,
		private readonly rows: SheetRows,
	) {
		this.pieces = partBytes(archive, parts.sheet);
		this.workbook = { dayNumbers: parts.is1904 ? "excel1904" : "excel" };
	}

	/**
	 * Opens the sheet that `settings` select; `handle` is closed with the reader, null if the workbook is in memory. Throws
	 * {@link BuildError}.
	 */
	static async open(
		archive: ZipArchive,
		handle: FileHandle | null,
		settings: SheetSettings,
	): Promise<XlsxReader> {
		const { sheet, delimiter, columns, mapFile } = settings;
		const workbook = await readWorkbook(archive, sheet, mapFile);
		const { sharedStrings, styles, is1904 } = workbook;
		const strings = sharedStrings === null ? null : await SharedStrings.read(archive, sharedStrings);
		const records = new RecordWriter(delimiter.charCodeAt(0), columns);
		const context = { file: archive.path, part: workbook.sheet.fileName, strings, styles, is1904 };
		return new XlsxReader(archive, handle, workbook, records, new SheetRows(context, records));
	}

	/** Bytes of the file, in proportion to what was read of the sheet. */
	get sourceBytes(): number {
		const { sizeBytes } = this.archive;
		if (this.ended) return sizeBytes;
		const share = this.readBytes / Math.max(1, this.parts.sheet.uncompressedSize);
		return Math.max(0, Math.min(sizeBytes - 1, Math.floor(sizeBytes * share)));
	}

	/** Oddities of the sheet that no row reveals. */
	oddities(): SourceOddity[] {
		const { otherSheets } = this.parts;
		return [
			...otherSheets.map((name) => ({ kind: "unread_sheet" as const, column: name, count: 1 })),
			...this.rows.oddities.list(),
		];
	}

	read(target: Uint8Array): Promise<number> {
		return this.filler.fill(target);
	}

	async close(): Promise<void> {
		await this.pieces.return(undefined);
		await this.handle?.close();
	}

	private async next(): Promise<Uint8Array | null> {
		while (this.records.bytes === 0) {
			if (this.ended) return null;
			if (this.rest.length === 0) await this.advance();
			this.rows.write(this.rest.subarray(0, SLICE_BYTES));
			this.rest = this.rest.subarray(SLICE_BYTES);
			if (this.ended) this.rows.end();
		}
		const piece = this.records.take();
		this.writtenBytes += piece.length;
		if (this.writtenBytes > RATIO_MAX * this.archive.sizeBytes + ALLOWANCE_BYTES) {
			const rule = `the sheet's cells have more than ${RATIO_MAX} times the bytes of the file`;
			throw new BuildError("limit_exceeded", rule, { file: this.archive.path });
		}
		return piece;
	}

	private async advance(): Promise<void> {
		const next = await this.pieces.next();
		this.ended = next.done === true;
		this.rest = next.done === true ? new Uint8Array(0) : next.value;
		this.readBytes += this.rest.length;
	}
}
