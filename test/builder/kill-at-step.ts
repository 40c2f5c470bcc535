/**
 * Loaded before a program (`node --import`): kills the process, as kill -9 does, right before the nth step
 * that changes what is on disk (`ROLLCALL_KILL_AT`). Half of what a step would have written stays behind.
 *
 * Steps are renames and writes to the journal; where `ROLLCALL_KILL_FOLDERS` lists folders (names between
 * commas), every call that makes, writes, copies, moves or removes something in one of them.
 */

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { sep } from "node:path";
import { isMainThread } from "node:worker_threads";

const killAt = Number(process.env.ROLLCALL_KILL_AT);
const folders = process.env.ROLLCALL_KILL_FOLDERS?.split(",");
let steps = 0;

const { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync, writeSync } = fs;

/** Whether the next step is the one that does not happen. */
function isLast(): boolean {
	return steps + 1 === killAt;
}

function step(): void {
	if (++steps === killAt) process.kill(process.pid, "SIGKILL");
}

/** Whether one of these paths is in, or is, one of the folders. */
function isInFolders(...paths: unknown[]): boolean {
	return paths.some((path) => folders?.some((folder) => String(path).split(sep).includes(folder)));
}

function countCalls(): void {
	fs.renameSync = (from, to) => {
		if (isInFolders(from, to)) step();
		renameSync(from, to);
	};
	fs.copyFileSync = (from, to, mode) => {
		if (isInFolders(to)) {
			if (isLast()) writeFileSync(to, fs.readFileSync(from).subarray(0, 10));
			step();
		}
		copyFileSync(from, to, mode);
	};
	fs.writeFileSync = (file, data, options) => {
		if (isInFolders(file)) {
			if (isLast()) writeFileSync(file, (data as string).slice(0, (data as string).length >> 1), options);
			step();
		}
		writeFileSync(file, data, options);
	};
	fs.rmSync = (path, options) => {
		if (isInFolders(path) && fs.existsSync(path)) step();
		rmSync(path, options);
	};
	fs.mkdirSync = ((path: string, options: fs.MakeDirectoryOptions) => {
		if (isInFolders(path) && !fs.existsSync(path)) step();
		return mkdirSync(path, options);
	}) as typeof fs.mkdirSync;
}

function countRenames(): void {
	fs.renameSync = (from, to) => {
		step();
		renameSync(from, to);
	};
	fs.writeSync = ((descriptor: number, data: unknown, ...rest: unknown[]) => {
		// The journal writes text; what else is written is not seen before a rename.
		if (typeof data === "string") {
			if (isLast()) writeSync(descriptor, data.slice(0, data.length >> 1));
			step();
		}
		return (writeSync as (...args: unknown[]) => number)(descriptor, data, ...rest);
	}) as typeof fs.writeSync;
}

if (isMainThread) {
	if (folders === undefined) countRenames();
	else countCalls();
	syncBuiltinESMExports();
}
