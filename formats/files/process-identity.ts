/**
 * Identifies processes across restarts and reuse of process ids by id, boot and start time, if the system reports
 * them (Linux). Lock files contain their holder's identity.
 */

import { readFileSync } from "node:fs";

/**
 * Whether the process `pid` runs and `isSame` accepts its identity. If the system reports no identities, whether
 * any process has that id.
 */
export function isRunning(pid: number, isSame: (identity: string) => boolean): boolean {
	const identity = identityOf(pid);
	if (identity !== null) return isSame(identity);
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

/** The identity of this process, for {@link isRunning}; only its id if the system reports no more. */
export function describeThisProcess(): string {
	return identityOf(process.pid) ?? String(process.pid);
}

/** `PID BOOT START` of a running process; null if there is none or the system does not report it. */
function identityOf(pid: number): string | null {
	try {
		const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The process name, in parentheses, may contain any character; the start time is the 20th field after it.
		const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
		return `${pid} ${boot} ${started}`;
	} catch {
		// No such process, or no /proc, where the caller falls back to sending signal 0.
		return null;
	}
}
