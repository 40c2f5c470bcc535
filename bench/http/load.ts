/**
 * Load from wrk, which is written in C and costs the machine less than the server under test. The
 * server is pinned to one core and wrk to another, where the machine has taskset.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ownChild } from "../processes/own-children.js";

const SCRIPT = fileURLToPath(new URL("../../../bench/http/load.lua", import.meta.url));

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Between two attempts to end it. */
const INTERRUPT_MS = 50;

/** wrk's own limit, in seconds. */
const ANSWER_S = 2;

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
	requests: z.int(),
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

/** A load that runs until it is ended. */
export class LoadProcess {
	private readonly child: ChildProcess;
	private readonly ended: Promise<LoadResult>;

	/**
	 * Starts wrk with one thread. `scratch` is a folder for the list of paths. `timeoutS`: seconds without an answer
	 * after which a request has failed.
	 */
	constructor(load: Load, scratch: string, timeoutS: number) {
		const list = join(scratch, `paths-${load.port}.txt`);
		const heads = join(scratch, `heads-${load.port}.txt`);
		writeFileSync(list, `${load.paths.join("\n")}\n`);
		writeFileSync(heads, `${headsOf(load).join("\n")}\n`);
		const [command, ...args] = pinned(LOAD_CORE, [
			"wrk",
			"--threads=1",
			`--connections=${load.connections}`,
			`--duration=${load.seconds}s`,
			`--timeout=${timeoutS}s`,
			`--script=${SCRIPT}`,
			`http://127.0.0.1:${load.port}`,
			"--",
			list,
			heads,
			String(load.waitMs),
			String((load.firstPath ?? 0) % load.paths.length),
		]);
		this.child = ownChild(spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] }));
		this.ended = resultOf(this.child);
		// Reported by `end`, which may be called later.
		this.ended.catch(() => undefined);
	}

	resume(): void {
		this.child.kill("SIGCONT");
	}

	/** Stops sending and receiving until {@link resume}. */
	halt(): void {
		this.child.kill("SIGSTOP");
	}

	/** Ends the load before its time. Resolves as {@link end}. */
	async interrupt(): Promise<LoadResult> {
		this.resume();
		// Only its main thread waits for the end, and any of its threads may take the signal.
		const again = setInterval(() => this.child.kill("SIGINT"), INTERRUPT_MS);
		try {
			return await this.ended;
		} finally {
			clearInterval(again);
		}
	}

	/** Resolves to its result at its end. Rejects where wrk fails. */
	end(): Promise<LoadResult> {
		return this.ended;
	}

	/** Ends it without a result, halted or not. */
	kill(): void {
		this.child.kill("SIGKILL");
	}
}

/** Runs `load` from one thread. `scratch` is a folder for the list of paths. Rejects where wrk fails. */
export function runLoad(load: Load, scratch: string): Promise<LoadResult> {
	return new LoadProcess(load, scratch, ANSWER_S).end();
}

async function resultOf(child: ChildProcess): Promise<LoadResult> {
	let output = "";
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		output += text;
	});
	const code = await new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", resolve);
	});
	const line = output.split("\n").find((text) => text.startsWith("{"));
	if (code !== 0 || line === undefined) throw new Error(`wrk failed with code ${code}: ${output.trim()}`);
	const result = loadResult.parse(JSON.parse(line));
	if (result.requests === 0)
		throw new Error(`no request was answered in ${result.seconds.toFixed(1)} s of load`);
	return result;
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
