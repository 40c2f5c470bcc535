/** Tells a process from one which later got its id. */

import { readFileSync } from "node:fs";

/** Whether the process `pid` runs and is the one whose description `isIt` knows. */
export function isRunning(pid: number, isIt: (description: string) => boolean): boolean {
	const running = describeProcess(pid);
	if (running !== null) return isIt(running);
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

/** What this process says of itself, for {@link isRunning}. */
export function describeThisProcess(): string {
	return describeProcess(process.pid) ?? String(process.pid);
}

/** `PID BOOT START` of a running process; null where the system does not tell or there is none. */
function describeProcess(pid: number): string | null {
	try {
		const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The name, in parentheses, may hold anything; the start is the 20th field after it.
		const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
		return `${pid} ${boot} ${started}`;
	} catch {
		// No such process, or no such system: the caller asks another way.
		return null;
	}
}
