/** Processes that run test files. Each leads a group of processes, and all that it has started is ended with it. */

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endStarted, markedEnvironment } from "./started-processes.js";

/** How long output is awaited that a process left behind may still write. */
const OUTPUT_MS_MAX = 1_000;
/** The marks of processes that run, by process. */
const running = new Map<number, string>();

/** The file of a module of this folder. */
export function moduleFile(name: string): string {
	return fileURLToPath(new URL(`${name}.js`, import.meta.url));
}

/** Node's arguments for the reporter of this folder by `name`, which writes to `destination`. */
export function reporterArguments(name: string, destination: string): string[] {
	return [`--test-reporter=${moduleFile(name)}`, `--test-reporter-destination=${destination}`];
}

/** Node with `args`. `output` takes standard output and error: pipes, or a file by its descriptor. */
export function startTests(args: readonly string[], output: "pipe" | number): ChildProcess {
	// This runner may itself be run by a test.
	const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
	const mark = crypto.randomUUID();
	const env = markedEnvironment(inherited, mark);
	const child = spawn(process.execPath, args, { env, detached: true, stdio: ["ignore", output, output] });
	running.set(child.pid as number, mark);
	return child;
}

/** Why the process counts as failed, once it has ended and its output has; null: it ended with 0. */
export async function ended(child: ChildProcess): Promise<string | null> {
	// Listened for from the start: it may come right after the end of the process.
	const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
	const fault = await new Promise<string | null>((resolve) => {
		child.once("error", (error) => resolve(error.message));
		child.once("exit", (code, signal) => resolve(code === 0 ? null : `ended with ${code ?? signal}`));
	});
	// What a process leaves behind that did not come to its end.
	if (fault !== null) endProcess(child);
	running.delete(child.pid as number);
	await new Promise<void>((resolve) => {
		const timer = setTimeout(resolve, OUTPUT_MS_MAX);
		closed.then(() => {
			clearTimeout(timer);
			resolve();
		});
	});
	return fault;
}

/** Ends a process that runs with what it has started. */
export function endProcess({ pid }: Pick<ChildProcess, "pid">): void {
	const mark = running.get(pid as number);
	if (mark !== undefined) endStarted([pid as number], [mark]);
}

/** Ends the processes that run now, with what they have started. */
export function endRunningProcesses(): void {
	endStarted([...running.keys()], [...running.values()]);
}
