/**
 * Parses chunks of sources on a worker thread, with dictionaries that persist across chunks.
 *
 * A chunk is parsed speculatively from the first line that starts in it, which is a record's start unless the chunk
 * begins inside a quoted field that spans lines. The reply says where parsing started and where the last record
 * ended, so that the caller can detect a wrong guess and have the chunk parsed again from the right position.
 * Values found by a wrong guess stay in the dictionaries, unused.
 */

import { type ColumnName, columnWithCode } from "../../formats/domain/columns.js";
import { markedEncoding, UTF8_MARK_BYTES } from "../input/byte-order-mark.js";
import { CELL_BYTES_MAX } from "../input/cell-bytes.js";
import { escapedBytes } from "../input/likely-encoding.js";
import { seededDraw } from "../seeded-draw.js";
import { SLACK_BYTES } from "./byte-block.js";
import { QUOTE } from "./byte-classes.js";
import { BLOCK_RECORDS, ChunkMemory, type PlainScanner } from "./chunk-memory.js";
import type { ChunkReject, ChunkReply, ChunkRequest } from "./chunk-messages.js";
import { columnCount } from "./column-count.js";
import { Dictionaries } from "./dictionaries.js";
import { noteRecord, type OddRecords } from "./odd-records.js";
import type { RejectReason, SampledRecord, WorkerDictionary } from "./parsed-month.js";
import { RecordBlock } from "./record-block.js";
import { RecordScanner } from "./record-scanner.js";
import { RowEncoder } from "./row-encoder.js";
import { LicenseTest } from "./skipped-records.js";
import { withinTime } from "./time-limit.js";

const LF = 0x0a;
const CR = 0x0d;
/** Initial scratch bytes at the start of a chunk's copy; a block that needs more moves to another buffer. */
const SCRATCH_BYTES = 1 << 18;
/** Maximum characters of a line that `skipMatching` is matched against. */
const MATCHED_CHARACTERS_MAX = 4096;
/** Maximum milliseconds that a chunk takes where lines are matched, some fifty times what 8 MiB of short lines take. */
const MATCHED_CHUNK_MS_MAX = 20_000;
/** Maximum bytes kept of a rejected record. */
const RAW_BYTES_MAX = 1 << 16;
/** Maximum characters kept of its faulty cell. */
const FOUND_CHARACTERS_MAX = 60;
/** Reasons that a cell's text explains. */
const REASONS_OF_TEXTS: readonly RejectReason[] = [
	...(["unreadable_date", "impossible_date", "invalid_integer"] as const),
	...(["unknown_jurisdiction", "country_mismatch", "invalid_utf8"] as const),
];

/** One record is sampled of every so many blocks, beginning with the first: about one in 2,000. */
const SAMPLED_BLOCKS = 8;
/** Longer records are not sampled: a drop of nothing else would be kept in memory. */
const SAMPLE_BYTES_MAX = 1 << 16;

const rawDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The state for parsing one source. */
interface SourceParser {
	readonly source: number;
	readonly memory: ChunkMemory;
	readonly scanner: RecordScanner;
	/** Scans most records; null where it cannot, or must not. */
	readonly plain: PlainScanner | null;
	readonly block: RecordBlock;
	readonly encoder: RowEncoder;
	/** The pattern of lines to skip, or null. */
	readonly skipped: RegExp | null;
	/** Tells which of them are licenses. */
	readonly licenses: LicenseTest;
}

/** One worker's state of one month's parse. */
export class ChunkParser {
	private readonly dictionaries = new Dictionaries();
	private parser: SourceParser | null = null;

	/** `matchedMs`: the most milliseconds that a chunk may take whose lines are matched with `skipMatching`. */
	constructor(private readonly matchedMs = MATCHED_CHUNK_MS_MAX) {}

	/**
	 * Parses one chunk. Cost O(bytes held). Throws `BuildError` `limit_exceeded` for a dictionary past 4 GiB. The parser
	 * cannot be used after the outcome `overtime`.
	 */
	parse(request: ChunkRequest): ChunkReply {
		const { held, final } = request;
		const parser = this.parserOf(request);
		const { data } = parser.memory;
		data.bytes.set(new Uint8Array(request.buffer, 0, held));
		data.bytes[held] = LF;
		parser.block.data = data;
		parser.block.scratchStart = held + 1 + SLACK_BYTES;
		const start = request.start ?? parser.scanner.lineAfter(data.bytes, 0, held, final);
		if (start < 0) return { outcome: "short" };
		const run = new RecordRun(parser, request, start);
		const outcome = parser.skipped === null ? run.parse() : withinTime(this.matchedMs, () => run.parse());
		if (outcome === undefined) return { outcome: "overtime", start, line: run.lines };
		const { rows, codes, text, oddities } = parser.encoder.take();
		if (outcome === "short") return { outcome };
		const { position: end, lines, blankLines, skippedLines, skippedRecords, shortRecords, rejects } = run;
		if (outcome === "overlong") return { outcome, start, line: lines };
		const part = { rows, codes, text, samples: run.samples };
		const counts = { lines, blankLines, skippedLines, skippedRecords, shortRecords };
		return { outcome, start, end, ...counts, part, rejects, oddities };
	}

