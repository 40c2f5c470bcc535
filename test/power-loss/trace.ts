/** What the recorder writes: one line of JSON for every change of a file or folder, in the order they happened. */

import { readFileSync } from "node:fs";

/** Paths are absolute. Contents are base64. */
export type Change =
	| { readonly kind: "make-file" | "make-folder" | "remove"; readonly path: string }
	| { readonly kind: "rename" | "link"; readonly from: string; readonly path: string }
	/** The file holds this from now on; nothing has reached storage yet. */
	| { readonly kind: "content"; readonly path: string; readonly content: string }
	/** A file with its content, or a folder with its entries, has reached storage. */
	| { readonly kind: "sync"; readonly path: string; readonly content: string | null }
	/** A command begins, or has reported success. */
	| { readonly kind: "begin" | "end"; readonly path: string };

/** Environment variables that tell the recorder which folder to watch and where to write. */
export const WATCHED_FOLDER = "ROLLCALL_TRACED_FOLDER";
export const TRACE_FILE = "ROLLCALL_TRACE_FILE";

export function readTrace(path: string): Change[] {
	const lines = readFileSync(path, "utf8").split("\n");
	return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Change);
}
