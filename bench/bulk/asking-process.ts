/**
 * A client that asks questions one after the other, each once, in a process of its own (client-process.ts).
 *
 * Run as a program: `asking-process.js PORT PID`, with paths as JSON on stdin.
 */

import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ServerSide } from "../http/server-side.js";
import { ownClient, runClient } from "./client-process.js";

const PROGRAM = fileURLToPath(import.meta.url);

/** An answered question. */
export interface Asked {
	/** Until the last byte arrived. */
	readonly milliseconds: number;
	/** CPU time of all threads of the server meanwhile; 0 where the system does not tell. */
	readonly cpuMs: number;
	/** CRC-32 of the body. */
	readonly crc: number;
}

/**
 * Asks for each of `paths` in turn, from a process of its own; what it tells of the first `warming` is left out. Rejects
 * if an answer is not 200.
 */
export async function askApart(server: ServerSide, paths: readonly string[], warming = 0): Promise<Asked[]> {
	const args = [String(server.child.pid)];
	const run = { program: PROGRAM, args, input: JSON.stringify(paths), isBackground: false };
	return ((await runClient(server, run)) as Asked[]).slice(warming);
}

async function ask(port: number, pid: string, paths: readonly string[]): Promise<Asked[]> {
	const client = ownClient(port);
	const asked: Asked[] = [];
	try {
		for (const path of paths) {
			const before = cpuMsOf(pid);
			const { milliseconds, crc } = await client.get(path);
			asked.push({ milliseconds, cpuMs: cpuMsOf(pid) - before, crc });
		}
		return asked;
	} finally {
		client.close();
	}
}

/** CPU time of a process's threads, by the scheduler, which counts nanoseconds. */
function cpuMsOf(pid: string): number {
	if (process.platform !== "linux") return 0;
	const tasks = `/proc/${pid}/task`;
	return readdirSync(tasks).reduce((sum, thread) => sum + cpuMsOfThread(`${tasks}/${thread}/schedstat`), 0);
}

/** 0 of a thread that has ended since it was listed. */
function cpuMsOfThread(path: string): number {
	try {
		return Number(readFileSync(path, "latin1").split(" ", 1)[0]) / 1e6;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ESRCH") return 0;
		throw error;
	}
}

if (process.argv[1] === PROGRAM) {
	const [port, pid] = process.argv.slice(2);
	const paths = JSON.parse(await text(process.stdin)) as string[];
	process.stdout.write(JSON.stringify(await ask(Number(port), pid, paths)));
}
