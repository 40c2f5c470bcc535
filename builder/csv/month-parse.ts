/**
 * Parses a month's sources in parallel, with the same result as a sequential parse.
 *
 * This thread reads the sources in chunks and gives each to a worker, which guesses where the first record of
 * its chunk begins. Results are taken in order: if a chunk's guess is not where the chunk before it ended, the
 * chunk is parsed again from there. So rows and rejects depend neither on the number of threads nor on the size
 * of chunks.
 *
 * Memory: the columns, and for every thread two chunks, one chunk's columns, and dictionaries.
 */

import type { ColumnName } from "../../formats/domain/columns.js";
import type { Profile } from "../../formats/domain/reso.js";
import { BuildError } from "../errors.js";
import type { ByteReader } from "../input/byte-reader.js";
import { type Chunk, ChunkBuffers, ChunkReader } from "../input/chunk-reader.js";
import { requireDayNumbers } from "../input/day-numbers.js";
import { EndMarkReader } from "../input/end-mark-reader.js";
import { FooterReader } from "../input/footer-reader.js";
import { mapForFile, NO_MAP, type SourceMap } from "../input/map-file.js";
import { openBytes } from "../input/open-bytes.js";
import type { SourceFile, SourceFiles } from "../input/source-files.js";
import { planSource, type SourcePlan } from "../input/source-plan.js";
import { expandArchives } from "../input/zip-reader.js";
import type { TaskPool, TaskResult } from "../workers/task-pool.js";
import { rowsOfAddressStates } from "./address-states.js";
import type { ChunkReply } from "./chunk-messages.js";
import { readHeader } from "./header.js";
import { MonthTally } from "./month-tally.js";
import { type OddRecords, placedFrom } from "./odd-records.js";
import type { Oddity, OddityKind, ParsedMonth, ParsedPart, WorkerDictionary } from "./parsed-month.js";
import type { RejectFile } from "./reject-file.js";
import { recordsIn } from "./skipped-records.js";
import { noteSource, sheetNote, unmatchedNote } from "./source-notes.js";
import type { CsvTasks } from "./tasks.js";
import { unparsableLine } from "./unparsable-line.js";

export interface ParseProgress {
	/** Bytes of the sources read so far, as stored on disk. */
	readonly bytes: number;
	/** Total bytes to read; null if a source's size is unknown, such as standard input's. */
	readonly totalBytes: number | null;
	/** Rows parsed so far. */
	readonly rows: number;
}

export interface MonthParseSettings {
	readonly maps: readonly SourceMap[];
	readonly profile: Profile | null;
	readonly dateFormat: string | null;
	readonly chunkBytes: number;
	readonly pool: TaskPool<CsvTasks>;
	readonly rejects: RejectFile;
	readonly onProgress: ((progress: ParseProgress) => void) | null;
}

/** A source whose chunks are being parsed. */
interface OpenSource {
	readonly index: number;
	readonly file: string;
	readonly bytes: ByteReader;
	/** The same bytes without an end-of-file mark. */
	readonly unmarked: EndMarkReader;
	readonly reader: ChunkReader;
	readonly plan: SourcePlan;
	/** Line of the first record. */
	readonly firstLine: number;
	/** Where the next record begins, in the source's decoded bytes, and its physical line. */
	position: number;
	line: number;
}

interface ChunkInFlight {
	readonly source: OpenSource;
	readonly chunk: Chunk;
	readonly result: Promise<TaskResult<ChunkReply>>;
}

type ParsedChunk = Extract<ChunkReply, { outcome: "parsed" }>;

const LF = 0x0a;
const CR = 0x0d;

let sessions = 0;

export class MonthParse {
	private readonly session = ++sessions;
	private readonly tally = new MonthTally();
	private readonly parts: ParsedPart[] = [];
	private readonly inFlight: ChunkInFlight[] = [];
	private readonly buffers: ChunkBuffers;
	private readonly open = new Set<ByteReader>();
	/** Workers that have a dictionary of this parse. */
	private readonly workers = new Set<number>();
	private totalBytes: number | null = 0;

	constructor(private readonly settings: MonthParseSettings) {
		this.buffers = new ChunkBuffers(settings.chunkBytes);
	}

