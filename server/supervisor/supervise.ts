/**
 * The supervisor: starts the process that serves, forwards signals to it, and restarts it when it dies,
 * as it does when a mapped file is truncated (SIGBUS).
 *
 * Invariants:
 * - It maps nothing, opens no database and loads only files of this folder, so that faults of the process that
 *   serves do not affect it.
 * - A process that ends before it serves has refused to start: the supervisor exits with its code and
 *   does not restart it.
 * - The process that serves ends when the supervisor does (followed.ts): none is left on the port.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { withHelperThreads } from "./helper-threads.js";
import type { ListeningMessage, StopMessage } from "./messages.js";

const EXIT_FAILED = 1;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** A process that has served for this long is restarted at once when it dies, in milliseconds. */
const STEADY_MS = 10_000;
/** Delays before a process that keeps dying is restarted: none at first, then from the first, doubling, to the last. */
const FIRST_WAIT_MS = 250;
const WAIT_MS_MAX = 5_000;
/** Signals this close together are one request: a terminal and a parent process may both forward it. */
const SAME_STOP_MS = 500;

/** The likely cause when a signal ends a process while it opens files. */
const HINT =
	"; a damaged database of keys may have ended it (keys restore brings a backup back), or a damaged month (builder verify)";

/** One process that serves, from its start to its end. */
interface Life {
	/** Port it served; null: it ended before it served. */
	readonly port: number | null;
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly lived_ms: number;
}

/** Whether a command line asks for a server under a supervisor. */
export function isSupervised(args: readonly string[]): boolean {
	return args[0] === "start" && !args.includes("--no-supervise");
}

/**
 * Runs `script` with `args` until it ends on its own or is asked to stop. Resolves to the exit code.
 * A second signal, unless it follows at once, ends both processes immediately.
 */
export async function supervise(script: URL, args: readonly string[]): Promise<number> {
	// If nobody reads stdout, log lines are lost and the service goes on.
	process.stdout.on("error", () => undefined);
	const stopRequest = new StopRequest();
	/** Port once served: a restart with `--port 0` must take the same one. */
	let port: number | null = null;
	for (let quickDeaths = 0; ; ) {
		const portArgs = port === null ? [] : ["--port", String(port)];
		const life = await live(script, [...args, ...portArgs], stopRequest);
		if (life.code === 0) return 0;
		if (stopRequest.signal !== null || (port === null && life.port === null))
			return endedForGood(life, stopRequest);
		port ??= life.port;
		quickDeaths = life.lived_ms < STEADY_MS ? quickDeaths + 1 : 0;
		const wait_ms = waitBefore(quickDeaths);
		const { code, signal, lived_ms } = life;
		log("the serving process died and is started again", { signal, code, lived_ms, wait_ms });
		await stopRequest.orAfter(wait_ms);
		if (stopRequest.signal !== null) return EXIT_FAILED;
	}
}

function waitBefore(quickDeaths: number): number {
	return quickDeaths < 2 ? 0 : Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (quickDeaths - 2));
}

function endedForGood({ code, signal, lived_ms }: Life, stopRequest: StopRequest): number {
	if (code !== null) return code;
	// Signalled together with this process before it followed the supervisor.
	if (stopRequest.signal === signal) return 0;
	if (stopRequest.signal !== null) log("the serving process died while it stopped", { signal, lived_ms });
	else process.stderr.write(`error: the serving process ended with ${signal} before it served${HINT}\n`);
	return EXIT_FAILED;
}

function live(script: URL, args: readonly string[], stopRequest: StopRequest): Promise<Life> {
	const begunMs = performance.now();
	const execArgv = withHelperThreads(process.execArgv);
	const child = fork(script, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv });
	let port: number | null = null;
	child.on("message", (message: ListeningMessage) => {
		port = message.port;
	});
	stopRequest.tell(child);
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("exit", async (code, signal) => {
			stopRequest.tell(null);
			// Messages that the process sent before its end arrive before the disconnect.
			if (child.connected) await once(child, "disconnect");
			resolve({ port, code, signal, lived_ms: Math.round(performance.now() - begunMs) });
		});
	});
}

/** A request to stop, made by a signal and forwarded to the current process. */
class StopRequest {
	/** The first signal; null: none. */
	signal: NodeJS.Signals | null = null;
	private firstMs = 0;
	private child: ChildProcess | null = null;
	private wake: () => void = () => undefined;

	constructor() {
		for (const signal of SIGNALS) process.on(signal, () => this.take(signal));
	}

	/** Sets the process to stop; null: there is none. */
	tell(child: ChildProcess | null): void {
		this.child = child;
		if (this.signal !== null) this.handOn(this.signal);
	}

	/** Resolves after `ms`, or at the first signal. */
	orAfter(ms: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, ms);
			this.wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}

	private take(signal: NodeJS.Signals): void {
		if (this.signal === null) {
			this.signal = signal;
			this.firstMs = performance.now();
			this.handOn(signal);
			this.wake();
		} else if (performance.now() - this.firstMs > SAME_STOP_MS) {
			this.child?.kill("SIGKILL");
			process.exit(EXIT_FAILED);
		}
	}

	private handOn(signal: NodeJS.Signals): void {
		if (this.child?.connected !== true) return;
		// A process that ends before it receives this has done what was asked.
		this.child.send({ kind: "stop", signal } satisfies StopMessage, () => undefined);
	}
}

/** Writes a line in the format of the server's log. */
function log(msg: string, fields: Record<string, unknown>): void {
	process.stdout.write(`${JSON.stringify({ level: 50, time: new Date().toISOString(), ...fields, msg })}\n`);
}
