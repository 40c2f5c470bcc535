/** Runs one compiled test file in a process of its own, to its end or its time limit. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cost, Result } from "./results.js";
import { withSourceLines } from "./source-lines.js";

/** How a test file ended. */
export interface FileOutcome {
	readonly file: string;
	readonly results: readonly Result[];
	/** Why the process counts as failed, whatever its tests say; null: it ended with 0 in time. */
	readonly fault: string | null;
	/** What a person reads: the results and the file's own output. */
	readonly output: string;
	/** From the start of the process to its end. */
	readonly seconds: number;
	/** Processor time of its processes in seconds; 0: unknown. */
	readonly processorSeconds: number;
}

const reporter = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));
/** How long output is awaited that a process left behind may still write. */
const OUTPUT_MS_MAX = 1_000;
const running = new Set<number>();

/**
 * Runs `file`; `pattern` picks tests by name. Results are passed through a file in `folder`. Never rejects.
 * The file's process leads a group, all of which is ended with it at the limit.
 */
export async function runFile(
	file: string,
	folder: string,
	limitMs: number,
	pattern: string | undefined,
): Promise<FileOutcome> {
	const begun = performance.now();
	const resultsFile = join(folder, `${crypto.randomUUID()}.jsonl`);
	const reporters = [
		[reporter("readable"), "stdout"],
		[reporter("results"), resultsFile],
	].flatMap(([module, to]) => [`--test-reporter=${module}`, `--test-reporter-destination=${to}`]);
	const names = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`];
	// This runner may itself be run by a test.
	const { NODE_TEST_CONTEXT: _, ...env } = process.env;
	const child = spawn(process.execPath, [...reporters, ...names, file], {
		env,
		detached: true,
		stdio: ["ignore", "pipe", "pipe"],
	});
	const group = child.pid as number;
	running.add(group);
	const chunks: Buffer[] = [];
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
	let isLate = false;
	const timer = Number.isFinite(limitMs)
		? setTimeout(() => {
				isLate = true;
				endGroup(group);
			}, limitMs)
		: undefined;
	// Listened for from the start: it may come right after the end of the process.
	const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
	const fault = await new Promise<string | null>((resolve) => {
		child.once("error", (error) => resolve(error.message));
		child.once("exit", (code, signal) => resolve(code === 0 ? null : `ended with ${code ?? signal}`));
	});
	clearTimeout(timer);
	running.delete(group);
	await outputEnded(closed);
	const { results, processorSeconds } = readResults(resultsFile);
	const output = Buffer.concat(chunks).toString();
	return {
		file,
		results,
		fault: isLate ? `did not end within ${limitMs / 1_000} s` : fault,
		output: fault === null ? output : withSourceLines(output),
		seconds: (performance.now() - begun) / 1_000,
		processorSeconds,
	};
}

/** What results.ts wrote, as far as it came. */
function readResults(file: string): { results: Result[]; processorSeconds: number } {
	const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
	const entries = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as Result | Cost);
	const cost = entries.find((entry) => "processorSeconds" in entry);
	return {
		results: entries.filter((entry) => "passed" in entry),
		processorSeconds: cost?.processorSeconds ?? 0,
	};
}

function outputEnded(closed: Promise<void>): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, OUTPUT_MS_MAX);
		closed.then(() => {
			clearTimeout(timer);
			resolve();
		});
	});
}

function endGroup(group: number): void {
	try {
		process.kill(-group, "SIGKILL");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Ends the files that run now, with what they have started. */
export function endRunningFiles(): void {
	for (const group of running) endGroup(group);
}
