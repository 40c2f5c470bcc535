/**
 * A client that downloads, in a process of its own (client-process.ts) with the lowest priority, so that it does not
 * take the processor from the client whose latency is measured beside it.
 *
 * Run as a program: `download-process.js PORT whole|walk PATH MS`.
 */

import { fileURLToPath } from "node:url";
import type { ServerSide } from "../http/server-side.js";
import { walk } from "./bulk-client.js";
import { ownClient, runClient } from "./client-process.js";

const PROGRAM = fileURLToPath(import.meta.url);

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
	const args = [kind, path, String(forMs)];
	return (await runClient(server, {
		program: PROGRAM,
		args,
		input: "",
		isBackground: true,
		signal,
	})) as Downloaded;
}

async function download(port: number, { path, kind, forMs = 0 }: Download): Promise<Downloaded> {
	const client = ownClient(port);
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
