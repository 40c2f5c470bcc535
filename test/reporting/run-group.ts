/**
 * Runs several compiled test files in one process (group-process.ts), each with an outcome of its own.
 *
 * Only what is certain of a file counts: one that the process did not come to, or whose results it took with it, is
 * run again alone, and so is every file where the process fails though no file of it does.
 */

import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Begun, Ended } from "./group-process.js";
import type { Result } from "./results.js";
import {
	type FileOutcome,
	lateness,
	processorSecondsOf,
	type RunSettings,
	readResults,
	runFile,
} from "./run-file.js";
import { withSourceLines } from "./source-lines.js";
import { ended, endProcess, moduleFile, reporterArguments, startTests } from "./test-process.js";

/** How often the process is asked whether it still advances. */
const WATCHED_MS = 1_000;

/** Runs `files`, and reports the outcome of each as soon as it is known. Never rejects. */
export async function runGroup(
	files: readonly string[],
	settings: RunSettings,
	report: (outcome: FileOutcome) => void,
): Promise<void> {
	const alone = files.length === 1 ? files : await runTogether(files, settings, report);
	for (const file of alone) report(await runFile(file, settings));
}

/** Runs `files` in one process. Returns those that must be run alone. */
async function runTogether(
	files: readonly string[],
	{ folder, limitMs }: RunSettings,
	report: (outcome: FileOutcome) => void,
): Promise<readonly string[]> {
	const name = join(folder, crypto.randomUUID());
	const [resultsFile, progressFile, outputFile] = [`${name}.jsonl`, `${name}.progress`, `${name}.txt`];
	const descriptor = openSync(outputFile, "a");
	const child = startTests(
		[...reporterArguments("group-results", resultsFile), moduleFile("group-process"), progressFile, ...files],
		descriptor,
	);
	closeSync(descriptor);
	const begunMs = Date.now();
	let isLate = false;
	const timer = setInterval(() => {
		const advancedMs = existsSync(progressFile) ? statSync(progressFile).mtimeMs : begunMs;
		if (Date.now() - advancedMs <= limitMs) return;
		isLate = true;
		endProcess(child);
	}, WATCHED_MS);
	const exit = await ended(child);
	clearInterval(timer);
	const fault = isLate ? lateness(limitMs) : exit;

	const group = readGroup(resultsFile, progressFile, outputFile);
	const outcomes = files.map((file) => group.outcomeOf(file, fault));
	const known = outcomes.filter((outcome) => outcome !== null);
	const isExplained =
		fault === null ||
		known.some((outcome) => outcome.fault === fault || outcome.results.some(({ passed }) => !passed));
	if (!isExplained) return files;
	// What the process itself took, its start and its end, is everyone's.
	const share = Math.max(0, group.processorSeconds - sumOf(known)) / files.length;
	for (const outcome of known)
		report({ ...outcome, processorSeconds: outcome.processorSeconds + (outcome.fault === null ? share : 0) });
	return files.filter((_, at) => outcomes[at] === null);
}

function sumOf(outcomes: readonly FileOutcome[]): number {
	return outcomes.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
}

interface Group {
	readonly processorSeconds: number;
	/** Of a file that has ended, or that ended the process with `fault`; null: neither is certain. */
	outcomeOf(file: string, fault: string | null): FileOutcome | null;
}

/** What a process has left of its files. */
function readGroup(resultsFile: string, progressFile: string, outputFile: string): Group {
	const lines = readResults(resultsFile);
	const reports = new Map<string, { results: readonly Result[]; text: string }>();
	let results: Result[] = [];
	for (const line of lines) {
		if ("passed" in line) results.push(line);
		if (!("reported" in line)) continue;
		reports.set(line.reported, { results, text: line.text });
		results = [];
	}
	const progress = readProgress(progressFile);
	const output = readFileSync(outputFile);
	const outcomeOf = (file: string, fault: string | null): FileOutcome | null => {
		const begun = progress.find((line): line is Begun => "begun" in line && line.begun === file);
		const end = progress.find((line): line is Ended => "ended" in line && line.ended === file);
		const written = output.subarray(begun?.outputAt, end?.outputAt).toString();
		if (begun !== undefined && end === undefined && fault !== null) {
			const text = withSourceLines(written);
			return { file, results: [], fault, isFinal: false, output: text, seconds: 0, processorSeconds: 0 };
		}
		const reported = reports.get(file);
		if (end === undefined || reported === undefined) return null;
		const changed = end.changed.length === 0 ? null : `changed ${end.changed.join(", ")} and left it so`;
		return {
			file,
			results: reported.results,
			fault: changed,
			isFinal: changed !== null,
			output: withSourceLines(`${written}${reported.text}`),
			seconds: end.seconds,
			processorSeconds: end.processorSeconds,
		};
	};
	return { processorSeconds: processorSecondsOf(lines), outcomeOf };
}

function readProgress(file: string): (Begun | Ended)[] {
	const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
	return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line));
}
