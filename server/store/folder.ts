/** The folder of keys, and error messages for an operator if it cannot be opened. */

import { chmodSync } from "node:fs";
import { makeFolder } from "../../formats/durable.js";
import { REMEDY, reason } from "./environment.js";

const ALLOW =
	"keys and counts are written there, so it has to belong to the user who runs this, on a disk that is not read-only";
const MAKE_ROOM = "make room on the disk";
/** Remedies by system error code. */
const REMEDIES: Readonly<Record<string, string>> = {
	EROFS: ALLOW,
	EACCES: ALLOW,
	EPERM: ALLOW,
	ENOSPC: MAKE_ROOM,
	EDQUOT: MAKE_ROOM,
};

/** Creates the folder `path` if it does not exist, accessible to its owner alone. Throws system errors. */
export function prepareFolder(path: string): void {
	makeFolder(path);
	chmodSync(path, 0o700);
}

/** Why a store cannot be opened, and the remedy: only LMDB's own errors may indicate damage. */
export function openingFault(error: unknown): string {
	const { code = "", syscall } = error as NodeJS.ErrnoException;
	const remedy = syscall === undefined ? REMEDY : REMEDIES[code];
	return `the store of keys can't be opened: ${reason(error)}${remedy === undefined ? "" : `; ${remedy}`}`;
}
