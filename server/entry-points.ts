/**
 * The files that the server's processes and threads begin with. `npm run compile` bundles each with the modules that
 * it imports (scripts/bundle.js), which load in half the CPU time so.
 *
 * Invariant: a bundle is used only if nothing was compiled since it was made.
 */

import { statSync } from "node:fs";

/** Paths below this folder. */
export const ENTRY_POINTS = ["supervised.js", "workers/thread.js", "scrubbing/thread.js"] as const;
export type EntryPoint = (typeof ENTRY_POINTS)[number];

/** Written by the compiler when it compiles; not in an installed package, whose bundles are current. */
const COMPILED = new URL("../.tsbuildinfo", import.meta.url);

/** The file to begin with: a bundle if there is a current one. Cost: two `stat` calls. */
export function entryPoint(entry: EntryPoint): URL {
	return isCurrent(entry) ? bundleOf(entry) : new URL(entry, import.meta.url);
}

/** Whether there is a bundle, made after the last compilation. */
export function isCurrent(entry: EntryPoint): boolean {
	const made = statSync(bundleOf(entry), { throwIfNoEntry: false });
	const compiled = statSync(COMPILED, { throwIfNoEntry: false });
	return made !== undefined && (compiled === undefined || made.mtimeMs >= compiled.mtimeMs);
}

function bundleOf(entry: EntryPoint): URL {
	return new URL(`bundle/${entry}`, import.meta.url);
}
