/**
 * A line of text under a name, made in one step: the target of a symbolic link, which takes no room on
 * a full disk and is there whole or not at all. Where links may not be made (Windows asks for a right of
 * its own, some file systems have none), a file, which for a moment after it is made says nothing.
 */

import { lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";

/** What a file system says that has no links, or none for us. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** Makes the note `text`, of less than 60 bytes, at `path`; false where there is something already. Errors: the system's. */
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

/** The contents of the note at `path`; null if there is none. Errors: the system's. */
export function readNote(path: string): string | null {
	try {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		if (stat === undefined) return null;
		return stat.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "utf8");
	} catch (error) {
		// Taken away since it was looked at.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
		throw error;
	}
}
