/**
 * Read-only memory of a file: mapped if the addon (formats/mmap-addon/mapping.c) loads, otherwise read once into
 * shared memory. The only file that uses the addon.
 *
 * A mapping lives until the last view of it is collected; a file may be unlinked while mapped.
 */

import { closeSync, fstatSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FormatError } from "./errors.js";
import { MAX_FILE_BYTES } from "./layout.js";
import { openToRead } from "./open-to-read.js";

interface MappingAddon {
	/** Maps the first `bytes` bytes of a file. Throws the system's error. */
	map(descriptor: number, bytes: number): Mapping;
	/** The memory of a mapping, once. */
	view(mapping: Mapping): ArrayBuffer;
	/** Maps the cached pages of a {@link view} in another thread. */
	prefault(view: ArrayBuffer): Promise<void>;
}

/** Opaque to JavaScript. */
type Mapping = object;

export type MappingMode = "mmap" | "shared-memory";

const ADDON = join(
	fileURLToPath(new URL("../..", import.meta.url)),
	"native",
	`mapping-${process.platform}-${process.arch}.node`,
);

let addon: MappingAddon | null | undefined;
let fault: string | null = null;

function loadAddon(): MappingAddon | null {
	try {
		const loaded = createRequire(import.meta.url)(ADDON) as Partial<MappingAddon>;
		if (loaded.prefault === undefined) throw new Error("it is of an earlier version");
		return loaded as MappingAddon;
	} catch (error) {
		// Not compiled on this machine: files are read instead, and the server logs it at startup.
		fault = (error as Error).message.split("\n", 1)[0];
		return null;
	}
}

/** Why this machine reads files into memory, with the remedy; null if it maps them. */
export function mappingFault(): string | null {
	if (mappingMode() === "mmap") return null;
	return `months are read into memory instead of mapped: the mapping addon does not load (${fault}); with a C compiler installed, run node scripts/build-mapping.js in the package's folder`;
}

/** How {@link mapFile} accesses files on this machine. */
export function mappingMode(): MappingMode {
	if (addon === undefined) addon = loadAddon();
	return addon === null ? "shared-memory" : "mmap";
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
 * once; a mapped file is mapped at once, so that it may be unlinked before. Cost O(1), without the garbage collections that V8
 * begins for every 64 MB that become accessible.
 */
export function holdFile(path: string, mode: MappingMode = mappingMode()): () => Buffer {
	if (mode !== "mmap" || mappingMode() !== "mmap") return () => sharedReader(path);
	const { map, view } = addon as MappingAddon;
	const descriptor = openToRead(path);
	try {
		const bytes = sizeOf(descriptor, path);
		if (bytes === 0) return () => Buffer.alloc(0);
		const mapping = map(descriptor, bytes);
		return () => {
			const memory = view(mapping);
			isMapped.add(memory);
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
	if (isMapped.has(buffer)) await (addon as MappingAddon).prefault(buffer as ArrayBuffer);
}

/** Memory of files that are mapped. */
const isMapped = new WeakSet<ArrayBufferLike>();

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
		const bytes = sizeOf(descriptor, path);
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

function sizeOf(descriptor: number, path: string): number {
	const bytes = fstatSync(descriptor).size;
	if (bytes > MAX_FILE_BYTES)
		throw new FormatError("limit_exceeded", path, `${bytes} bytes, at most ${MAX_FILE_BYTES}`);
	return bytes;
}
