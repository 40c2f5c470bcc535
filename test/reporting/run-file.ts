/** Runs one compiled test file in a process of its own, to its end or its time limit. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reported } from "./group-results.js";
import type { Cost, Result } from "./results.js";
import { withSourceLines } from "./source-lines.js";
import { ended, endProcess, reporterArguments, startTests } from "./test-process.js";

/** How a test file ended. */
export interface FileOutcome {
	readonly file: string;
	readonly results: readonly Result[];
	/** Why the file counts as failed, whatever its tests say; null: its process ended with 0 in time. */
	readonly fault: string | null;
	/** A failure that the load cannot have caused, and no other run mends. */
	readonly isFinal: boolean;
	/** What a person reads: the results and the file's own output. */
	readonly output: string;
	/** From the start of the process, or of the file in a process that others share, to its end. */
	readonly seconds: number;
	/** Processor time of its processes in seconds; 0: unknown. */
	readonly processorSeconds: number;
}

/** How files are run. */
export interface RunSettings {
	/** Where processes leave their results. */
	readonly folder: string;
	/** Longest that a file may take. */
	readonly limitMs: number;
	/** Picks tests by name; undefined: all. */
	readonly pattern: string | undefined;
}

/** Runs `file`. Never rejects. */
export async function runFile(file: string, { folder, limitMs, pattern }: RunSettings): Promise<FileOutcome> {
	const begun = performance.now();
	const resultsFile = join(folder, `${crypto.randomUUID()}.jsonl`);
	const reporters = [
		...reporterArguments("readable", "stdout"),
		...reporterArguments("results", resultsFile),
	];
	const names = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`];
	const child = startTests([...reporters, ...names, file], "pipe");
	const chunks: Buffer[] = [];
	for (const stream of [child.stdout, child.stderr])
		stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
	let isLate = false;
	const timer = Number.isFinite(limitMs)
		? setTimeout(() => {
				isLate = true;
				endProcess(child);
			}, limitMs)
		: undefined;
	const fault = await ended(child);
	clearTimeout(timer);
	const lines = readResults(resultsFile);
	const output = Buffer.concat(chunks).toString();
	return {
		file,
		results: lines.filter((line) => "passed" in line),
		fault: isLate ? lateness(limitMs) : fault,
		isFinal: false,
		output: fault === null ? output : withSourceLines(output),
		seconds: (performance.now() - begun) / 1_000,
		processorSeconds: processorSecondsOf(lines),
	};
}

export function lateness(limitMs: number): string {
	return `did not end within ${limitMs / 1_000} s`;
}

/** The lines that the reporters of this folder wrote, as far as they came. */
export function readResults(file: string): (Result | Cost | Reported)[] {
	const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
	return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line));
}

/** Processor time of a whole process; 0: it did not come to report it. */
export function processorSecondsOf(lines: ReturnType<typeof readResults>): number {
	return lines.find((line) => "processorSeconds" in line)?.processorSeconds ?? 0;
}
