/**
 * How many threads V8 has to compile and to collect garbage beside those that serve. Node starts four on any machine. On
 * a few cores they contend with the serving threads for these, also while they hold a lock that a serving thread waits for:
 * on two cores, starting to mark the heap took 3 to 6 ms beside four helpers and 0.2 beside one.
 */

import { availableParallelism } from "node:os";

/** Node's default. */
const HELPERS_MAX = 4;
const FLAG = "--v8-pool-size";

/**
 * `flags` of Node for the process that serves, with one thread in V8's pool for each two of `cores`, unless the flags or
 * `options`, by default those of `NODE_OPTIONS`, set its size.
 */
export function withHelperThreads(
	flags: readonly string[],
	options = process.env.NODE_OPTIONS ?? "",
	cores = availableParallelism(),
): string[] {
	const isGiven = [...flags, ...options.split(/\s+/)].some((flag) => flag.split("=", 1)[0] === FLAG);
	if (isGiven) return [...flags];
	const helpers = Math.min(HELPERS_MAX, Math.max(1, Math.floor(cores / 2)));
	return [...flags, `${FLAG}=${helpers}`];
}
