/**
 * Which test files share a process. Files of code that runs in their own process share one with others of their
 * folder: a process, its modules and what V8 learns of them cost most of these files more than their tests do.
 *
 * A file keeps a process of its own where its text mentions state of the whole process ({@link OWN_PROCESS}),
 * which it may change or measure. What a file changes all the same fails it (reporting/process-state.ts).
 */

import { readFileSync } from "node:fs";
import { dirname, sep } from "node:path";

/** Folders whose files may share a process. */
const SHARING = [
	"bench",
	"builder",
	"changes",
	"compat",
	"csv",
	"docs",
	"engine",
	"formats",
	"http",
	"keys",
	"limits",
	"mcp",
	"names",
	"object-store",
	"serve",
	"shared-state",
	"signup",
	"synth",
];
/** Files that wait for children or timers too long for those behind them, or that compare times of their own. */
const ALONE = [
	"bench/bulk",
	"builder/build-bench",
	"builder/faults",
	"builder/locks-and-pipes",
	"builder/reproducible",
	"builder/watch",
	"docs/commands",
	"limits/concurrency",
	"limits/durability",
	"object-store/faults",
	"object-store/index-lock",
	"serve/backpressure",
	"serve/bench-http",
	"serve/connections",
	"serve/npm-run",
	"serve/pipelining",
	"serve/stalled-bodies",
	"serve/streaming",
	"serve/supervisor",
	"serve/workers",
	"shared-state/faults",
	"shared-state/redis-modes",
	"signup/browser",
	"signup/mail-queue",
	"signup/signup",
];
/** Text of a compiled file that changes or measures its process, or replaces how its modules load; no module's name. */
const OWN_PROCESS =
	/(?<![-\w])process\.(?!execPath\b|pid\b|platform\b|arch\b|version\b|versions\b|argv\b|stdout\b|kill\b|nextTick\b)\w+|\/proc\/self|\bsetFlagsFromString\b|\bregister\(|\bmock\.timers\b/;
/** The most files of one process. More share more, but leave less to run beside them. */
const FILES_MAX = 16;

/** `files` of `folder`, each with those that it shares a process with; processes of several files first. */
export function groupFiles(files: readonly string[], folder: string): string[][] {
	const alone: string[][] = [];
	const sharing = new Map<string, string[]>();
	for (const file of files) {
		const path = file
			.slice(folder.length + 1)
			.split(sep)
			.join("/");
		const room = dirname(path);
		const mayShare = SHARING.includes(room) && !ALONE.includes(path.replace(/\.test\.js$/, ""));
		if (!mayShare || OWN_PROCESS.test(readFileSync(file, "utf8"))) alone.push([file]);
		else sharing.set(room, [...(sharing.get(room) ?? []), file]);
	}
	return [...[...sharing.values()].flatMap(inEqualParts), ...alone];
}

/** `files` in as few parts of at most {@link FILES_MAX} as they need. */
function inEqualParts(files: readonly string[]): string[][] {
	const parts = Math.ceil(files.length / FILES_MAX);
	const size = Math.ceil(files.length / parts);
	return Array.from({ length: parts }, (_, part) => files.slice(part * size, (part + 1) * size));
}
