/**
 * Which servers have a store open: each leaves a file in the folder of keys, named and filled so that
 * one left by a server that was killed is not mistaken for that of a process which later got its id.
 *
 * A file `server.PID` holds `PID BOOT START` where the system tells these, else the id alone.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeThisProcess, isRunning } from "./process-identity.js";

const NAME = /^server\.(\d+)$/;

/** Says that this process serves from the folder `path`. Returns what takes that back. */
export function announceServer(path: string): () => void {
	const file = join(path, `server.${process.pid}`);
	writeFileSync(file, describeThisProcess(), { mode: 0o600 });
	return () => rmSync(file, { force: true });
}

/** Ids of the servers that run on the folder `path`; removes what dead ones left. */
export function runningServers(path: string): number[] {
	return readdirSync(path).flatMap((name) => {
		const pid = Number(NAME.exec(name)?.[1] ?? 0);
		if (pid === 0) return [];
		const file = join(path, name);
		const announced = readFileSync(file, "utf8");
		if (isRunning(pid, (description) => description === announced)) return [pid];
		rmSync(file, { force: true });
		return [];
	});
}
