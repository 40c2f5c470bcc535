/**
 * Loaded before a program (`node --import`): kills the process, as kill -9 does, right before the nth step
 * that changes what is on disk (`ROLLCALL_KILL_AT`). Half of what a step would have written stays behind.
 *
 * Steps are renames and writes to the journal; where `ROLLCALL_KILL_FOLDERS` lists folders (names between
 * commas), every call that makes, writes, copies, moves or removes something in one of them.
 *
 * With `ROLLCALL_KILL_COPIES`, a folder, the process is not killed: what is in `ROLLCALL_KILL_DATA` is copied there
 * before each step, into a folder named by the step's number, as a kill at that step would leave it.
 */

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, sep } from "node:path";
import { isMainThread } from "node:worker_threads";

const killAt = Number(process.env.ROLLCALL_KILL_AT);
const folders = process.env.ROLLCALL_KILL_FOLDERS?.split(",");
const copies = process.env.ROLLCALL_KILL_COPIES;
let steps = 0;

const { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync, writeSync } = fs;

/** Whether the process ends, or is copied, before the next step. */
function isLast(): boolean {
	return copies !== undefined || steps + 1 === killAt;
}

function step(): void {
	steps++;
	if (copies !== undefined)
		execFileSync("cp", ["-a", String(process.env.ROLLCALL_KILL_DATA), join(copies, String(steps))]);
	else if (steps === killAt) process.kill(process.pid, "SIGKILL");
}

/** A step that writes `path`: half of what it writes stays behind where the process ends before its end. */
function writingStep(path: fs.PathOrFileDescriptor, writeHalf: () => void): void {
	const isNew = typeof path !== "number" && !fs.existsSync(path);
	if (isLast()) writeHalf();
	step();
	if (copies !== undefined && isNew) rmSync(path as fs.PathLike);
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
			writingStep(String(to), () => writeFileSync(to, fs.readFileSync(from).subarray(0, 10)));
		}
		copyFileSync(from, to, mode);
	};
	fs.writeFileSync = (file, data, options) => {
		if (isInFolders(file)) {
			const half = (data as string).slice(0, (data as string).length >> 1);
			writingStep(file, () => writeFileSync(file, half, options));
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
