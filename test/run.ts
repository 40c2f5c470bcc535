/**
 * Runs the compiled tests: every dist/test/**\/*.test.js, in a process of its own or one shared by files of its
 * folder (groups.ts).
 *
 * Usage: `node dist/test/run.js [FILTER…] [--name REGEXP] [--runs N] [--seed N] [--alone] [--folder DIR]`, also
 * `npm test -- FILTER…`. A FILTER picks the files whose path, from `test/` on, contains it, several pick more, and
 * one that picks none is a mistake;
 * `--name` picks tests by name. `--runs` and `--seed` scale and replay the fuzzing tests, which read
 * them as ROLLCALL_FUZZ_RUNS and ROLLCALL_SEED. `--alone` gives every file a process of its own, as does `--name`.
 * `--folder` is where tests are looked for; default: beside this file.
 *
 * Where a few files fail, each is retried once, alone: a test that waits for real processes can fail for lack of
 * processor time while others run, and a mistake fails both times, with the same seed too. Files that pass only then
 * are listed as flaky.
 *
 * Ends with the list of skipped tests by reason. Exit code 0 only where at least one test ran, none
 * failed, every file held a test, and no skip was against the rules (skips.ts; CI=true allows fewer);
 * 1 otherwise; 2 for a usage error. A process that hangs is ended and counts as a failure. SIGINT, SIGTERM and SIGHUP
 * end all that the tests have started, and remove what they mounted and wrote.
 */

import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { groupFiles } from "./groups.js";
import { PREBUILT_VARIABLE } from "./prebuilt.js";
import { useOwnFolders } from "./reporting/own-folder.js";
import type { FileOutcome } from "./reporting/run-file.js";
import { runGroup } from "./reporting/run-group.js";
import { endRunningProcesses } from "./reporting/test-process.js";
import { RUN_SEED_VARIABLE } from "./run-seed.js";
import { runScheduled } from "./schedule.js";
import { faultySkips, type Skip, tellSkips } from "./skips.js";

const TEST_FILE = /\.test\.js$/;
/** Longest a test file may take. Fuzzing on request, `--runs`, has no limit but its runs. */
const FILE_TIMEOUT_MS = 240_000;
/** The most failed files that are retried; more fail for a reason other than the load. */
const RETRIES_MAX = 3;
/** Node's reason for a test that `--name` leaves out. */
const LEFT_OUT_BY_NAME = "test name does not match pattern";
/** Files listed by time at the end of a run. */
const SLOWEST_SHOWN = 20;

interface Options {
	readonly filters: readonly string[];
	readonly name: string | undefined;
	readonly runs: string | undefined;
	readonly seed: string | undefined;
	readonly alone: boolean;
	readonly folder: string;
}

/** The whole run, with the outcome that counts of each file. */
interface Outcome {
	readonly files: readonly FileOutcome[];
	/** Files that failed beside others and passed alone. */
	readonly flaky: readonly string[];
	readonly seconds: number;
}

/** Compiled test files below `folder`, from there and sorted. */
function findTestFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((path) => TEST_FILE.test(path))
		.sort();
}

/** Whether `filter` picks the file: paths begin with `test/`, as in the repository. */
function picks(filter: string, path: string): boolean {
	return `test/${path.split(sep).join("/")}`.includes(filter);
}

