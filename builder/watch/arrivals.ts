/**
 * The drops in a watched folder: its files and folders, each with a stamp that changes whenever its contents
 * do. Files with a name that programs use for incomplete transfers are not drops.
 */

import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { BuildError, systemErrorText } from "../errors.js";

/** Names of incomplete transfers, and of hidden and backup files. */
const UNFINISHED = /^[.~]|\.(part|partial|filepart|tmp|temp|crdownload|download|swp)$|~$/i;
/** Maximum files of one drop that are examined. */
const FILES_MAX = 10_000;

export interface Arrival {
	readonly name: string;
	readonly path: string;
	/** Names, sizes, times and inodes of its files without hidden ones, as one text. */
	readonly stamp: string;
	/** Newest modification, in milliseconds since 1970. */
	readonly changedMs: number;
}

/**
 * The drops in `folder`, by name. A drop that cannot be read is passed to `onUnreadable`, with what the system says.
 * Throws {@link BuildError} `missing_file` or `unreadable_file` if the folder cannot be.
 */
export function arrivalsIn(folder: string, onUnreadable: (name: string, fault: string) => void): Arrival[] {
	let names: string[];
	try {
		names = readdirSync(folder).sort();
	} catch (error) {
		const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
		throw new BuildError(missing ? "missing_file" : "unreadable_file", systemErrorText(error), {
			file: folder,
		});
	}
	return names.flatMap((name) => {
		if (UNFINISHED.test(name)) return [];
		try {
			const arrival = arrivalAt(folder, name);
			return arrival === null ? [] : [arrival];
		} catch (error) {
			if (!(error instanceof Error && "syscall" in error)) throw error;
			onUnreadable(name, systemErrorText(error));
			return [];
		}
	});
}

/**
 * The drop of this name; null if it does not exist, has no files but hidden ones, or has a file that is being written.
 * Throws system errors.
 */
export function arrivalAt(folder: string, name: string): Arrival | null {
	const path = join(folder, name);
	const status = statSync(path, { throwIfNoEntry: false });
	if (status === undefined) return null;
	if (status.isFile()) return { name, path, stamp: stampOf("", status), changedMs: status.mtimeMs };
	if (!status.isDirectory()) return null;
	const files = readdirSync(path)
		.filter((file) => !file.startsWith("."))
		.sort()
		.slice(0, FILES_MAX);
	const found = files.map((file) => ({
		file,
		status: statSync(join(path, file), { throwIfNoEntry: false }),
	}));
	if (files.length === 0 || files.some((file) => UNFINISHED.test(file))) return null;
	const present = found.flatMap(({ file, status: own }) => (own === undefined ? [] : [{ file, own }]));
	return {
		name,
		path,
		stamp: present.map(({ file, own }) => stampOf(file, own)).join(";"),
		changedMs: Math.max(status.mtimeMs, ...present.map(({ own }) => own.mtimeMs)),
	};
}

function stampOf(file: string, { size, mtimeMs, ino }: Stats): string {
	return `${file}:${size}:${mtimeMs}:${ino}`;
}
