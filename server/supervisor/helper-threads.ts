/**
 * How many threads V8 has to compile and to collect garbage beside those that serve. Node starts four on any machine. On
 * a few cores they contend with the serving threads for these, also while they hold a lock that a serving thread waits for:
 * on two cores, starting to mark the heap took 3 to 6 ms beside four helpers and 0.2 beside one.
 */

/** What Node starts by itself. */
const HELPERS_MAX = 4;
const FLAG = "--v8-pool-size";

/** `flags` of Node for the process that serves, with a helper for each two of `cores`, unless flags or `options` (`NODE_OPTIONS`) say how many. */
export function withHelperThreads(flags: readonly string[], options: string, cores: number): string[] {
	const isGiven = [...flags, ...options.split(/\s+/)].some((flag) => flag.split("=", 1)[0] === FLAG);
	if (isGiven) return [...flags];
	const helpers = Math.min(HELPERS_MAX, Math.max(1, Math.floor(cores / 2)));
	return [...flags, `${FLAG}=${helpers}`];
}
