/**
 * Load from wrk, which is written in C and costs the machine less than the server under test. The
 * server is pinned to one core and wrk to another, where the machine has taskset.
 */

import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const SCRIPT = fileURLToPath(new URL("../../../bench/http/load.lua", import.meta.url));

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Requests to one port, as wrk sends them. */
export interface Load {
	readonly port: number;
	/** Paths with their queries, sent cyclically in this order. A body to post follows a tab. */
	readonly paths: readonly string[];
	/** Index of the path to start with, counted modulo their number. */
	readonly firstPath?: number;
	/** Value of `Authorization`, or several that are sent by turns; empty: none is sent. */
	readonly authorization: string | readonly string[];
	/** Value of `If-None-Match`; absent: none is sent. */
	readonly ifNoneMatch?: string;
	/** Value of `Accept-Encoding`; absent: none is sent. */
	readonly acceptEncoding?: string;
	readonly connections: number;
	/** Delay of each connection before a request, in milliseconds; 0: none. */
	readonly waitMs: number;
	readonly seconds: number;
}

const loadResult = z.strictObject({
	requests: z.int().positive(),
	seconds: z.number().positive(),
	p50Us: z.number(),
	p99Us: z.number(),
	/** Answers that are neither 2xx nor 3xx, and broken connections. */
	failed: z.int(),
});

export type LoadResult = z.infer<typeof loadResult>;

/** Why the load cannot run here; null where it can. */
export function loadObstacle(): string | null {
	const { error } = spawnSync("wrk", ["--version"], { stdio: "ignore" });
	return error === undefined ? null : "wrk is not installed (Debian: apt-get install wrk)";
}

/** `command`, pinned to one core where the machine can do that. */
export function pinned(core: number | null, command: readonly string[]): string[] {
	if (core === null || spawnSync("taskset", ["--version"], { stdio: "ignore" }).error !== undefined) {
		return [...command];
	}
	return ["taskset", "-c", String(core), ...command];
}

/** Runs `load` from one thread. `scratch` is a folder for the list of paths. Rejects where wrk fails. */
export async function runLoad(load: Load, scratch: string): Promise<LoadResult> {
	const list = join(scratch, `paths-${load.port}.txt`);
	const heads = join(scratch, `heads-${load.port}.txt`);
	writeFileSync(list, `${load.paths.join("\n")}\n`);
	writeFileSync(heads, `${headsOf(load).join("\n")}\n`);
	const [command, ...args] = pinned(LOAD_CORE, [
		"wrk",
		"--threads=1",
		`--connections=${load.connections}`,
		`--duration=${load.seconds}s`,
		`--script=${SCRIPT}`,
		`http://127.0.0.1:${load.port}`,
		"--",
		list,
		heads,
		String(load.waitMs),
		String((load.firstPath ?? 0) % load.paths.length),
	]);
	const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
	let output = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output += text;
	});
	const code = await new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", resolve);
	});
	const line = output.split("\n").find((text) => text.startsWith("{"));
	if (code !== 0 || line === undefined) throw new Error(`wrk failed with code ${code}: ${output.trim()}`);
	return loadResult.parse(JSON.parse(line));
}

/** The headers of requests by turns, as load.lua reads them. */
function headsOf({ authorization, ifNoneMatch, acceptEncoding }: Load): string[] {
	const keys = typeof authorization === "string" ? [authorization] : authorization;
	const shared = [
		...(ifNoneMatch === undefined ? [] : [`If-None-Match: ${ifNoneMatch}`]),
		...(acceptEncoding === undefined ? [] : [`Accept-Encoding: ${acceptEncoding}`]),
	];
	return keys.map((key) => [...(key === "" ? [] : [`Authorization: ${key}`]), ...shared].join("\t"));
}