	/** The worker's dictionaries. The parser cannot be used afterwards. */
	takeDictionaries(): Map<ColumnName, WorkerDictionary> {
		return this.dictionaries.take();
	}

	/** The parser of the request's source, whose memory has room for the chunk; it may be modified as cells are cleaned. */
	private parserOf({ plan, held }: ChunkRequest): SourceParser {
		const needed = held + 1 + SLACK_BYTES + (plan.steps.length > 0 ? SCRATCH_BYTES : 0);
		const last = this.parser;
		if (last?.source === plan.source && last.memory.data.bytes.length >= needed) return last;
		const memory = new ChunkMemory(plan.fields + plan.virtualFields, needed, last?.memory ?? null);
		const skipped = plan.skipMatching === null ? null : new RegExp(plan.skipMatching, "u");
		this.parser = {
			source: plan.source,
			memory,
			scanner: new RecordScanner(plan.delimiter, plan.fields, memory.table, plan.quotes, plan.fieldsMin),
			plain:
				skipped === null && plan.quotes
					? memory.plainScanner(plan.delimiter, plan.fields, CELL_BYTES_MAX)
					: null,
			block: new RecordBlock(memory),
			encoder: new RowEncoder(plan, this.dictionaries),
			skipped,
			licenses: new LicenseTest(plan),
		};
		return this.parser;
	}
}

/** The records of one chunk. */
class RecordRun {
	lines = 0;
	blankLines = 0;
	skippedLines = 0;
	readonly skippedRecords: OddRecords = { count: 0, samples: [] };
	readonly shortRecords: OddRecords = { count: 0, samples: [] };
	/** In order, once parsing is complete. */
	readonly rejects: ChunkReject[] = [];
	readonly samples: SampledRecord[] = [];
	private readonly draw: (bound: number) => number;
	private blocks = 0;
	/** The chunk's original bytes. */
	private readonly raw: Uint8Array;

	/** `position` is where the next record begins. */
	constructor(
		private readonly parser: SourceParser,
		private readonly request: ChunkRequest,
		public position: number,
	) {
		this.raw = new Uint8Array(request.buffer, 0, request.held);
		this.draw = seededDraw(request.sampleSeed);
	}

	/** Parses the records that begin in the chunk. */
	parse(): "parsed" | "short" | "overlong" {
		const { scanner, block } = this.parser;
		const { held, final } = this.request;
		const { bytes } = block.data;
		const last = Math.min(this.request.bytes, held - 1);
		block.clear();
		while (this.position <= last) {
			if (this.skipEmptyLines(last) || this.addPlain(last)) continue;
			const outcome = scanner.scan(bytes, this.scanStart(bytes), held, final, block.records);
			if (outcome === "short" || outcome === "overlong") return outcome;
			if (outcome !== "blank" && this.isSkipped(scanner.next)) this.skip(outcome === "record", scanner.next);
			else if (outcome === "blank" || (outcome === "record" && block.isEmpty(block.records, scanner.fields)))
				this.blankLines++;
			else if (outcome === "record") this.addRecord(scanner.next);
			else this.reject(this.lines, null, scanner.fault, this.position, scanner.next, this.foundColumns());
			this.lines += scanner.lines;
			this.position = scanner.next;
		}
		this.encodeBlock();
		this.rejects.sort((a, b) => a.line - b.line);
		return "parsed";
	}

	/**
	 * Where scanning of the record at the position starts: after a byte-order mark before a quote, as where files that
	 * begin with one were joined. Elsewhere the mark is trimmed as white space; there the quote would not open the field.
	 */
	private scanStart(bytes: Uint8Array): number {
		const marked = this.position + UTF8_MARK_BYTES;
		const isQuoted = this.request.plan.quotes && bytes[marked] === QUOTE;
		return isQuoted && markedEncoding(bytes, this.position) === "utf-8" ? marked : this.position;
	}

	/** Skips the empty lines at the position, which are faster to find than to scan as records; false if there is none. */
	private skipEmptyLines(last: number): boolean {
		const { bytes } = this.parser.block.data;
		const { held } = this.request;
		let position = this.position;
		let lines = 0;
		while (position <= last) {
			if (bytes[position] === LF) position++;
			else if (bytes[position] === CR && position + 1 < held) position += bytes[position + 1] === LF ? 2 : 1;
			else break;
			lines++;
		}
		this.position = position;
		this.lines += lines;
		this.blankLines += lines;
		return lines > 0;
	}

