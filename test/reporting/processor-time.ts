/** Processor time of the child processes of this one. */

import { existsSync, readFileSync } from "node:fs";

const TIMES = "/proc/self/stat";
/** Clock ticks a second of /proc, on every architecture that Node runs on. */
const TICKS_PER_S = 100;

/** Milliseconds of the processes that this one has waited for, with theirs; null where the system does not report it. */
export function millisecondsOfChildren(): number | null {
	if (!existsSync(TIMES)) return null;
	const stat = readFileSync(TIMES, "utf8");
	// The program's name, in parentheses, may hold spaces; these are fields 16 and 17.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return ((Number(fields[13]) + Number(fields[14])) * 1_000) / TICKS_PER_S;
}
