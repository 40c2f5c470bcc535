/**
 * Clients in processes of their own, pinned to the other core than the server: neither the event loop of the
 * benchmark nor its garbage collections add to what is measured. The key is passed in the environment, so that it is in no
 * list of processes.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { LOAD_CORE, pinned } from "../http/load.js";
import type { ServerSide } from "../http/server-side.js";
import { ownChild } from "../processes/own-children.js";
import { BulkClient } from "./bulk-client.js";

/**
 * Of Node: the bodies that a client reads do not make it collect garbage while it waits for an answer, and it can
 * collect it before it asks.
 */
const CLIENT_FLAGS = ["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"];

/** The variable that a client finds its key in. */
export const AUTHORIZATION = "ROLLCALL_BENCH_AUTHORIZATION";

export interface ClientRun {
	/** Path of the module to run. */
	readonly program: string;
	readonly args: readonly string[];
	/** Written to its standard input. */
	readonly input: string;
	/** Whether it has the lowest priority, so that it takes the processor from no other client. */
	readonly isBackground: boolean;
	/** Ends it when aborted. */
	readonly signal?: AbortSignal;
}

/** Runs a client of `server` to its end; resolves to the JSON document that it prints. Rejects if it fails. */
export async function runClient(server: ServerSide, run: ClientRun): Promise<unknown> {
	const { program, args, input, isBackground, signal } = run;
	const nice = isBackground && process.platform !== "win32" ? ["nice", "-n", "19"] : [];
	const line = [...nice, process.execPath, ...CLIENT_FLAGS, program, String(server.port), ...args];
	const [command, ...rest] = pinned(LOAD_CORE, line);
	const env = { ...process.env, [AUTHORIZATION]: server.authorization };
	const child = ownChild(spawn(command, rest, { env, signal, stdio: ["pipe", "pipe", "inherit"] }));
	// A client that ends without reading its input is reported by its exit code.
	child.stdin.on("error", () => undefined).end(input);
	const [said, [code]] = await Promise.all([
		text(child.stdout),
		once(child, "close") as Promise<[number | null]>,
	]);
	if (code !== 0) throw new Error(`the client ${[program, ...args].join(" ")} ended with code ${code}`);
	return JSON.parse(said);
}

/** Within such a process: a client of the server at `port`. */
export function ownClient(port: number): BulkClient {
	return new BulkClient(port, process.env[AUTHORIZATION] ?? "");
}