/** Runs `groups`, one after the other or as scheduled, and prints each file's output when it has ended. */
async function runGroups(
	groups: readonly string[][],
	folder: string,
	options: Options,
	oneByOne: boolean,
): Promise<FileOutcome[]> {
	const limitMs = options.runs === undefined ? FILE_TIMEOUT_MS : Number.POSITIVE_INFINITY;
	const settings = { folder, limitMs, pattern: options.name };
	const outcomes: FileOutcome[] = [];
	const report = (outcome: FileOutcome): void => {
		outcomes.push(outcome);
		console.log(`\n${relative(".", outcome.file)}, ${timesOf(outcome)}\n${outcome.output.trimEnd()}`);
	};
	const run = (group: readonly string[]) => runGroup(group, settings, report);
	if (oneByOne) for (const group of groups) await run(group);
	else await runScheduled(groups, run);
	return outcomes.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Runs all files, then retries the failed ones if they are few. */
async function runAll(files: readonly string[], options: Options): Promise<Outcome> {
	const begun = performance.now();
	const folder = mkdtempSync(join(tmpdir(), "rollcall-results-"));
	process.env[PREBUILT_VARIABLE] = folder;
	try {
		const isAlone = options.alone || options.name !== undefined;
		const groups = isAlone ? files.map((file) => [file]) : groupFiles(files, options.folder);
		const first = await runGroups(groups, folder, options, false);
		const failed = first.filter((outcome) => hasFailed(outcome) && !outcome.isFinal).map(({ file }) => file);
		const alone = failed.length <= RETRIES_MAX ? failed : [];
		if (alone.length > 0) console.log(`\nretried alone: ${alone.map((f) => relative(".", f)).join(", ")}`);
		const again = alone.map((file) => [file]);
		const second = await runGroups(again, folder, options, true);
		return {
			files: [...first.filter(({ file }) => !alone.includes(file)), ...second],
			flaky: second.filter((outcome) => !hasFailed(outcome)).map(({ file }) => file),
			seconds: (performance.now() - begun) / 1_000,
		};
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** How long a file took, and the processor time of its processes. */
function timesOf({ seconds, processorSeconds }: FileOutcome): string {
	return `${seconds.toFixed(1)} s, processor ${processorSeconds.toFixed(1)} s`;
}

function hasFailed({ results, fault }: FileOutcome): boolean {
	return fault !== null || results.some(({ passed, todo }) => !passed && !todo);
}

/** What was skipped, suites included: the tests of a skipped suite are not reported. */
function skipsOf({ results }: FileOutcome): Skip[] {
	return results
		.filter(({ passed, skipped }) => passed && skipped !== null && skipped !== LEFT_OUT_BY_NAME)
		.map(({ name, file, skipped }) => ({ name, file: relative(".", file), reason: skipped || null }));
}

/** One line a person reads first, and why the run failed where it did. */
function summarise({ files, flaky, seconds }: Outcome, filtered: boolean): number {
	const ran = files.flatMap(({ results }) =>
		results.filter(({ passed, isSuite, skipped }) => skipped === null && !(passed && isSuite)),
	);
	const todo = ran.filter((result) => result.todo).length;
	const failed = ran.filter((result) => !result.passed && !result.todo).length;
	const skips = files.flatMap(skipsOf);
	const parts = [`${ran.length - todo - failed} passed`, `${failed} failed`];
	if (skips.length > 0) parts.push(`${skips.length} skipped`);
	if (todo > 0) parts.push(`${todo} todo`);
	console.log("");
	for (const line of tellSkips(skips)) console.log(line);
	console.log("\nslowest files, in seconds, and their processor time:");
	for (const outcome of [...files].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN)) {
		const times = [outcome.seconds, outcome.processorSeconds].map((time) => time.toFixed(1).padStart(7));
		console.log(`${times.join("")}  ${relative(".", outcome.file)}`);
	}
	for (const file of flaky) console.log(`flaky: ${relative(".", file)} failed beside others, passed alone`);
	const processorSeconds = files.reduce((sum, outcome) => sum + outcome.processorSeconds, 0);
	console.log(
		`\n${parts.join(", ")} in ${files.length} files, ${seconds.toFixed(1)} s, processor ${processorSeconds.toFixed(0)} s`,
	);
	const problems = files.flatMap((outcome) => problemsOf(outcome, filtered));
	for (const { name, file, reason } of faultySkips(skips, process.env.CI === "true"))
		problems.push(
			`${file}: "${name}" is skipped ${reason === null ? "without a reason" : `in CI: ${reason}`}`,
		);
	if (ran.length === 0) problems.push("no test ran");
	for (const problem of problems) console.error(`not passed: ${problem}`);
	return problems.length === 0 ? 0 : 1;
}

function problemsOf(outcome: FileOutcome, filtered: boolean): string[] {
	const file = relative(".", outcome.file);
	if (hasFailed(outcome)) {
		const names = outcome.results
			.filter(({ passed, todo }) => !passed && !todo)
			.map(({ name }) => `"${name}"`);
		return [`${file}: ${names.length > 0 ? names.join(", ") : outcome.fault}`];
	}
	// Under --name most files rightly run nothing.
	return filtered || outcome.results.length > 0 ? [] : [`${file} holds no test`];
}

function readOptions(): Options {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			name: { type: "string" },
			runs: { type: "string" },
			seed: { type: "string" },
			alone: { type: "boolean", default: false },
			folder: { type: "string", default: dirname(fileURLToPath(import.meta.url)) },
		},
	});
	for (const option of ["runs", "seed"] as const) {
		const value = values[option];
		if (value !== undefined && !/^\d+$/.test(value)) throw new TypeError(`--${option} wants a whole number`);
	}
	return {
		filters: positionals,
		name: values.name,
		runs: values.runs,
		seed: values.seed,
		alone: values.alone,
		folder: resolve(values.folder),
	};
}

async function main(): Promise<number> {
	let options: Options;
	try {
		options = readOptions();
	} catch (error) {
		console.error((error as Error).message);
		return 2;
	}
	const { filters, folder } = options;
	const found = findTestFiles(folder);
	const idle = filters.filter((filter) => !found.some((path) => picks(filter, path)));
	if (found.length === 0 || idle.length > 0) {
		console.error(`not passed: no test file ${idle.join(", ")} under ${relative(".", folder)}`);
		return 1;
	}
	const files = found
		.filter((path) => filters.length === 0 || filters.some((filter) => picks(filter, path)))
		.map((path) => join(folder, path));
	if (options.runs !== undefined) process.env.ROLLCALL_FUZZ_RUNS = options.runs;
	if (options.seed !== undefined) process.env.ROLLCALL_SEED = options.seed;
	// One seed for all processes, so that a retry tries the same random cases again.
	process.env[RUN_SEED_VARIABLE] ??= String(randomInt(2 ** 31));
	const removeOwnFolders = useOwnFolders();
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
		process.once(signal, () => {
			endRunningProcesses();
			removeOwnFolders();
			process.exit(1);
		});
	const outcome = await runAll(files, options).finally(removeOwnFolders);
	return summarise(outcome, options.name !== undefined);
}

process.exitCode = await main();
