/**
 * A look at LMDB's data file before it is opened: LMDB trusts it, and a file that is none of its own
 * ends the process instead of raising an error.
 *
 * | offset in each of the first two pages | holds |
 * |---|---|
 * | 24 | u32 magic, 0xBEEFC0DE |
 * | 28 | u32 version of the data format |
 * | 48 | u32 page size (in the first page) |
 *
 * Little-endian, as the machines this runs on. A file of no bytes is a database yet to be made.
 */

import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const OFFSET = { magic: 24, version: 28, pageSize: 48 } as const;
const HEAD_BYTES = 52;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;

/** Looks at a file that seems wrong, and the time between them in milliseconds: it may be just being made. */
const LOOKS = 3;
const PAUSE_MS = 20;

/** What is wrong with the data file at `path`, in words; null where nothing is, or where there is none. */
export function dataFileFault(path: string): string | null {
	let fault: string | null = null;
	for (let look = 0; look < LOOKS; look++) {
		fault = faultNow(path);
		if (fault === null) return null;
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
	}
	return fault;
}

/** What tells the data file at `path` from another in its place; null where there is none. Cost: a stat. */
export function dataFileIdentity(path: string): string | null {
	const stat = statSync(path, { throwIfNoEntry: false });
	return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

function faultNow(path: string): string | null {
	let file: number;
	try {
		file = openSync(path, "r");
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : (error as Error).message;
	}
	try {
		const { size } = fstatSync(file);
		if (size === 0) return null;
		const first = headAt(file, 0);
		const fault = headFault(first, "first");
		if (fault !== null) return fault;
		const pageBytes = (first as Buffer).readUInt32LE(OFFSET.pageSize);
		if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX)
			return `data.mdb has pages of ${pageBytes} bytes`;
		if (size < 2 * pageBytes) return `data.mdb ends after ${size} bytes, within its first two pages`;
		return headFault(headAt(file, pageBytes), "second");
	} finally {
		closeSync(file);
	}
}

function headAt(file: number, position: number): Buffer | null {
	const head = Buffer.alloc(HEAD_BYTES);
	return readSync(file, head, 0, HEAD_BYTES, position) === HEAD_BYTES ? head : null;
}

function headFault(head: Buffer | null, page: string): string | null {
	if (head === null || head.readUInt32LE(OFFSET.magic) !== MAGIC) {
		return `data.mdb is no LMDB database: its ${page} page lacks the magic number`;
	}
	const version = head.readUInt32LE(OFFSET.version);
	if (version === DATA_VERSION) return null;
	return `data.mdb has data version ${version}; this program reads version ${DATA_VERSION}`;
}
