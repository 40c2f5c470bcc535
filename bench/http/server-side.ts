/**
 * One side of a comparison of servers, in a process of its own: the server as an operator starts it, on a Node and
 * with flags that the comparison chooses, or a constant answer by an HTTP library alone. CPU time is read from the
 * kernel, so it includes all threads.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { withHelperThreads } from "../../server/supervisor/helper-threads.js";
import { ownChild } from "../processes/own-children.js";
import { timesByThread } from "../processes/thread-times.js";
import type { ConstantLibrary } from "./constant-server.js";
import { pinned } from "./load.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));
const CONSTANT = fileURLToPath(new URL("./constant-server.js", import.meta.url));

/** Of its key: more than any server answers. */
const REQUESTS_PER_MINUTE = 1_000_000_000;

export interface ServerSideOptions {
	readonly name: string;
	/** Its published months are served; nothing in it is written. */
	readonly dataFolder: string;
	/** Path of the Node that runs it. */
	readonly node: string;
	/** Of `server start`, besides data folder and port. */
	readonly flags: readonly string[];
	/** Of Node, beside those that the supervisor would give; absent: none. */
	readonly nodeFlags?: readonly string[];
	/** Compiled checkout that it is of; absent: this one. */
	readonly checkout?: string;
	/** Variables beside those of this process. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Whether its key has the bulk entitlement, which adds a cursor to every list. */
	readonly bulk?: boolean;
	/** Core that the process is pinned to; null: none. */
	readonly core: number | null;
}

/** A server that answers everything by the same bytes: what the library and the machine allow. */
export interface ConstantSideOptions {
	readonly name: string;
	/** Path of the Node that runs it. */
	readonly node: string;
	readonly library: ConstantLibrary;
	readonly threads: number;
	/** Of its answer's body. */
	readonly bytes: number;
	/** Core that the process is pinned to; null: none. */
	readonly core: number | null;
}

export class ServerSide {
	/** CPU time of each thread when it was last read, also of those that have ended. */
	private readonly threadsMs = new Map<string, number>();

	private constructor(
		readonly name: string,
		readonly child: ChildProcess,
		readonly port: number,
		/** A folder for what a run writes. */
		readonly scratch: string,
		/** Value of `Authorization` for a key that no limit stops, and which has limits to count against. */
		readonly authorization: string,
		/** When the process was started, by the monotonic clock. */
		readonly startedMs: number,
	) {}

	/** Starts it. Rejects where it ends instead. */
	static async start({
		name,
		dataFolder,
		node,
		flags,
		core,
		bulk = false,
		nodeFlags = [],
		checkout,
		environment = {},
	}: ServerSideOptions): Promise<ServerSide> {
		const scratch = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
		const served = join(scratch, "data");
		mkdirSync(served);
		for (const folder of ["snapshots", "manifests", "changes", "exports"])
			if (existsSync(join(dataFolder, folder)))
				symlinkSync(resolve(dataFolder, folder), join(served, folder));
		const quiet = ["--no-supervise", "--verify-mib-s", "0", "--log-level", "info"];
		const main = checkout === undefined ? MAIN : join(checkout, "dist", "server", "main.js");
		const authorization = `Bearer ${limitlessKey(node, main, served, bulk)}`;
		const args = [
			...withHelperThreads(nodeFlags),
			main,
			"start",
			"--data",
			served,
			"--host",
			"127.0.0.1",
			"--port",
			"0",
			...quiet,
			...flags,
		];
		return ServerSide.spawned(name, pinned(core, [node, ...args]), scratch, authorization, environment);
	}

	/** Starts a constant server. Rejects where it ends instead. */
	static startConstant(options: ConstantSideOptions): Promise<ServerSide> {
		const { name, node, library, threads, bytes, core } = options;
		const scratch = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
		const command = pinned(core, [node, CONSTANT, library, String(threads), String(bytes)]);
		return ServerSide.spawned(name, command, scratch, "Bearer none");
	}

	/** The side of a program that writes the event "listening" with its port. */
	private static async spawned(
		name: string,
		[command, ...rest]: readonly string[],
		scratch: string,
		authorization: string,
		environment: Readonly<Record<string, string>> = {},
	): Promise<ServerSide> {
		const startedMs = performance.now();
		const env = { ...process.env, ...environment };
		const child = ownChild(spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"], env }));
		const port = await new Promise<number>((found, failed) => {
			child.once("error", failed);
			child.once("exit", (code) => failed(new Error(`${name} ended with code ${code}`)));
			createInterface({ input: child.stdout }).on("line", (line) => {
				const event = JSON.parse(line) as { msg: string; port: number };
				if (event.msg === "listening") found(event.port);
			});
		});
		return new ServerSide(name, child, port, scratch, authorization, startedMs);
	}

	/** CPU time of all its threads so far, in microseconds. */
	cpuUs(): number {
		for (const [thread, { cpuMs }] of timesByThread(String(this.child.pid)))
			this.threadsMs.set(thread, cpuMs);
		let sum = 0;
		for (const ms of this.threadsMs.values()) sum += ms;
		return sum * 1_000;
	}

	/** Waits until its key is accepted, which takes a moment where keys are shared. */
	async untilServing(path: string): Promise<void> {
		for (let tries = 0; ; tries++) {
			const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
				headers: { authorization: this.authorization },
			});
			await answer.arrayBuffer();
			if (answer.status === 200) return;
			if (tries === 100) throw new Error(`${this.name}: ${path} answers ${answer.status}`);
			await new Promise((again) => setTimeout(again, 100));
		}
	}

	/** Memory of its own, without mapped files, in bytes. */
	ownBytes(): number {
		const status = readFileSync(`/proc/${this.child.pid}/status`, "latin1");
		return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
	}

	async stop(): Promise<void> {
		if (this.child.exitCode === null && this.child.signalCode === null) {
			const ended = once(this.child, "exit");
			this.child.kill("SIGTERM");
			await ended;
		}
		rmSync(this.scratch, { recursive: true, force: true });
	}
}

/** Makes a key of every month whose limits no benchmark reaches, by the side's own program, which may know another key store. */
function limitlessKey(node: string, main: string, dataFolder: string, bulk: boolean): string {
	const limits = ["--tier", "enterprise", "--history", "all", "--per-minute", String(REQUESTS_PER_MINUTE)];
	const grant = bulk ? ["--bulk"] : [];
	const args = [
		main,
		"keys",
		"create",
		"--data",
		dataFolder,
		"--name",
		"bench",
		...limits,
		...grant,
		"--json",
	];
	return (JSON.parse(execFileSync(node, args, { encoding: "utf8" })) as { key: string }).key;
}
