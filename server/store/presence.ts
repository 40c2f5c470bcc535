/**
 * Which servers have a store open: each leaves a file in the folder of keys, named and filled so that
 * one left by a server that was killed is not mistaken for that of a process which later got its id.
 *
 * A file `server.PID` holds `PID BOOT START` where the system tells these, else the id alone.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = /^server\.(\d+)$/;

/** Says that this process serves from the folder `path`. Returns what takes that back. */
export function announceServer(path: string): () => void {
	const file = join(path, `server.${process.pid}`);
	writeFileSync(file, describeProcess(process.pid) ?? String(process.pid), { mode: 0o600 });
	return () => rmSync(file, { force: true });
}

/** Ids of the servers that run on the folder `path`; removes what dead ones left. */
export function runningServers(path: string): number[] {
	return readdirSync(path).flatMap((name) => {
		const pid = Number(NAME.exec(name)?.[1] ?? 0);
		if (pid === 0) return [];
		const file = join(path, name);
		if (isRunning(pid, readFileSync(file, "utf8"))) return [pid];
		rmSync(file, { force: true });
		return [];
	});
}

function isRunning(pid: number, announced: string): boolean {
	const running = describeProcess(pid);
	if (running !== null) return running === announced;
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
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