	/** Adds the plain records at the position, as many as the block has room for; false if there is none. */
	private addPlain(last: number): boolean {
		const { plain, block } = this.parser;
		if (plain === null) return false;
		const before = block.records;
		block.records = plain.scan(this.position, last, this.request.held, before);
		if (block.records === before) return false;
		for (let record = before; record < block.records; record++) block.lines[record] = this.lines++;
		this.position = plain.next;
		if (block.records === BLOCK_RECORDS) this.encodeBlock();
		return true;
	}

	/** Whether the record or malformed line up to `next` matches the map's `skipMatching`. */
	private isSkipped(next: number): boolean {
		const { skipped } = this.parser;
		if (skipped === null) return false;
		return skipped.test(rawText(this.raw, this.position, next).slice(0, MATCHED_CHARACTERS_MAX));
	}

	/** Counts a skipped line; `isRecord`: one with as many fields as the header, which the table has. */
	private skip(isRecord: boolean, next: number): void {
		const { block, licenses } = this.parser;
		this.skippedLines++;
		if (isRecord && licenses.isLicense(block.data.bytes, block.table, block.records))
			noteRecord(this.skippedRecords, this.lines, rawText(this.raw, this.position, next));
	}

	private addRecord(next: number): void {
		const { block, scanner } = this.parser;
		if (scanner.fields < this.request.plan.fields)
			noteRecord(this.shortRecords, this.lines, rawText(this.raw, this.position, next));
		const record = block.records++;
		block.markFields();
		block.begins[record] = this.position;
		block.nexts[record] = next;
		block.lines[record] = this.lines;
		if (block.records === BLOCK_RECORDS) this.encodeBlock();
	}

	private encodeBlock(): void {
		const { block, encoder } = this.parser;
		const firstRow = encoder.rows;
		encoder.encode(block);
		if (this.blocks++ % SAMPLED_BLOCKS === 0) this.sample(firstRow);
		for (let record = 0; !block.sound && record < block.records; record++) {
			const fault = block.faultOf(record);
			if (fault === null) continue;
			const column = columnWithCode(fault.column)?.name ?? null;
			const found = REASONS_OF_TEXTS.includes(fault.reason)
				? this.foundText(record, column, fault.reason === "invalid_utf8")
				: null;
			this.reject(
				block.lines[record],
				column,
				fault.reason,
				block.begins[record],
				block.nexts[record],
				found,
			);
		}
		block.clear();
	}

	/** Keeps the bytes of one of the block's rows, the first of which is `firstRow`. */
	private sample(firstRow: number): void {
		const { block } = this.parser;
		if (block.accepted === 0) return;
		const index = this.draw(block.accepted);
		const record = block.selection[index];
		const [begin, next] = [block.begins[record], block.nexts[record]];
		if (next - begin > SAMPLE_BYTES_MAX) return;
		this.samples.push({ row: firstRow + index, bytes: this.raw.slice(begin, next) });
	}

	private reject(
		line: number,
		column: ColumnName | null,
		reason: RejectReason,
		begin: number,
		next: number,
		found: string | null,
	): void {
		this.rejects.push({ line, column, reason, raw: rawText(this.raw, begin, next), found });
	}

	/** The number of columns of the record last scanned, if that is its fault. */
	private foundColumns(): string | null {
		const { fault, fields, next } = this.parser.scanner;
		if (fault !== "wrong_column_count") return null;
		return columnCount(fields, this.request.plan, this.raw.subarray(this.position, next));
	}

	/** The cleaned text of the cell of `column`, in quotes, or its bytes above 7F escaped if `isBytes`. */
	private foundText(record: number, column: ColumnName | null, isBytes: boolean): string | null {
		const field = this.request.plan.targets.find((target) => target.column === column)?.field;
		if (field === undefined) return null;
		const { data, table } = this.parser.block;
		const cell = field * table.records + record;
		const bytes = data.bytes.slice(table.starts[cell], table.ends[cell]);
		if (isBytes) return escapedBytes(bytes.subarray(0, FOUND_CHARACTERS_MAX));
		const text = rawDecoder.decode(bytes);
		const characters = [...text];
		const isLong = characters.length > FOUND_CHARACTERS_MAX;
		return JSON.stringify(isLong ? `${characters.slice(0, FOUND_CHARACTERS_MAX).join("")}\u2026` : text);
	}
}

/** Text of raw[start, end) without the line end, cut at {@link RAW_BYTES_MAX}. */
function rawText(raw: Uint8Array, start: number, end: number): string {
	let stop = end;
	while (stop > start && (raw[stop - 1] === LF || raw[stop - 1] === CR)) stop--;
	return rawDecoder.decode(raw.slice(start, Math.min(stop, start + RAW_BYTES_MAX)));
}
