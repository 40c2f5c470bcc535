/**
 * Checks LMDB's data file before it is opened and while it is open: LMDB trusts the file, and one of another
 * format, or one that was truncated, crashes the process instead of raising an error.
 *
 * | offset in each of the first two pages | contents |
 * |---|---|
 * | 24 | u32 magic, 0xBEEFC0DE |
 * | 28 | u32 version of the data format |
 * | 48 | u32 page size (in the first page) |
 * | 88, 136 | u64 numbers of the pages that hold the roots of its two trees; all ones: the tree is empty |
 *
 * Little-endian, as on all supported machines. An empty file is a database that has not been initialised.
 */

import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { DATA_FILE } from "./environment.js";

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const OFFSET = { magic: 24, version: 28, pageSize: 48, roots: [88, 136] } as const;
const HEAD_BYTES = 144;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;

/** How long the result of a check of an open file is reused, in milliseconds; each flush and refresh checks again. */
const LOOK_HOLDS_MS = 20;

/** The data file of an open database, with a descriptor held open so that checks work when none is free. */
export class DataFile {
	private readonly identity: string | null;
	private file: number | null;
	/** Largest size seen; LMDB never shrinks the file. */
	private bytesSeen = 0;
	private lookedMs = Number.NEGATIVE_INFINITY;
	private known: string | null = null;

	constructor(private readonly path: string) {
		this.identity = identityOf(path);
		this.file = openSync(path, "r");
	}

	/** Closes the descriptor. Safe to repeat. */
	close(): void {
		if (this.file !== null) closeSync(this.file);
		this.file = null;
	}

	/** Whether the file at its path is the one that was opened. Cost: a stat. */
	inPlace(): boolean {
		return identityOf(this.path) === this.identity;
	}

	/**
	 * A fault of the open file, as text; null: none, or the path now leads to another file, which does not
	 * affect the open one. Cost: a few microseconds, at most every {@link LOOK_HOLDS_MS}.
	 */
	fault(): string | null {
		const nowMs = performance.now();
		if (nowMs - this.lookedMs < LOOK_HOLDS_MS) return this.known;
		this.lookedMs = nowMs;
		this.known = this.look();
		return this.known;
	}

	private look(): string | null {
		const stat = statSync(this.path, { throwIfNoEntry: false });
		if (stat === undefined || `${stat.dev}:${stat.ino}` !== this.identity) return null;
		if (stat.size < this.bytesSeen)
			return `${DATA_FILE} was cut short, from ${this.bytesSeen} to ${stat.size} bytes`;
		this.bytesSeen = stat.size;
		return this.file === null ? null : faultOf(this.file, DATA_FILE);
	}
}

/** Identity of the file at `path`; null if there is none. Cost: a stat. */
function identityOf(path: string): string | null {
	const stat = statSync(path, { throwIfNoEntry: false });
	return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

/**
 * A fault of the data file at `path`, as text that begins with `name`; null: none, or no file. REQUIRES: the file
 * is not being created; concurrent commits are allowed.
 */
export function dataFileFault(path: string, name: string = DATA_FILE): string | null {
	let file: number;
	try {
		file = openSync(path, "r");
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : (error as Error).message;
	}
	try {
		return faultOf(file, name);
	} finally {
		closeSync(file);
	}
}

function faultOf(file: number, name: string): string | null {
	const first = headAt(file, 0);
	if (first === null && fstatSync(file).size === 0) return null;
	const fault = headFault(first, name, "first");
	if (fault !== null) return fault;
	const pageBytes = (first as Buffer).readUInt32LE(OFFSET.pageSize);
	if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX)
		return `${name} has pages of ${pageBytes} bytes`;
	const second = headAt(file, pageBytes);
	// The size is read last: a commit extends the file before it references the new pages.
	const { size } = fstatSync(file);
	if (size < 2 * pageBytes) return `${name} ends after ${size} bytes, within its first two pages`;
	return (
		headFault(second, name, "second") ??
		rootFault([first as Buffer, second as Buffer], name, size / pageBytes)
	);
}

function headAt(file: number, position: number): Buffer | null {
	const head = Buffer.alloc(HEAD_BYTES);
	return readSync(file, head, 0, HEAD_BYTES, position) === HEAD_BYTES ? head : null;
}

function headFault(head: Buffer | null, name: string, page: string): string | null {
	if (head === null || head.readUInt32LE(OFFSET.magic) !== MAGIC) {
		return `${name} is no LMDB database: its ${page} page lacks the magic number`;
	}
	const version = head.readUInt32LE(OFFSET.version);
	if (version === DATA_VERSION) return null;
	return `${name} has data version ${version}; this program reads version ${DATA_VERSION}`;
}

/** Both meta pages hold the roots of the trees, as of the last two commits. */
function rootFault(heads: readonly Buffer[], name: string, pages: number): string | null {
	for (const head of heads) {
		for (const offset of OFFSET.roots) {
			const root = head.readBigUInt64LE(offset);
			if (root !== NO_PAGE && root >= BigInt(Math.ceil(pages)))
				return `${name} is cut short: it ends after ${Math.floor(pages)} pages, a tree begins in page ${root}`;
		}
	}
	return null;
}
