/**
 * Runs test files one after the other in this process, each as a suite, so that its hooks are its own.
 *
 * Usage: `node … group-process.js PROGRESS FILE…`. Each file's begin and end become lines of PROGRESS, written at
 * once: they are there whatever ends the process. Standard output must be a file, in which the lines say where
 * each test file's output lies.
 */

import { appendFileSync, fstatSync } from "node:fs";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
import { changesBetween, processState } from "./process-state.js";
import { millisecondsOfChildren } from "./processor-time.js";

/** A line of PROGRESS: a file begins. */
export interface Begun {
	readonly begun: string;
	/** Bytes of output before it. */
	readonly outputAt: number;
}

/** A line of PROGRESS: all tests of a file have ended. */
export interface Ended {
	readonly ended: string;
	readonly outputAt: number;
	readonly seconds: number;
	/** Processor time of this process, and of the children that it has waited for. */
	readonly processorSeconds: number;
	/** State of the process that the file has changed. */
	readonly changed: readonly string[];
}

const [progress, ...files] = process.argv.slice(2) as [string, ...string[]];

function note(line: Begun | Ended): void {
	appendFileSync(progress, `${JSON.stringify(line)}\n`);
}

function outputAt(): number {
	return fstatSync(1).size;
}

function processorSeconds(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e6 + (millisecondsOfChildren() ?? 0) / 1_000;
}

for (const file of files) {
	note({ begun: file, outputAt: outputAt() });
	const [begun, processorBegun] = [performance.now(), processorSeconds()];
	let state = processState();
	await describe(file, async () => {
		// Again: node:test listens for errors from its first suite on.
		state = processState();
		await import(pathToFileURL(file).href);
	});
	note({
		ended: file,
		outputAt: outputAt(),
		seconds: (performance.now() - begun) / 1_000,
		processorSeconds: processorSeconds() - processorBegun,
		changed: changesBetween(state, processState()),
	});
}
