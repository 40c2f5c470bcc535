/**
 * Finds a uWebSockets.js binary for this machine and Node version. The only file that touches the
 * packages; uws-transport.ts uses the library through the types here.
 *
 * Three places are searched, in this order:
 * 1. the folder `uws/` of this package, for a binary that an operator put there;
 * 2. the package `uWebSockets.js`: the one that this package depends on (up to Node 20), or the author's
 *    release installed in its place;
 * 3. the package `uwebsockets`, which an operator may install (Node 22 to 25, glibc 2.38 or newer).
 *
 * A binary is taken if it answers a request in a process of its own: one that is built for another
 * system may load and then crash.
 */

import type { TemplatedApp, us_listen_socket, us_socket } from "uWebSockets.js";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, us_socket } from "uWebSockets.js";

/** What the transport uses of the library. */
export interface UwsLibrary {
	App(): TemplatedApp;
	/** Undocumented settings; "silent" leaves out the header that names the library. */
	_cfg(setting: string): void;
	us_listen_socket_close(socket: us_listen_socket): void;
	us_socket_local_port(socket: us_socket): number;
}

/** A binary that answered a request on this machine. */
export interface FoundUws {
	/** Path of the binary. */
	readonly file: string;
}

export interface NoUws {
	/** Why there is none, for people. */
	readonly reason: string;
}

/** This package's folder. */
const PACKAGE = fileURLToPath(new URL("../../../", import.meta.url));
const PROBE = fileURLToPath(new URL("./uws-probe.js", import.meta.url));
const PROBE_MS_MAX = 5_000;
const REASON_CHARACTERS_MAX = 200;

const require = createRequire(import.meta.url);
/** Name of a binary for this system and Node version. */
export const BINARY = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

/** What this process uses, once it has been looked for or given. */
let known: FoundUws | NoUws | null = null;

/** Finds a binary that answers, once a process. Cost: the first time some 100 ms a binary found. */
export function findUws(): FoundUws | NoUws {
	known ??= search(candidates(PACKAGE));
	return known;
}

/** Has this thread use the binary that another thread found. */
export function useUws(file: string): void {
	known = { file };
}

/** The library, or why there is none. */
export function loadUws(): UwsLibrary | NoUws {
	const found = findUws();
	// Loaded itself, not through a package's entry, which may fall back to a server of other behaviour.
	return "reason" in found ? found : (require(found.file) as UwsLibrary);
}

/** The first of `files` that answers a request within `answerMsMax` milliseconds of its process's start. */
export function search(files: readonly string[], answerMsMax = PROBE_MS_MAX): FoundUws | NoUws {
	const reasons: string[] = [];
	for (const file of files) {
		const fault = probe(file, answerMsMax);
		if (fault === null) return { file };
		reasons.push(`${file}: ${fault.slice(0, REASON_CHARACTERS_MAX)}`);
	}
	return { reason: reasons.length === 0 ? `no binary ${BINARY} is installed` : reasons.join("; ") };
}

/** Why the binary does not answer a request; null: it does. */
function probe(file: string, answerMsMax: number): string | null {
	const { status, signal, stderr, error } = spawnSync(process.execPath, [PROBE, file], {
		timeout: answerMsMax,
		killSignal: "SIGKILL",
		encoding: "utf8",
	});
	if (status === 0) return null;
	if ((error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT")
		return `it did not answer within ${answerMsMax} ms`;
	if (error !== undefined) return error.message;
	if (signal !== null) return `it ended with ${signal}`;
	return /^\w*Error: .*$/m.exec(stderr)?.[0] ?? `it ended with code ${status}`;
}

/** Binaries for this Node that are installed in the package folder `root`, the preferred first. */
export function candidates(root: string): string[] {
	const folders = [join(root, "uws")];
	for (const name of ["uWebSockets.js", "uwebsockets"]) {
		const entry = folderOf(name, root);
		if (entry !== null) folders.push(join(entry, "..", "binaries"), entry);
	}
	return folders.map((folder) => join(folder, BINARY)).filter((file) => existsSync(file));
}

/** Folder of the file that loads the package `name` in `root`; null: it is not installed there. */
function folderOf(name: string, root: string): string | null {
	try {
		return dirname(createRequire(join(root, "package.json")).resolve(name));
	} catch {
		// Not installed.
		return null;
	}
}
