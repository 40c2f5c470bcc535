/**
 * How many threads V8 has to compile and to collect garbage beside those that serve. Node starts four on any machine. On
 * a few cores they contend with the serving threads for these, and a collection that holds a lock of theirs makes the
 * serving thread wait: at a hot swap it was held three times as long with four helpers on two cores as with one.
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
