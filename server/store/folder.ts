/** The folder of keys, and the messages for an operator when it does not open. */

import { chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { REMEDY, reason } from "./environment.js";

const ALLOW =
	"keys and counts are written there, so it has to belong to the user who runs this, on a disk that is not read-only";
const MAKE_ROOM = "make room on the disk";
/** What helps, by the system's code. */
const REMEDIES: Readonly<Record<string, string>> = {
	EROFS: ALLOW,
	EACCES: ALLOW,
	EPERM: ALLOW,
	ENOSPC: MAKE_ROOM,
	EDQUOT: MAKE_ROOM,
};

/** Makes the folder `path`, where there is none, its owner's alone. Errors: the system's. */
export function prepareFolder(path: string): void {
	mkdirSync(dirname(path), { recursive: true });
	try {
		// Separately, since a recursive mkdir reports a read-only disk as a missing parent.
		mkdirSync(path);
	} catch (error) {
		// There already, or made by another process just now.
		if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
	}
	chmodSync(path, 0o700);
}

/** Why a store does not open, and what to do about it: only what LMDB says may mean damage. */
export function openingFault(error: unknown): string {
	const { code = "", syscall } = error as NodeJS.ErrnoException;
	const remedy = syscall === undefined ? REMEDY : REMEDIES[code];
	return `the store of keys can't be opened: ${reason(error)}${remedy === undefined ? "" : `; ${remedy}`}`;
}
