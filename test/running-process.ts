/** Whether processes that tests have started still run. */

import { readFileSync } from "node:fs";

/** Whether `pid` runs; an orphan that has ended may be waited for late, and does not. Throws where it is another user's. */
export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return (
			process.platform !== "linux" || !/^\S+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
		);
	} catch (error) {
		if (["ESRCH", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
		throw error;
	}
}
