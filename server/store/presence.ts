/**
 * Which servers have a store open: each creates a note in the folder of keys, whose name and contents
 * distinguish a killed server from a later process with the same id.
 *
 * A note `server.PID` contains `PID BOOT START` if the system reports these, else only the id.
 */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describeThisProcess, isRunning } from "../../formats/index.js";
import { StoreError } from "./errors.js";
import { makeNote, readNote } from "./note.js";

const NAME = /^server\.(\d+)$/;

/**
 * Announces that this process serves from the folder `path`. Returns the function that withdraws it. Error:
 * `write_failed`.
 */
export function announceServer(path: string): () => void {
	const note = join(path, `server.${process.pid}`);
	const leave = () => rmSync(note, { force: true });
	try {
		// A process with the same id has ended: the id is now this process's.
		leave();
		makeNote(note, describeThisProcess());
	} catch (error) {
		throw new StoreError("write_failed", path, (error as Error).message, error);
	}
	return leave;
}

/** Process ids of the servers running on the folder `path`; removes the notes of ended ones. */
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
