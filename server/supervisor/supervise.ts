/**
 * The supervisor: starts the process that serves, hands signals on to it, and starts it again when it
 * dies, as it does where a file is truncated under its maps (SIGBUS).
 *
 * Invariants:
 * - It maps nothing, opens no database and loads nothing but files of this folder, so that what ends the process
 *   that serves does not end it.
 * - A process that never came to serve has refused to start: its exit code is the supervisor's, and it
 *   is not started again.
 * - The process that serves ends when the supervisor does (followed.ts): none is left behind on the port.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { ListeningMessage, StopMessage } from "./messages.js";

const EXIT_FAILED = 1;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** A process that has served for this long is started again at once when it dies, in milliseconds. */
const STEADY_MS = 10_000;
/** Waits before a process that keeps dying is started again: none at first, then doubling up to the last. */
const FIRST_WAIT_MS = 250;
const WAIT_MS_MAX = 5_000;
/** Signals this close together are one wish: a terminal and a program before us may both hand it on. */
const SAME_WISH_MS = 500;

/** What most likely ends a process by a signal while it opens files. */
const HINT =
	"; a damaged database of keys may have ended it (keys restore brings a backup back), or a damaged month (builder verify)";

/** One process that serves, from its start to its end. */
interface Life {
	/** Port it served; null: it never came to serve. */
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
 * A second signal, later than a stutter, ends both processes at once.
 */
export async function supervise(script: URL, args: readonly string[]): Promise<number> {
	// Lines of ours go nowhere where nobody reads them; the service goes on.
	process.stdout.on("error", () => undefined);
	const wish = new StopWish();
	/** Once served: with `--port 0` it has to be the same again. */
	let port: number | null = null;
	for (let quickDeaths = 0; ; ) {
		const portArgs = port === null ? [] : ["--port", String(port)];
		const life = await live(script, [...args, ...portArgs], wish);
		if (life.code === 0) return 0;
		if (wish.signal !== null || (port === null && life.port === null)) return endedForGood(life, wish);
		port ??= life.port;
		quickDeaths = life.lived_ms < STEADY_MS ? quickDeaths + 1 : 0;
		const wait_ms = waitBefore(quickDeaths);
		const { code, signal, lived_ms } = life;
		log("the serving process died and is started again", { signal, code, lived_ms, wait_ms });
		await wish.orAfter(wait_ms);
		if (wish.signal !== null) return EXIT_FAILED;
	}
}

function waitBefore(quickDeaths: number): number {
	return quickDeaths < 2 ? 0 : Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (quickDeaths - 2));
}

function endedForGood({ code, signal, lived_ms }: Life, wish: StopWish): number {
	if (code !== null) return code;
	// Signalled along with this process before it heard of supervisors.
	if (wish.signal === signal) return 0;
	if (wish.signal !== null) log("the serving process died while it stopped", { signal, lived_ms });
	else process.stderr.write(`error: the serving process ended with ${signal} before it served${HINT}\n`);
	return EXIT_FAILED;
}

function live(script: URL, args: readonly string[], wish: StopWish): Promise<Life> {
	const begunMs = performance.now();
	const child = fork(script, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
	let port: number | null = null;
	child.on("message", (message: ListeningMessage) => {
		port = message.port;
	});
	wish.tell(child);
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("exit", async (code, signal) => {
			wish.tell(null);
			// The channel's end comes after what the process said before its own.
			if (child.connected) await once(child, "disconnect");
			resolve({ port, code, signal, lived_ms: Math.round(performance.now() - begunMs) });
		});
	});
}

/** What the operator has asked for by signals, handed on to the process at hand. */
class StopWish {
	/** The first signal; null: none. */
	signal: NodeJS.Signals | null = null;
	private firstMs = 0;
	private child: ChildProcess | null = null;
	private wake: () => void = () => undefined;

	constructor() {
		for (const signal of SIGNALS) process.on(signal, () => this.take(signal));
	}

	/** Names the process that is to stop; null: there is none. */
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
		} else if (performance.now() - this.firstMs > SAME_WISH_MS) {
			this.child?.kill("SIGKILL");
			process.exit(EXIT_FAILED);
		}
	}

	private handOn(signal: NodeJS.Signals): void {
		if (this.child?.connected !== true) return;
		// A process that is gone before it hears this has ended, which is what was asked.
		this.child.send({ kind: "stop", signal } satisfies StopMessage, () => undefined);
	}
}

/** A line in the shape of the server's log. */
function log(msg: string, fields: Record<string, unknown>): void {
	process.stdout.write(`${JSON.stringify({ level: 50, time: new Date().toISOString(), ...fields, msg })}\n`);
}
