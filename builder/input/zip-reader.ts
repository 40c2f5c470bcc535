/**
 * Drops inside a .zip archive: the entries with the name of a drop that no map skips, decompressed as they are read, or
 * workbooks where there is none. Other entries are skipped and reported. Memory: the stream's buffers; a workbook's bytes as well.
 */

import { type FileHandle, open } from "node:fs/promises";
import type { Entry } from "yauzl";
import { BuildError, systemErrorText } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import { HandleReader } from "./handle-reader.js";
import type { SourceFile, SourceFiles } from "./source-files.js";
import { StreamReader } from "./stream-reader.js";
import { type FileStamp, fileStamp } from "./unchanged-reader.js";
import type { SheetSettings } from "./workbook/xlsx-reader.js";
import { WORKBOOK_ENTRY, ZipArchive } from "./zip-archive.js";

/** Names of entries that are read as drops. */
const ENTRY_NAME = /(^|\/)(?!~\$)[^/.][^/]*\.(csv|tsv|txt)$/i;
/** Names of entries that are read as workbooks, if no entry is read as a drop: archives may have rosters in both forms. */
const WORKBOOK_NAME = /(^|\/)(?!~\$)[^/.][^/]*\.xlsx$/i;
/** Maximum bytes of a workbook in an archive, which is held in memory. */
const WORKBOOK_BYTES_MAX = 512 << 20;
/** Maximum drops of one archive. */
const DROPS_MAX = 1_000;
const ENTRIES_NAMED_MAX = 5;
/** Entries that identify other formats based on .zip. */
const OTHER_FORMATS: readonly (readonly [entry: string, what: string])[] = [
	["xl/workbook.bin", "an Excel workbook of the binary kind (.xlsb): save it as .xlsx or CSV"],
	["content.xml", "an OpenDocument file, such as .ods: save the sheet as .xlsx or CSV"],
	["word/document.xml", "a Word document (.docx): save its table as CSV"],
];

/** Opens the drop of `source` in the archive behind `handle`. Throws {@link BuildError}. */
export async function openZipDrop(
	archive: ZipArchive,
	handle: FileHandle,
	source: SourceFile,
	settings: SheetSettings,
): Promise<ByteReader> {
	const entry = source.inside === null ? dropsOf(archive)[0] : archive.find(source.inside.entry);
	if (entry === undefined)
		throw new BuildError("unreadable_file", "the archive has changed", { file: source.path });
	const sizeBytes = source.bytes ?? archive.sizeBytes;
	if (WORKBOOK_NAME.test(entry.fileName)) {
		const workbook = await openWorkbook(source.path, archive, entry, settings);
		return new ZipReader(workbook, handle, sizeBytes, entry.compressedSize);
	}
	const stream = new StreamReader(source.path, await archive.openEntry(entry), [], "none");
	return new ZipReader(stream, handle, sizeBytes, entry.uncompressedSize);
}

/** The rows of the workbook `entry`, which is decompressed into memory first. */
async function openWorkbook(
	file: string,
	archive: ZipArchive,
	entry: Entry,
	settings: SheetSettings,
): Promise<ByteReader> {
	if (entry.uncompressedSize > WORKBOOK_BYTES_MAX) {
		const rule = `"${entry.fileName}" has more than ${WORKBOOK_BYTES_MAX >> 20} MiB: unpack it`;
		throw new BuildError("limit_exceeded", rule, { file });
	}
	const pieces: Buffer[] = [];
	for await (const piece of await archive.openEntry(entry)) pieces.push(piece);
	const bytes = Buffer.concat(pieces);
	const inner = isZip(bytes) ? await ZipArchive.ofBytes(file, bytes, entry.compressedSize) : undefined;
	if (inner?.find(WORKBOOK_ENTRY) === undefined)
		throw new BuildError(
			"unreadable_file",
			`"${entry.fileName}" is no workbook: unpack it, to see what it is`,
			{
				file,
			},
		);
	const { XlsxReader } = await import("./workbook/xlsx-reader.js");
	return XlsxReader.open(inner, null, settings);
}

/** Whether a map skips the file `name`, which is in `archive` or, if that is null, in none. */
export type SkipTest = (name: string, archive: string | null) => boolean;

const skipsNone: SkipTest = () => false;

/**
 * `given` with every archive of several drops replaced by its drops, each as a source of its own, without files and
 * entries that `isSkipped`. These and the archives' other entries are among those that are not read. Throws
 * {@link BuildError}.
 */
export async function expandArchives(given: SourceFiles, isSkipped = skipsNone): Promise<SourceFiles> {
	const files: SourceFile[] = [];
	const skipped = [...given.skipped];
	for (const file of given.files) {
		if (file.open === undefined && isSkipped(file.path, null)) {
			skipped.push(file.path);
			continue;
		}
		const archived = file.bytes === null ? null : await archivedDrops(file, isSkipped);
		files.push(...(archived === null ? [file] : dropsInside(file, archived)));
		skipped.push(...(archived?.skipped ?? []).map((name) => `${file.path}/${name}`));
	}
	return { files, skipped };
}

/**
 * Paths of the drops in the archives among `files`, the archive's path before them, also where an archive has a
 * single one. Throws {@link BuildError}.
 */
