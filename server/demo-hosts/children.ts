/**
 * Processes that the demo starts and ends together.
 *
 * Invariant: {@link Children.end} leaves none of them running.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** How long a process may take until it is ready, and until it ends, in milliseconds. */
const READY_MS_MAX = 180_000;
const END_MS_MAX = 15_000;

export interface ChildOptions {
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	/** Whether a line of its output says that it is ready; absent: it is at once. */
	readonly ready?: (line: string) => boolean;
	/** Gets the lines of its output. */
	readonly onLine?: (line: string) => void;
}

export class Children {
	/** In the order of their start. */
	readonly #running: ChildProcess[] = [];
	#ending = false;

	get ending(): boolean {
		return this.#ending;
	}

	/** Starts a process. Resolves when it is ready; rejects with what it wrote last where it ends before. */
	async start({ name, command, args, env, ready, onLine }: ChildOptions): Promise<ChildProcess> {
		const child = spawn(command, args, {
			env: { ...process.env, ...env },
			stdio: ["ignore", "pipe", "pipe"],
		});
		this.#running.push(child);
		child.once("exit", () => this.#running.splice(this.#running.indexOf(child), 1));
		const last: string[] = [];
		await new Promise<void>((resolve, reject) => {
			const timer = setTimeout(
				() => reject(new Error(`${name} is not ready: ${last.join("\n")}`)),
				READY_MS_MAX,
			);
			const settle = (act: () => void) => {
				clearTimeout(timer);
				act();
			};
			child.once("error", (error) => settle(() => reject(error)));
			// Its last lines arrive after its exit.
			child.once("close", (code) =>
				settle(() => reject(new Error(`${name} ended with ${code}: ${last.join("\n")}`))),
			);
			for (const stream of [child.stdout, child.stderr]) {
				createInterface({ input: stream }).on("line", (line) => {
					last.push(line);
					if (last.length > 5) last.shift();
					onLine?.(line);
					if (ready?.(line) === true) settle(resolve);
				});
			}
			if (ready === undefined) child.once("spawn", () => settle(resolve));
		});
		return child;
	}

	/** Ends all of them, the last started first. */
	async end(): Promise<void> {
		this.#ending = true;
		for (const child of [...this.#running].reverse()) {
			if (child.exitCode !== null || child.signalCode !== null) continue;
			const ended = once(child, "exit");
			child.kill("SIGTERM");
			const timer = setTimeout(() => child.kill("SIGKILL"), END_MS_MAX);
			await ended;
			clearTimeout(timer);
		}
	}
}
