/**
 * Read-only memory of a file: mapped where the mmap addon loads, else read once into shared memory.
 * The only file that touches the addon.
 *
 * A mapping lives until the last view of it is collected; a file may be unlinked while mapped.
 */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { FormatError } from "./errors.js";
import { MAX_FILE_BYTES } from "./layout.js";

interface MmapAddon {
	readonly PROT_READ: number;
	readonly MAP_SHARED: number;
	map(bytes: number, protection: number, flags: number, descriptor: number): Buffer;
}

export type MappingMode = "mmap" | "shared-memory";

function loadAddon(): MmapAddon | null {
	try {
		return createRequire(import.meta.url)("@riaskov/mmap-io") as MmapAddon;
	} catch {
		// An optional dependency: where it is not compiled, files are read instead.
		return null;
	}
}

let addon: MmapAddon | null | undefined;

/** How {@link mapFile} gets at files on this machine. */
export function mappingMode(): MappingMode {
	if (addon === undefined) addon = loadAddon();
	return addon === null ? "shared-memory" : "mmap";
}

/**
 * The bytes of the file at `path`, read-only by convention. Cost O(1) mapped, O(bytes) otherwise.
 * Throws {@link FormatError} `unreadable` where the file cannot be opened or is too large to map.
 */
export function mapFile(path: string, mode: MappingMode = mappingMode()): Buffer {
	if (mode !== "mmap" || mappingMode() !== "mmap") return sharedReader(path);
	const descriptor = openToRead(path);
	try {
		const bytes = sizeOf(descriptor, path);
		if (bytes === 0) return Buffer.alloc(0);
		const mmap = addon as MmapAddon;
		return mmap.map(bytes, mmap.PROT_READ, mmap.MAP_SHARED, descriptor);
	} finally {
		closeSync(descriptor);
	}
}

/** Reads a whole file into shared memory. Throws {@link FormatError}. */
export type SharedReader = (path: string) => Buffer;

let sharedReader: SharedReader = readIntoSharedMemory;

/**
 * Has this thread get at files that it cannot map through `reader`: the threads of one server read
 * each file once between them, not once each.
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

function openToRead(path: string): number {
	try {
		return openSync(path, "r");
	} catch (error) {
		throw new FormatError("unreadable", path, (error as Error).message);
	}
}

function sizeOf(descriptor: number, path: string): number {
	const bytes = fstatSync(descriptor).size;
	if (bytes > MAX_FILE_BYTES)
		throw new FormatError("limit_exceeded", path, `${bytes} bytes, at most ${MAX_FILE_BYTES}`);
	return bytes;
}
