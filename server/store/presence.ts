/**
 * Which servers have a store open: each leaves a note in the folder of keys, named and worded so that
 * one left by a server that was killed is not mistaken for that of a process which later got its id.
 *
 * A note `server.PID` contains `PID BOOT START` where the system reports these, else the id alone.
 */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describeThisProcess, isRunning } from "../../formats/index.js";
import { StoreError } from "./errors.js";
import { makeNote, readNote } from "./note.js";

const NAME = /^server\.(\d+)$/;

/** Announces that this process serves from the folder `path`. Returns the function that withdraws it. Error: `write_failed`. */
export function announceServer(path: string): () => void {
	const note = join(path, `server.${process.pid}`);
	const leave = () => rmSync(note, { force: true });
	try {
		// One of the same id is gone: this process has it now.
		leave();
		makeNote(note, describeThisProcess());
	} catch (error) {
		throw new StoreError("write_failed", path, (error as Error).message, error);
	}
	return leave;
}

/** Ids of the servers that run on the folder `path`; removes what dead ones left. */
export function runningServers(path: string): number[] {
	return readdirSync(path).flatMap((name) => {
		const pid = Number(NAME.exec(name)?.[1] ?? 0);
		if (pid === 0) return [];
		const file = join(path, name);
		const announced = readNote(file);
		if (isRunning(pid, (description) => description === announced)) return [pid];
		rmSync(file, { force: true });
		return [];
	});
}
