/** The folder of keys, and error messages for an operator if it cannot be opened. */

import { chmodSync, existsSync, statSync } from "node:fs";
import { makeFolder } from "../../formats/files/durable.js";
import { REMEDY, reason } from "./environment.js";
import { StoreError } from "./errors.js";

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

/** Throws StoreError `not_found` unless `dataFolder` is a folder. */
export function requireDataFolder(dataFolder: string): void {
	if (!existsSync(dataFolder)) throw new StoreError("not_found", dataFolder, "no such data folder");
	refuseFile(dataFolder);
}

/** Throws StoreError `not_found` for a file where a data folder is, or could be made. */
export function refuseFile(dataFolder: string): void {
	if (!existsSync(dataFolder) || statSync(dataFolder).isDirectory()) return;
	throw new StoreError("not_found", dataFolder, "this is a file; --data takes a data folder");
}

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
