/**
 * A client that downloads, in a process of its own: it shares no event loop with the client whose latency is
 * measured beside it, and has the lowest priority, so that it does not take the processor from that one either.
 *
 * Run as a program: `download-process.js PORT whole|walk PATH MS`, with the authorization in the environment.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { LOAD_CORE, pinned } from "../http/load.js";
import type { ServerSide } from "../http/server-side.js";
import { BulkClient, walk } from "./bulk-client.js";

const PROGRAM = fileURLToPath(import.meta.url);
const AUTHORIZATION = "ROLLCALL_BENCH_AUTHORIZATION";

/** What is downloaded: one body, or all pages from `path` on by cursor. */
export interface Download {
	readonly path: string;
	readonly kind: "whole" | "walk";
	/** For how long it is begun again; absent: it is downloaded once. */
	readonly forMs?: number;
}

/** A finished download, as its own process measured it. */
export interface Downloaded {
	readonly bytes: number;
	readonly milliseconds: number;
}

/** Downloads in a process of its own. Rejects if that fails; ends it when `signal` is aborted. */
export async function downloadApart(
	server: ServerSide,
	{ path, kind, forMs = 0 }: Download,
	signal: AbortSignal,
): Promise<Downloaded> {
	const run = [process.execPath, PROGRAM, String(server.port), kind, path, String(forMs)];
	const [command, ...args] = pinned(
		LOAD_CORE,
		process.platform === "win32" ? run : ["nice", "-n", "19", ...run],
	);
	const env = { ...process.env, [AUTHORIZATION]: server.authorization };
	const child: ChildProcess = spawn(command, args, { env, signal, stdio: ["ignore", "pipe", "inherit"] });
	const [said, [code]] = await Promise.all([
		text(child.stdout as NonNullable<ChildProcess["stdout"]>),
		once(child, "close") as Promise<[number | null]>,
	]);
	if (code !== 0) throw new Error(`the download of ${path} ended with code ${code}`);
	return JSON.parse(said) as Downloaded;
}

async function download(port: number, { path, kind, forMs = 0 }: Download): Promise<Downloaded> {
	const client = new BulkClient(port, process.env[AUTHORIZATION] ?? "");
	const begunMs = performance.now();
	try {
		let bytes = 0;
		do bytes += (kind === "walk" ? await walk(client, path) : await client.get(path)).bytes;
		while (performance.now() - begunMs < forMs);
		return { bytes, milliseconds: performance.now() - begunMs };
	} finally {
		client.close();
	}
}

if (process.argv[1] === PROGRAM) {
	const [port, kind, path, forMs] = process.argv.slice(2);
	const asked = { path, kind: kind === "walk" ? "walk" : "whole", forMs: Number(forMs) } as const;
	const told = await download(Number(port), asked);
	process.stdout.write(JSON.stringify(told));
}
