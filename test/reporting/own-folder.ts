/** The folder that all tests of a run make theirs in, and its removal, whatever they left there. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MEMORY_VARIABLE, SYSTEM_MEMORY_FOLDER } from "../memory-folder.js";

/** Free bytes of the system's memory folder that all tests together do with. */
const MEMORY_FOLDER_BYTES_MIN = 6 * 1024 ** 3;
/** A line of it ends in `MOUNT POINT … - TYPE …`; the mount point is field 5. */
const MOUNTS = "/proc/self/mountinfo";
/** There, spaces and the like. */
const ESCAPED = /\\([0-7]{3})/g;

/**
 * Has the tests make their folders in one of this run, in memory where there is room and TMPDIR names no place:
 * most of them write small files and sync each, which on a disk takes longer than what they test. Small months are
 * in memory wherever the others are. Returns what removes it all.
 */
export function useOwnFolders(): () => void {
	const inMemory = existsSync(SYSTEM_MEMORY_FOLDER) ? ownFolder(SYSTEM_MEMORY_FOLDER) : null;
	const isRoomy = inMemory !== null && process.env.TMPDIR === undefined && hasRoom(inMemory);
	const folder = isRoomy ? inMemory : ownFolder(tmpdir());
	process.env.TMPDIR = folder;
	process.env[MEMORY_VARIABLE] = inMemory ?? folder;
	return () => {
		for (const own of new Set([folder, inMemory ?? folder])) removeFolder(own);
	};
}

function ownFolder(parent: string): string {
	return mkdtempSync(join(parent, "rollcall-tests-"));
}

function hasRoom(folder: string): boolean {
	const { bavail, bsize } = statfsSync(folder);
	return bavail * bsize >= MEMORY_FOLDER_BYTES_MIN;
}

/** Removes `folder`, after what a test that was ended has left mounted below it. */
function removeFolder(folder: string): void {
	for (const mounted of mountsBelow(folder)) spawnSync("umount", ["-l", mounted]);
	rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Mount points below `folder`, the last one first. */
function mountsBelow(folder: string): string[] {
	if (!existsSync(MOUNTS)) return [];
	return readFileSync(MOUNTS, "utf8")
		.split("\n")
		.map((line) =>
			(line.split(" ")[4] ?? "").replace(ESCAPED, (_, code) => String.fromCharCode(Number.parseInt(code, 8))),
		)
		.filter((point) => point.startsWith(`${folder}/`))
		.reverse();
}
