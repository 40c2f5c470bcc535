/**
 * A named line of text that is created atomically: the target of a symbolic link, which needs no disk space and
 * is complete or absent. Where links are not available (Windows requires a privilege, some file systems have
 * none), a file, which is empty for a moment after its creation.
 */

import { lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";

/** Error codes of file systems without symbolic links, or without the permission to create them. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** Creates the note `text`, of less than 60 bytes, at `path`; false if the path exists. Throws system errors. */
export function makeNote(path: string, text: string, link: typeof symlinkSync = symlinkSync): boolean {
	try {
		link(text, path);
		return true;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "EEXIST") return false;
		if (!NO_LINKS.has(code)) throw error;
	}
	try {
		writeFileSync(path, text, { flag: "wx", mode: 0o600 });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}

/** The contents of the note at `path`; null if there is none. Throws system errors. */
export function readNote(path: string): string | null {
	try {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		if (stat === undefined) return null;
		return stat.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "utf8");
	} catch (error) {
		// Removed after it was examined.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
		throw error;
	}
}
