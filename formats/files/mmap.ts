/**
 * Read-only memory of a file: mapped if the addon (addon/mapping.c) loads, otherwise read once into shared memory. The only
 * file that maps.
 *
 * A mapping lives until the last view of it is collected; a file may be unlinked while mapped. Threads share the mapping
 * of a large file, and its copy in huge pages where one holds it there.
 */

import { type BigIntStats, closeSync, fstatSync, readFileSync, readSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { FormatError } from "../errors.js";
import { MAX_FILE_BYTES } from "../layout.js";
import { type Addon, addonFault, type Mapping, openAddon } from "./addon.js";
import { openToRead } from "./open-to-read.js";

export type MappingMode = "mmap" | "shared-memory";

/** Of a huge page that the addon can use. */
const HUGE_PAGE_BYTES = 1 << 21;
/** Bytes of a file from which on threads share its mapping, since it is worth a huge page. */
const SHARED_BYTES_MIN = HUGE_PAGE_BYTES / 2;
/** Part of the memory that remains available when files are copied into huge pages. */
const AVAILABLE_SHARE = 0.25;
const HUGE_PAGES_FOLDER = "/sys/kernel/mm/transparent_hugepage";

/** Why this machine reads files into memory, with the remedy; null if it maps them. */
export function mappingFault(): string | null {
	const fault = addonFault();
	if (fault === null) return null;
	return `months are read into memory instead of mapped: the addon does not load (${fault}); with a C compiler installed, run node scripts/build-addon.js in the package's folder`;
}

/** How {@link mapFile} accesses files on this machine. */
export function mappingMode(): MappingMode {
	return openAddon() === null ? "shared-memory" : "mmap";
}

/**
 * The bytes of the file at `path`, read-only by convention. Cost O(1) mapped, O(bytes) otherwise.
 * Throws {@link FormatError} `unreadable` if the file cannot be opened or mapped, `limit_exceeded` if it
 * is too large.
 */
export function mapFile(path: string, mode: MappingMode = mappingMode()): Buffer {
	return holdFile(path, mode)();
}

/**
 * As {@link mapFile}, but the memory is made accessible by the first call of the function returned, which is to be called
 * once; a mapped file is mapped at once, so that it may be unlinked before. Cost O(1), without a garbage collection, which V8
 * may begin for a file of more than 64 MB that becomes accessible.
 */
export function holdFile(path: string, mode: MappingMode = mappingMode()): () => Buffer {
	if (mode !== "mmap" || mappingMode() !== "mmap") return () => sharedReader(path);
	const { map, view } = openAddon() as Addon;
	const descriptor = openToRead(path);
	try {
		const stats = statOf(descriptor, path);
		const bytes = Number(stats.size);
		if (bytes === 0) return () => Buffer.alloc(0);
		const identity = identityOf(stats);
		const mapping = map(descriptor, bytes, bytes < SHARED_BYTES_MIN ? "" : identity);
		return () => {
			const memory = view(mapping);
			mappings.set(memory, { mapping, identity });
			return Buffer.from(memory);
		};
	} catch (error) {
		if (error instanceof FormatError) throw error;
		throw new FormatError("unreadable", path, (error as Error).message);
	} finally {
		closeSync(descriptor);
	}
}

/**
 * Maps the pages of `bytes`, of {@link mapFile}, that are in the page cache, in another thread: the first access of each is
 * a page fault otherwise, some microseconds. Reads nothing from disk where the system tells what is cached, as of files
 * of this user. Resolves when it has been done, at once where files are not mapped. Cost O(1) here, O(pages) there: about
 * a tenth of a millisecond for a megabyte.
 */
export async function prefault({ buffer }: Buffer): Promise<void> {
	if (mappings.has(buffer)) await (openAddon() as Addon).prefault(buffer as ArrayBuffer);
}

/**
 * Has a thread copy the file at `path`, whose memory `bytes` is ({@link mapFile}), into huge pages, which take the place of
 * the mapping at the same address: a processor finds the bytes of these with fewer accesses to page tables. The copy is
 * for all threads, and lasts until each that asked for it has called {@link releaseHugePages} or collected `bytes`. False,
 * and nothing is done: on systems without huge pages, for files under 1 MiB and those that are not mapped, where `path` is
 * another file by now, and where less than a quarter of the memory would remain available. Cost here O(1); there a second
 * for some gigabytes, which are read from disk where the page cache does not have them.
 */
export function holdInHugePages({ buffer }: Buffer, path: string): boolean {
	const found = mappings.get(buffer);
	if (found === undefined || buffer.byteLength < SHARED_BYTES_MIN || !hasHugePages()) return false;
	const budget = process.availableMemory() - AVAILABLE_SHARE * memoryBytes();
	if (budget <= 0) return false;
	let descriptor: number;
	try {
		descriptor = openToRead(path);
	} catch (error) {
		// Removed, or out of descriptors: the file stays mapped.
		if (error instanceof FormatError) return false;
		throw error;
	}
	try {
		if (identityOf(fstatSync(descriptor, { bigint: true })) !== found.identity) return false;
		return (openAddon() as Addon).hold(found.mapping, descriptor, Math.floor(budget));
	} finally {
		// The addon has a duplicate: Node closes at the end of a worker whatever it knows to have been opened there.
		closeSync(descriptor);
	}
}

/** Undoes {@link holdInHugePages} of this thread; without one, does nothing. Cost O(1); a thread maps the file again. */
export function releaseHugePages({ buffer }: Buffer): void {
	const found = mappings.get(buffer);
	if (found !== undefined) (openAddon() as Addon).release(found.mapping);
}

/** Bytes of files that this process has in huge pages. */
export function hugePageBytes(): number {
	return mappingMode() === "mmap" ? (openAddon() as Addon).held() : 0;
}

let hugePages: boolean | undefined;

/** Whether this system gives huge pages, of the addon's size, to programs that ask for them. */
export function hasHugePages(): boolean {
	hugePages ??= mappingMode() === "mmap" && givesHugePages();
	return hugePages;
}

function givesHugePages(): boolean {
	try {
		const enabled = readFileSync(join(HUGE_PAGES_FOLDER, "enabled"), "latin1");
		const bytes = Number(readFileSync(join(HUGE_PAGES_FOLDER, "hpage_pmd_size"), "latin1"));
		return bytes === HUGE_PAGE_BYTES && !enabled.includes("[never]");
	} catch {
		// Another system than Linux, or a kernel without them.
		return false;
	}
}

/** Memory that this process may use, in bytes: the machine's, or less where a control group limits it. */
function memoryBytes(): number {
	const limit = process.constrainedMemory();
	return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Handles and files of memory that is mapped. */
const mappings = new WeakMap<ArrayBufferLike, { readonly mapping: Mapping; readonly identity: string }>();

/** Tells a file from others, and from itself with other bytes. */
function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
	return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/** Reads an entire file into shared memory. Throws {@link FormatError}. */
export type SharedReader = (path: string) => Buffer;

let sharedReader: SharedReader = readIntoSharedMemory;

/**
 * Makes this thread read files that it cannot map through `reader`, so that the threads of one server share a
 * single copy of each file.
 */
export function readFilesThrough(reader: SharedReader): void {
	sharedReader = reader;
}

/** The bytes of the file at `path`, read by this thread. Throws {@link FormatError}. Cost O(bytes). */
export function readIntoSharedMemory(path: string): Buffer {
	const descriptor = openToRead(path);
	try {
		const bytes = Number(statOf(descriptor, path).size);
		const buffer = Buffer.from(new SharedArrayBuffer(bytes));
		let filled = 0;
		while (filled < bytes) {
			const got = readSync(descriptor, buffer, filled, bytes - filled, filled);
			if (got === 0) throw new FormatError("truncated", path, `expected ${bytes} bytes, got ${filled}`);
			filled += got;
		}
		return buffer;
	} finally {
		closeSync(descriptor);
	}
}

function statOf(descriptor: number, path: string): BigIntStats {
	const stats = fstatSync(descriptor, { bigint: true });
	if (stats.size > MAX_FILE_BYTES)
		throw new FormatError("limit_exceeded", path, `${stats.size} bytes, at most ${MAX_FILE_BYTES}`);
	return stats;
}
