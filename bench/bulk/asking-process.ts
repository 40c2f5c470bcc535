/**
 * A client that asks questions one after the other, each once, in a process of its own (client-process.ts). It
 * collects its garbage before each question, so that no collection of its own is within a measured time.
 *
 * Run as a program: `asking-process.js PORT PID`, with paths as JSON on stdin.
 */

import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ServerSide } from "../http/server-side.js";
import { threadTimes } from "../processes/thread-times.js";
import { ownClient, runClient } from "./client-process.js";

const PROGRAM = fileURLToPath(import.meta.url);
/** This process in /proc. */
const OWN = "self";

/** An answered question. */
export interface Asked {
	/** Until the last byte arrived. */
	readonly milliseconds: number;
	/** CPU time of all threads of the server meanwhile; 0 where the system does not tell. */
	readonly cpuMs: number;
	/** What threads of the server and the client waited meanwhile for a core that others had; 0 as for `cpuMs`. */
	readonly waitMs: number;
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
			globalThis.gc?.({ type: "minor" });
			const before = [threadTimes(pid), threadTimes(OWN)];
			const { milliseconds, crc } = await client.get(path);
			const [server, own] = [threadTimes(pid), threadTimes(OWN)];
			const waitMs = server.waitMs - before[0].waitMs + own.waitMs - before[1].waitMs;
			asked.push({ milliseconds, cpuMs: server.cpuMs - before[0].cpuMs, waitMs, crc });
		}
		return asked;
	} finally {
		client.close();
	}
}

if (process.argv[1] === PROGRAM) {
	const [port, pid] = process.argv.slice(2);
	const paths = JSON.parse(await text(process.stdin)) as string[];
	process.stdout.write(JSON.stringify(await ask(Number(port), pid, paths)));
}
