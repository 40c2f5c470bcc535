/**
 * Durable changes of files and folders: what has been synced survives a power loss, and what has not may be
 * there, missing, or half there, in any order. A sequence of changes is therefore correct only if a sync
 * separates every two whose order matters. test/power-loss plays the states in between.
 */

import {
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Begins the name of a folder that is being removed. */
const REMOVED = ".removed-";

/** Flushes a file's contents, or a folder's entries, to storage. */
export function syncPath(path: string): void {
	const descriptor = openSync(path, "r");
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

/** Makes a folder and those above it, where they are missing. Durable. Throws system errors. */
export function makeFolder(path: string): void {
	const whole = resolve(path);
	if (isFolder(whole)) return;
	makeFolder(dirname(whole));
	try {
		// Not recursive, which never returns below /proc and reports a read-only disk as a missing parent.
		mkdirSync(whole);
	} catch (error) {
		// Another process may have made it.
		if (!isFolder(whole)) throw error;
	}
	syncPath(dirname(whole));
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Gives a file new contents by one rename: a reader, and a power loss, finds the old ones or the new ones. Durable.
 * A failure, as on a full disk, leaves nothing beside it.
 */
export function replaceFile(path: string, contents: string | Uint8Array): void {
	const aside = `${path}.${process.pid}`;
	try {
		writeFileSync(aside, contents);
		syncPath(aside);
		renameSync(aside, path);
	} catch (error) {
		rmSync(aside, { force: true });
		throw error;
	}
	syncPath(dirname(path));
}

/** Removes a file, if it exists. Durable. */
export function removeFile(path: string): void {
	if (!existsSync(path)) return;
	rmSync(path);
	syncPath(dirname(path));
}

/**
 * Removes a folder with all that it holds, if it exists. It is renamed first, so that no part of it is ever
 * found under its name; what a crash leaves is removed by {@link removeRemnants}. Durable.
 */
export function removeFolder(path: string): void {
	if (!existsSync(path)) return;
	const parent = dirname(path);
	const removed = join(parent, remnantName(basename(path)));
	rmSync(removed, { recursive: true, force: true });
	renameSync(path, removed);
	syncPath(parent);
	rmSync(removed, { recursive: true });
}

/** Name under which {@link removeRemnants} finds what a crash left of the removal of `name`. */
export function remnantName(name: string): string {
	return `${REMOVED}${name}`;
}

/** Removes what removals that were interrupted have left in `folder`. */
export function removeRemnants(folder: string): void {
	if (!existsSync(folder)) return;
	for (const name of readdirSync(folder)) {
		if (name.startsWith(REMOVED)) rmSync(join(folder, name), { recursive: true, force: true });
	}
}