	/** Parses the sources. Throws {@link BuildError}. */
	async run(given: SourceFiles): Promise<ParsedMonth> {
		const { maps } = this.settings;
		const { files, skipped } = await expandArchives(
			given,
			(name, archive) => mapForFile(maps, name, archive).skip,
		);
		if (files.length === 0) throw new BuildError("no_files", 'maps skip every file: see their "skip"');
		this.totalBytes = files.reduce<number | null>(
			(sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
			0,
		);
		try {
			for (const file of files) await this.parseSource(file);
			await this.settleTo(0);
		} catch (error) {
			this.discardDictionaries();
			throw error;
		} finally {
			for (const bytes of this.open) await bytes.close();
		}
		const dictionaries = await this.takeDictionaries();
		const { tally, parts } = this;
		for (const [source, rows] of rowsOfAddressStates(parts, dictionaries, tally.plans))
			tally.addOddity(source, "address_state", "state", rows);
		return {
			rows: tally.rows,
			columns: tally.columns(),
			dictionaries,
			parts,
			sources: tally.parsedSources(),
			plans: tally.plans,
			enrichedColumns: [],
			rejects: tally.rejects(),
			oddities: [...skipped.map(skippedFile), ...tally.oddities()],
		};
	}

	private async parseSource(file: SourceFile): Promise<void> {
		const index = this.tally.addSource(file);
		const isCarried = file.open !== undefined;
		const given = isCarried ? NO_MAP : this.mapFor(file);
		const isUnmatched = !isCarried && this.settings.maps.length > 0 && given.path === null;
		if (isUnmatched) this.tally.addOddity(index, "no_map", null, 1);
		const bytes = withoutFooter(file.path, await openBytes(file, given), given);
		// The records of a workbook are written with quotes when it is read.
		const map = bytes.workbook == null ? given : { ...given, quotes: true };
		this.open.add(bytes);
		const unmarked = new EndMarkReader(bytes);
		const reader = new ChunkReader(unmarked, this.buffers);
		const first = await reader.next();
		const dateFormat = isCarried ? null : this.settings.dateFormat;
		const notes = () => [...unmatchedNote(isUnmatched), ...sheetNote(bytes)];
		const { header, planned } = await noteSource(file, notes, async () => {
			if (first === null) throw new BuildError("empty_file", "the file is empty", { file: file.path });
			const header = await readHeader(file.path, first, reader, map);
			const place = { file: file.path, line: header.line };
			const planned = planSource(index, header.names, map, dateFormat, place);
			const dayNumbers = bytes.workbook?.dayNumbers;
			if (dayNumbers !== undefined) requireDayNumbers(planned.plan, dayNumbers, file.path, map.path);
			return { header, planned };
		});
		this.tally.addHeader(index, planned);
		this.tally.addOddity(index, "preamble_line", null, header.preamble);
		this.addRecords(
			index,
			"skipped_record",
			recordsIn(header.preambleBytes, header.preamble, planned.plan),
			1,
		);
		if (header.byteOrderMark) this.tally.addOddity(index, "byte_order_mark", null, 1);
		const { plan } = planned;
		const source = {
			index,
			file: file.path,
			bytes,
			unmarked,
			reader,
			plan,
			firstLine: header.nextLine,
			position: header.end,
			line: header.nextLine,
		};
		for (let chunk: Chunk | null = first; chunk !== null; chunk = await reader.next()) {
			this.inFlight.push(this.dispatch(source, chunk, chunk === first ? header.end : null));
			await this.settleTo(2 * this.settings.pool.size);
		}
	}

	/** The map of a file; its profile defaults to that of all files. */
	private mapFor({ path, inside }: SourceFile): SourceMap {
		const { maps, profile } = this.settings;
		const map = mapForFile(maps, inside?.entry ?? path, inside?.archive);
		return map.profile === null ? { ...map, profile } : map;
	}

	/** Starts to parse a chunk from `start`, or from the first line that starts in it. */
	private dispatch(source: OpenSource, chunk: Chunk, start: number | null): ChunkInFlight {
		const result = this.parse(source, chunk, start, false);
		// Its failure is reported when its result is taken; an earlier chunk's failure takes precedence.
		result.then(
			({ worker }) => this.workers.add(worker),
			() => undefined,
		);
		return { source, chunk, result };
	}

	private parse(
		{ plan }: OpenSource,
		{ offset, buffer, bytes, held, final }: Chunk,
		start: number | null,
		urgent: boolean,
	): Promise<TaskResult<ChunkReply>> {
		const { session } = this;
		return this.settings.pool.runWithWorker(
			"parse-chunk",
			{ session, plan, sampleSeed: offset, buffer, bytes, held, final, start },
			{ urgent },
		);
	}

	/** Takes results, oldest first, until at most `chunks` are in flight. */
	private async settleTo(chunks: number): Promise<void> {
		while (this.inFlight.length > chunks) {
			await this.settle(this.inFlight[0]);
			this.inFlight.shift();
		}
	}

	/** Takes the result of the oldest chunk in flight. */
	private async settle({ source, chunk, result }: ChunkInFlight): Promise<void> {
		const guessed = await result;
		const start = source.position - chunk.offset;
		// A record begun in an earlier chunk may extend past this one, or to the end of the source.
		if (start <= chunk.bytes && start < chunk.held) {
			const { output, worker } = await this.parseFrom(source, chunk, start, guessed);
			this.accept(source, chunk, output, worker);
		}
		const lastByte = new Uint8Array(chunk.buffer)[chunk.held - 1];
		source.reader.release(chunk);
		this.tally.setBytes(source.index, source.bytes.sourceBytes);
		if (isLast(chunk)) {
			this.addEnd(source, lastByte);
			this.open.delete(source.bytes);
			await source.bytes.close();
		}
		const { onProgress } = this.settings;
		if (onProgress !== null) {
			onProgress({ bytes: this.tally.bytes, totalBytes: this.totalBytes, rows: this.tally.rows });
		}
	}

	/** Counts oddities that only the end of a source reveals. */
	private addEnd({ index, bytes, unmarked, plan, firstLine, line }: OpenSource, lastByte: number): void {
		if (unmarked.found) this.tally.addOddity(index, "end_of_file_mark", null, 1);
		for (const { kind, column, count, row = firstLine, samples } of bytes.oddities?.() ?? []) {
			if (row < firstLine) continue;
			const name = typeof column === "number" ? (plan.names[column] ?? null) : column;
			this.tally.addOddity(index, kind, name, count, samples);
		}
		if (bytes instanceof FooterReader) {
			this.tally.addOddity(index, "footer_line", null, bytes.skipped);
			this.addRecords(index, "skipped_record", recordsIn(bytes.footer, Number.POSITIVE_INFINITY, plan), line);
		} else if (!unmarked.found && lastByte !== LF && lastByte !== CR)
			this.tally.addOddity(index, "no_final_newline", null, 1);
	}

	/**
	 * The chunk parsed from `start`: the guess if it was right, else parsed again, with a longer look-ahead if
	 * necessary.
	 */
	private async parseFrom(
		source: OpenSource,
		chunk: Chunk,
		start: number,
		guessed: TaskResult<ChunkReply>,
	): Promise<{ output: ParsedChunk; worker: number }> {
		let { output, worker } = guessed;
		let held = chunk;
		while (output.outcome !== "parsed" || output.start !== start) {
			if (output.outcome === "overtime" || (output.outcome === "overlong" && output.start === start)) {
				const line = output.start === start ? source.line + output.line : null;
				throw unparsableLine(output.outcome, source.file, line);
			}
			if (output.outcome === "short") held = await source.reader.lengthen(held);
			({ output, worker } = await this.parse(source, held, start, true));
			this.workers.add(worker);
		}
		return { output, worker };
	}

	private accept(source: OpenSource, chunk: Chunk, parsed: ParsedChunk, worker: number): void {
		const { tally } = this;
		const { index, file, bytes } = source;
		const traits = bytes.workbook ?? {};
		if (parsed.part.rows > 0) this.parts.push({ worker, source: index, ...parsed.part });
		tally.addRows(index, parsed.part.rows);
		tally.addOddity(index, "blank_line", null, parsed.blankLines);
		tally.addOddity(index, "skipped_line", null, parsed.skippedLines);
		this.addRecords(index, "skipped_record", parsed.skippedRecords, source.line);
		this.addRecords(index, "short_record", parsed.shortRecords, source.line);
		for (const { kind, column, count, samples = [] } of parsed.oddities)
			tally.addOddity(index, kind, column, count, placedFrom(source.line, samples));
		for (const { line, ...rest } of parsed.rejects) {
			const reject = { file, line: source.line + line, ...rest, ...traits };
			tally.addReject(index, reject);
			this.settings.rejects.append(reject);
		}
		source.position = chunk.offset + parsed.end;
		source.line += parsed.lines;
	}

	/** Counts records with an oddity, whose lines are relative to `line`. */
	private addRecords(index: number, kind: OddityKind, { count, samples }: OddRecords, line: number): void {
		this.tally.addOddity(index, kind, null, count, placedFrom(line, samples));
	}

	private takeDictionaries(): Promise<ParsedMonth["dictionaries"]> {
		const { pool } = this.settings;
		const taken = Array.from({ length: pool.size }, (_, worker) =>
			this.workers.has(worker)
				? pool.run("take-dictionaries", this.session, { worker })
				: new Map<ColumnName, WorkerDictionary>(),
		);
		return Promise.all(taken);
	}

	/** Has the workers forget a parse that failed: the calling thread may be one, and run other parses. */
	private discardDictionaries(): void {
		Promise.allSettled(this.inFlight.map(({ result }) => result))
			.then(() => this.takeDictionaries())
			.catch(() => undefined);
	}
}

function withoutFooter(path: string, bytes: ByteReader, { skipFooter }: SourceMap): ByteReader {
	return skipFooter === 0 ? bytes : new FooterReader(path, bytes, skipFooter);
}

/** Whether a source has no chunk after this one. */
function isLast({ final, bytes, held }: Chunk): boolean {
	return final && bytes === held;
}

function skippedFile(file: string): Oddity {
	return { kind: "skipped_file", file, column: null, count: 1 };
}
