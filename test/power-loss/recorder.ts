/**
 * Records every change of files below a folder, in the process and in its worker threads, by taking the place
 * of the functions of node:fs: `node --import recorder.js`. The test compares what was recorded with what is on
 * disk afterwards, so a change that went past the recorder is noticed.
 *
 * Linux only: paths of descriptors are read from /proc.
 */

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve } from "node:path";
import { type Change, TRACE_FILE, WATCHED_FOLDER } from "./trace.js";

const original = { ...fs };
const folder = process.env[WATCHED_FOLDER] ?? "";
const trace = original.openSync(process.env[TRACE_FILE] ?? "", "a");
/** Descriptors that may be written to. */
const writable = new Set<number>();

/** Appends to the trace. One write, so that threads' lines do not mix. */
export function record(change: Change): void {
	original.writeSync(trace, `${JSON.stringify(change)}\n`);
}

/** The path if it is below the folder; else null. */
function watched(path: unknown): string | null {
	if (typeof path !== "string") return null;
	const whole = resolve(path);
	return whole === folder || whole.startsWith(`${folder}/`) ? whole : null;
}

function pathOf(descriptor: number): string | null {
	try {
		return watched(original.readlinkSync(`/proc/self/fd/${descriptor}`));
	} catch {
		// A handle that has been closed.
		return null;
	}
}

function contentOf(path: string): string {
	return original.readFileSync(path).toString("base64");
}

function recordContent(path: string): void {
	record({ kind: "content", path, content: contentOf(path) });
}

function recordSync(descriptor: number, content: string | null): void {
	const path = pathOf(descriptor);
	if (path !== null) record({ kind: "sync", path, content });
}

/** What a file holds that is about to be synced; null for a folder. */
function syncedContent(descriptor: number): string | null {
	const path = pathOf(descriptor);
	return path === null || original.fstatSync(descriptor).isDirectory() ? null : contentOf(path);
}

function recordOpen(path: unknown, flags: unknown, existed: boolean, descriptor: number): void {
	const whole = watched(path);
	if (whole === null) return;
	const writes = typeof flags === "number" ? (flags & 3) !== 0 : /[wa+]/.test(String(flags ?? "r"));
	if (!writes) return;
	writable.add(descriptor);
	if (!existed) record({ kind: "make-file", path: whole });
	else if (String(flags).startsWith("w")) recordContent(whole);
}

function recordClose(descriptor: number): void {
	const path = writable.delete(descriptor) ? pathOf(descriptor) : null;
	if (path !== null && original.existsSync(path)) recordContent(path);
}

/** Entries are removed from the innermost outwards. */
function recordRemoval(path: string): void {
	if (original.lstatSync(path).isDirectory())
		for (const name of original.readdirSync(path)) recordRemoval(join(path, name));
	record({ kind: "remove", path });
}

/** Takes the place of a function that changes the file of its argument number `at` as a whole. */
function replacing<A extends unknown[], R>(at: number, work: (...given: A) => R): (...given: A) => R {
	return (...given) => {
		const path = watched(given[at]);
		const existed = path !== null && original.existsSync(path);
		const result = work(...given);
		if (path === null) return result;
		if (!existed) record({ kind: "make-file", path });
		recordContent(path);
		return result;
	};
}

function moving<A extends unknown[]>(kind: "rename" | "link", work: (...given: A) => void) {
	return (...given: A): void => {
		work(...given);
		const [from, path] = [watched(given[0]), watched(given[1])];
		if (from !== null && path !== null) record({ kind, from, path });
		else if (path !== null) recordContent(path);
	};
}

function makingFolders(path: fs.PathLike, options?: fs.MakeDirectoryOptions): string | undefined {
	const missing: string[] = [];
	for (let at = watched(path); at !== null && !original.existsSync(at); at = watched(join(at, ".."))) {
		missing.unshift(at);
	}
	const made = original.mkdirSync(path, options as fs.MakeDirectoryOptions & { recursive: true });
	for (const each of missing) record({ kind: "make-folder", path: each });
	return made;
}

function removing<A extends unknown[]>(work: (...given: A) => void): (...given: A) => void {
	return (...given) => {
		const path = watched(given[0]);
		if (path !== null && original.existsSync(path)) recordRemoval(path);
		work(...given);
	};
}

function syncing(work: (descriptor: number) => void): (descriptor: number) => void {
	return (descriptor) => {
		const content = syncedContent(descriptor);
		work(descriptor);
		recordSync(descriptor, content);
	};
}

async function openingHandle(path: fs.PathLike, flags?: string | number, mode?: fs.Mode) {
	const existed = watched(path) !== null && original.existsSync(path);
	const handle = await originalOpen(path, flags, mode);
	recordOpen(path, flags, existed, handle.fd);
	const sync = handle.sync.bind(handle);
	const close = handle.close.bind(handle);
	handle.sync = async () => {
		const content = syncedContent(handle.fd);
		await sync();
		recordSync(handle.fd, content);
	};
	handle.close = async () => {
		recordClose(handle.fd);
		await close();
	};
	return handle;
}

const originalOpen = fs.promises.open;

Object.assign(fs, {
	openSync(path: fs.PathLike, flags?: string | number, mode?: fs.Mode) {
		const existed = watched(path) !== null && original.existsSync(path);
		const descriptor = original.openSync(path, flags ?? "r", mode);
		recordOpen(path, flags, existed, descriptor);
		return descriptor;
	},
	closeSync(descriptor: number) {
		recordClose(descriptor);
		original.closeSync(descriptor);
	},
	writeFileSync: replacing(0, original.writeFileSync),
	copyFileSync: replacing(1, original.copyFileSync),
	truncateSync: replacing(0, original.truncateSync),
	renameSync: moving("rename", original.renameSync),
	linkSync: moving("link", original.linkSync),
	mkdirSync: makingFolders,
	rmSync: removing(original.rmSync),
	unlinkSync: removing(original.unlinkSync),
	rmdirSync: removing(original.rmdirSync),
	fsyncSync: syncing(original.fsyncSync),
	fdatasyncSync: syncing(original.fdatasyncSync),
});
Object.assign(fs.promises, { open: openingHandle });
syncBuiltinESMExports();