export async function dropPaths(files: readonly SourceFile[]): Promise<string[]> {
	const paths: string[] = [];
	for (const file of files) {
		const archived = file.bytes === null ? null : await archivedDrops(file, skipsNone);
		for (const { fileName } of archived?.drops ?? []) paths.push(`${file.path}/${fileName}`);
	}
	return paths;
}

/** The drops as sources; a single one has the archive's path and size. */
function dropsInside(file: SourceFile, { drops, stamp }: ArchivedDrops): SourceFile[] {
	const inside = ({ fileName }: Entry) => ({ archive: file.path, stamp, entry: fileName });
	if (drops.length === 1) return [{ ...file, inside: inside(drops[0]) }];
	return drops.map((entry) => ({
		path: `${file.path}/${entry.fileName}`,
		bytes: entry.compressedSize,
		inside: inside(entry),
	}));
}

interface ArchivedDrops {
	/** By name. */
	readonly drops: readonly Entry[];
	/** Names of the files in the archive that are no drops. */
	readonly skipped: readonly string[];
	/** Of the archive. */
	readonly stamp: FileStamp;
}

/** The drops of an archive; null for a file that is none, or a workbook. */
async function archivedDrops(file: SourceFile, isSkipped: SkipTest): Promise<ArchivedDrops | null> {
	const sizeBytes = file.bytes ?? 0;
	let handle: FileHandle;
	try {
		handle = await open(file.path, "r");
	} catch (error) {
		throw new BuildError("unreadable_file", systemErrorText(error), { file: file.path });
	}
	try {
		const stamp = fileStamp(await handle.stat({ bigint: true }));
		const magic = new Uint8Array(4);
		await handle.read(magic, 0, magic.length, 0);
		if (!isZip(magic)) return null;
		const archive = await ZipArchive.open(file.path, handle, sizeBytes);
		if (archive.find(WORKBOOK_ENTRY) !== undefined) return null;
		const drops = dropsOf(archive, isSkipped);
		const others = archive.entries.filter((entry) => !drops.includes(entry));
		return { drops, skipped: others.map(({ fileName }) => fileName).filter(isFileName), stamp };
	} catch (error) {
		if (error instanceof BuildError) throw error;
		throw new BuildError("unreadable_file", systemErrorText(error), { file: file.path });
	} finally {
		await handle.close();
	}
}

/** Whether an entry is a file of its own: no folder, and none of macOS beside each file. */
function isFileName(name: string): boolean {
	return !name.endsWith("/") && !name.startsWith("__MACOSX/");
}

/** Whether a file that begins with `head` is a .zip archive. */
export function isZip(head: Uint8Array): boolean {
	if (head[0] !== 0x50 || head[1] !== 0x4b) return false;
	// An archive without entries begins with the end of its directory.
	return (head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6);
}

/** The archive's drops, by name; at least one, or some are skipped. */
function dropsOf(archive: ZipArchive, isSkipped = skipsNone): readonly Entry[] {
	const { path: file, entries } = archive;
	const other = OTHER_FORMATS.find(([name]) => archive.find(name) !== undefined);
	if (other !== undefined)
		throw new BuildError("malformed_header", `the file is no CSV but ${other[1]}`, { file });
	const files = entries.filter(({ fileName }) => isFileName(fileName));
	const read = files.filter(({ fileName }) => !isSkipped(fileName, file));
	const named = (pattern: RegExp) => read.filter(({ fileName }) => pattern.test(fileName));
	const plain = named(ENTRY_NAME);
	const drops = plain.length > 0 ? plain : named(WORKBOOK_NAME);
	if (entries.length === 0) throw new BuildError("no_files", "the archive is empty", { file });
	if (drops.length === 0 && read.length < files.length) return [];
	if (drops.length === 0) {
		const names = entries.slice(0, ENTRIES_NAMED_MAX).map(({ fileName }) => fileName);
		const more = entries.length > ENTRIES_NAMED_MAX ? ", …" : "";
		const rule = `the archive has no .csv, .tsv, .txt or .xlsx file: ${names.join(", ")}${more}; unpack it and give the roster itself`;
		throw new BuildError("no_files", rule, { file });
	}
	if (drops.length > DROPS_MAX)
		throw new BuildError("limit_exceeded", `the archive has more than ${DROPS_MAX} drops`, { file });
	const sorted = drops.sort((a, b) => (a.fileName < b.fileName ? -1 : a.fileName > b.fileName ? 1 : 0));
	const twice = sorted.find(({ fileName }, i) => i > 0 && fileName === sorted[i - 1].fileName);
	if (twice !== undefined)
		throw new BuildError("duplicate_file", `the archive has "${twice.fileName}" twice`, { file });
	archive.requireModest(sorted);
	return sorted;
}

class ZipReader extends HandleReader {
	private ended = false;

	constructor(
		source: ByteReader,
		handle: FileHandle,
		private readonly sizeBytes: number,
		/** Bytes of `source`. */
		private readonly entryBytes: number,
	) {
		super(source, handle);
	}

	/** Bytes of the source, in proportion to what was read of the entry. */
	get sourceBytes(): number {
		if (this.ended) return this.sizeBytes;
		const share = this.source.sourceBytes / Math.max(1, this.entryBytes);
		return Math.max(0, Math.min(this.sizeBytes - 1, Math.floor(this.sizeBytes * share)));
	}

	protected async atEnd(): Promise<void> {
		this.ended = true;
	}
}
