/** Processes that run test files. Each leads a group of processes, all of which are ended with it. */

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** How long output is awaited that a process left behind may still write. */
const OUTPUT_MS_MAX = 1_000;
const running = new Set<number>();

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
	const { NODE_TEST_CONTEXT: _, ...env } = process.env;
	const child = spawn(process.execPath, args, { env, detached: true, stdio: ["ignore", output, output] });
	running.add(child.pid as number);
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

/** Ends a process with what it has started. */
export function endGroup(child: Pick<ChildProcess, "pid">): void {
	try {
		process.kill(-(child.pid as number), "SIGKILL");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Ends the processes that run now, with what they have started. */
export function endRunningFiles(): void {
	for (const pid of running) endGroup({ pid });
}
