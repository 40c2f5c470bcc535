/**
 * A client that walks by cursor, in a process of its own (client-process.ts) and by a connection that costs little
 * (body-connection.ts): the figures say how busy it was, so that it is seen which side bounds the rate.
 *
 * Run as a program: `walking-process.js PORT PID PATH WARMING WALKS`.
 */

import { fileURLToPath } from "node:url";
import type { ServerSide } from "../http/server-side.js";
import { threadTimes } from "../processes/thread-times.js";
import { BodyConnection, type Summed } from "./body-connection.js";
import { rest } from "./bulk-client.js";
import { AUTHORIZATION, runClient } from "./client-process.js";

const PROGRAM = fileURLToPath(import.meta.url);

/** Means over the walks that were measured. */
export interface WalkTimes {
	readonly milliseconds: number;
	/** CPU time of all threads of the server, and of the client; 0 where the system does not tell. */
	readonly serverMs: number;
	readonly clientMs: number;
	/** CRC-32 of the bodies of each walk, those before the measured ones included. */
	readonly crcs: readonly number[];
}

/** Walks `path` from its first page to its last, `warming` times and then `walks` times. Rejects if an answer is not 200. */
export async function walkApart(
	server: ServerSide,
	path: string,
	warming: number,
	walks: number,
): Promise<WalkTimes> {
	const args = [String(server.child.pid), path, String(warming), String(walks)];
	return (await runClient(server, { program: PROGRAM, args, input: "", isBackground: false })) as WalkTimes;
}

async function walk(connection: BodyConnection, path: string): Promise<Summed> {
	const sum: Summed = { bytes: 0, crc: 0 };
	let next = await connection.get(`${path}&cursor=*`, sum);
	while (next !== null) next = await connection.get(rest(path, next), sum);
	return sum;
}

async function measure(
	port: number,
	pid: string,
	path: string,
	warming: number,
	walks: number,
): Promise<WalkTimes> {
	const connection = BodyConnection.open(port, process.env[AUTHORIZATION] ?? "");
	try {
		const crcs: number[] = [];
		for (let i = 0; i < warming; i++) crcs.push((await walk(connection, path)).crc);
		const before = [threadTimes(pid), threadTimes("self")];
		const begunMs = performance.now();
		for (let i = 0; i < walks; i++) crcs.push((await walk(connection, path)).crc);
		const milliseconds = (performance.now() - begunMs) / walks;
		const [serverMs, clientMs] = [pid, "self"].map((process, i) => {
			return (threadTimes(process).cpuMs - before[i].cpuMs) / walks;
		});
		return { milliseconds, serverMs, clientMs, crcs };
	} finally {
		connection.close();
	}
}

if (process.argv[1] === PROGRAM) {
	const [port, pid, path, warming, walks] = process.argv.slice(2);
	const told = await measure(Number(port), pid, path, Number(warming), Number(walks));
	process.stdout.write(JSON.stringify(told));
}
