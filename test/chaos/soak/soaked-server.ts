/**
 * The server of a soak, started as an operator starts it, and the process that serves its port: the
 * one started, or one that it supervises. Reads /proc, so Linux only.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../free-port.js";

const MAIN = fileURLToPath(new URL("../../../server/main.js", import.meta.url));
const THREAD_KILLER = new URL("./thread-killer.js", import.meta.url).href;
const START_MS_MAX = 60_000;
const POLL_MS = 20;
/** Small enough to be full within minutes: memory that still grows then is no cache that fills. */
const CACHE_FLAGS = ["--answer-cache-mib", "8", "--compression-cache-mib", "4"];
/** Of log lines; pino's numbers. */
const LEVEL_ERROR = 50;

export interface Memory {
	/** All resident memory, mapped files included, in bytes. */
	readonly residentBytes: number;
	/** Memory of no file: heaps, stacks, buffers. */
	readonly anonymousBytes: number;
}

export class SoakedServer {
	port = 0;
	/** Times this harness had to start it again itself. */
	restarts = 0;
	/** Called with every line of level error and above, and with output that is not a log line. */
	onError: (line: string) => void = () => undefined;
	/** While something is being killed, the log may say so. */
	errorsExpected = false;
	private lastError = "";
	private child: ChildProcess | null = null;
	private readonly killFile: string;

	constructor(
		private readonly dataFolder: string,
		private readonly workers: number,
		scratch: string,
	) {
		this.killFile = join(scratch, "end-a-thread");
	}

	async start(): Promise<void> {
		if (this.port === 0) this.port = await freePort();
		const args = [MAIN, "start", "--data", this.dataFolder, "--port", String(this.port)];
		args.push("--workers", String(this.workers), "--log-level", "warn", ...CACHE_FLAGS);
		const env = {
			...process.env,
			NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${THREAD_KILLER}`.trim(),
			SOAK_THREAD_KILL_FILE: this.killFile,
		};
		const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
		this.child = child;
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding("utf8").on("data", (text: string) => this.read(text));
		await this.untilHealthy(START_MS_MAX);
	}

	/** Milliseconds until /v1/health is 200. Rejects after `withinMs`. */
	async untilHealthy(withinMs: number): Promise<number> {
		const begunMs = performance.now();
		for (;;) {
			if ((await this.status("/v1/health")) === 200) return performance.now() - begunMs;
			const elapsedMs = performance.now() - begunMs;
			if (elapsedMs > withinMs)
				throw new Error(`the server is not healthy after ${Math.round(elapsedMs)} ms: ${this.lastError}`);
			await delay(POLL_MS);
		}
	}

	/** Status of one GET; 0 where nothing answers. */
	async status(path: string, key?: string): Promise<number> {
		const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
		try {
			const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { headers });
			await answer.arrayBuffer();
			return answer.status;
		} catch {
			// A server that is away is what is being looked for.
			return 0;
		}
	}

	/** The process that holds the port; null while none does. */
	servingPid(): number | null {
		const { child } = this;
		if (child?.pid === undefined) return null;
		const sockets = listeningSockets(this.port);
		return descendants(child.pid).findLast((pid) => holdsAny(pid, sockets)) ?? null;
	}

	memory(): Memory | null {
		const pid = this.servingPid();
		if (pid === null) return null;
		try {
			const status = readFileSync(`/proc/${pid}/status`, "utf8");
			const bytes = (name: string) =>
				Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
			return { residentBytes: bytes("VmRSS"), anonymousBytes: bytes("RssAnon") };
		} catch {
			// It ended in between.
			return null;
		}
	}

	/** Ends one serving thread. Resolves when one has taken the order. */
	async killThread(): Promise<void> {
		writeFileSync(this.killFile, "");
		for (let waitedMs = 0; existsSync(this.killFile); waitedMs += POLL_MS) {
			if (waitedMs > 10_000) throw new Error("no serving thread took the order to end");
			await delay(POLL_MS);
		}
	}

	/** Kills the serving process. Resolves when another serves, to how long nothing did, in milliseconds. */
	async killProcess(): Promise<number> {
		const pid = this.servingPid();
		const { child } = this;
		if (pid === null || child === null) throw new Error("nothing serves the port");
		const begunMs = performance.now();
		const exited = once(child, "exit");
		process.kill(pid, "SIGKILL");
		if (pid === child.pid) {
			await exited;
			this.restarts++;
			await this.start();
		} else {
			while (existsSync(`/proc/${pid}`)) await delay(POLL_MS);
			await this.untilHealthy(START_MS_MAX);
		}
		return performance.now() - begunMs;
	}

	/** Ends it as an operator does. Resolves to the exit code. */
	async end(): Promise<number | null> {
		const { child } = this;
		if (child === null || child.exitCode !== null || child.signalCode !== null) return null;
		const closed = once(child, "close");
		child.kill("SIGTERM");
		const lateMs = setTimeout(() => child.kill("SIGKILL"), START_MS_MAX);
		const [code] = await closed;
		clearTimeout(lateMs);
		return code as number | null;
	}

	private read(text: string): void {
		for (const line of text.split("\n")) {
			if (line.trim() === "") continue;
			const level = Number(/"level":(\d+)/.exec(line)?.[1] ?? LEVEL_ERROR);
			if (level < LEVEL_ERROR) continue;
			this.lastError = line.slice(0, 500);
			if (!this.errorsExpected) this.onError(this.lastError);
		}
	}
}

/** `pid` and all below it, parents first. */
function descendants(pid: number): number[] {
	const found = [pid];
	for (const parent of found) {
		try {
			for (const task of readdirSync(`/proc/${parent}/task`)) {
				const children = readFileSync(`/proc/${parent}/task/${task}/children`, "utf8");
				found.push(...children.split(" ").filter(Boolean).map(Number));
			}
		} catch {
			// It ended in between.
		}
	}
	return found;
}

/** Inodes of the sockets that listen on `port`. */
function listeningSockets(port: number): Set<string> {
	const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
	const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
	const fields = lines.map((line) => line.trim().split(/\s+/));
	return new Set(fields.filter((f) => f[1]?.endsWith(suffix) && f[3] === "0A").map((f) => f[9]));
}

function holdsAny(pid: number, sockets: ReadonlySet<string>): boolean {
	try {
		return readdirSync(`/proc/${pid}/fd`).some((fd) => {
			const target = linkTarget(`/proc/${pid}/fd/${fd}`);
			return target.startsWith("socket:[") && sockets.has(target.slice(8, -1));
		});
	} catch {
		// It ended in between.
		return false;
	}
}

function linkTarget(path: string): string {
	try {
		return readlinkSync(path);
	} catch {
		// Closed in between.
		return "";
	}
}
