/**
 * Runs the compiled tests: every dist/test/**\/*.test.js, each file in a process of its own.
 *
 * Usage: `node dist/test/run.js [FILTER…] [--name REGEXP] [--runs N] [--seed N] [--folder DIR]`, also
 * `npm test -- FILTER…`. A FILTER picks the files whose path contains it, several pick more;
 * `--name` picks tests by name. `--runs` and `--seed` scale and replay the fuzzing tests, which read
 * them as ROLLCALL_FUZZ_RUNS and ROLLCALL_SEED. `--folder` is where tests are looked for; default:
 * beside this file.
 *
 * Ends with the list of skipped tests by reason. Exit code 0 only where at least one test ran, none
 * failed, every file held a test, and no skip was against the rules (skips.ts; CI=true allows fewer);
 * 1 otherwise; 2 for a usage error. A process that hangs is ended and counts as a failure.
 */

import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { faultySkips, type Skip, tellSkips } from "./skips.js";

const TEST_FILE = /\.test\.js$/;
/** Test processes at a time: one more than cores, since most wait for servers and children much of their time. */
const CONCURRENCY = availableParallelism() + 1;
/** Longest a test file may take. Fuzzing on request, `--runs`, has no limit but its runs. */
const FILE_TIMEOUT_MS = 240_000;
/** Linux's file system in memory, and the free bytes in it that all tests together do with. */
const MEMORY_FOLDER = "/dev/shm";
const MEMORY_FOLDER_BYTES_MIN = 6 * 1024 ** 3;
/** Files listed by time at the end of a run. */
const SLOWEST_SHOWN = 20;

interface Options {
	readonly filters: readonly string[];
	readonly name: string | undefined;
	readonly runs: string | undefined;
	readonly seed: string | undefined;
	readonly folder: string;
}

interface Outcome {
	passed: number;
	failed: number;
	todo: number;
	/** Suites included: the tests of a skipped suite are not reported. */
	readonly skips: Skip[];
	/** Files that ended well without having run a test. */
	readonly empty: string[];
	/** Milliseconds that the tests of each file took, startup left out. */
	readonly fileMs: Map<string, number>;
}

/** Compiled test files below `folder`, sorted; with filters, those whose path contains one of them. */
function findTestFiles(folder: string, filters: readonly string[]): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((path) => TEST_FILE.test(path))
		.filter((path) => filters.length === 0 || filters.some((f) => path.split(sep).join("/").includes(f)))
		.sort()
		.map((path) => join(folder, path));
}

/**
 * Has the tests make their folders in memory where there is room: most of them write small files and sync
 * each, which on a disk takes longer than what they test. Returns what removes the folder at the end.
 */
function useMemoryFolder(): () => void {
	if (process.env.TMPDIR !== undefined || !existsSync(MEMORY_FOLDER)) return () => undefined;
	const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
	if (bavail * bsize < MEMORY_FOLDER_BYTES_MIN) return () => undefined;
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-tests-"));
	process.env.TMPDIR = folder;
	return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Runs `files`, reporting on stdout as they end. */
async function runFiles(files: readonly string[], options: Options): Promise<Outcome> {
	const outcome: Outcome = { passed: 0, failed: 0, todo: 0, skips: [], empty: [], fileMs: new Map() };
	const events = run({
		files: [...files],
		concurrency: CONCURRENCY,
		timeout: options.runs === undefined ? FILE_TIMEOUT_MS : Number.POSITIVE_INFINITY,
		testNamePatterns: options.name === undefined ? undefined : [new RegExp(options.name)],
	});
	const addTime = (test: { nesting: number; file?: string; details: { duration_ms: number } }): void => {
		if (test.nesting !== 0 || test.file === undefined) return;
		outcome.fileMs.set(test.file, (outcome.fileMs.get(test.file) ?? 0) + test.details.duration_ms);
	};
	events.on("test:pass", addTime);
	events.on("test:fail", addTime);
	events.on("test:pass", (test) => {
		if (test.skip !== undefined) {
			const skip = skipOf(test.name, test.file, test.skip);
			if (skip !== null) outcome.skips.push(skip);
			return;
		}
		if (test.details.type === "suite") return;
		// Node reports a file without tests as one test that bears the file's name.
		if (test.name === test.file) outcome.empty.push(test.name);
		else if (test.todo !== undefined) outcome.todo++;
		else outcome.passed++;
	});
	events.on("test:fail", (test) => {
		if (test.todo !== undefined) outcome.todo++;
		else outcome.failed++;
	});
	const report = events.compose(new spec());
	for await (const line of report) process.stdout.write(line);
	return outcome;
}

/** What is skipped, and why; null: it is left out by --name. */
function skipOf(name: string, file: string | undefined, skip: boolean | string): Skip | null {
	if (skip === "test name does not match pattern") return null;
	const reason = typeof skip === "string" && skip !== "" ? skip : null;
	return { name, file: relative(".", file ?? "?"), reason };
}

/** One line a person reads first, and why the run failed where it did. */
function summarise(outcome: Outcome, files: number, seconds: number, filtered: boolean): number {
	const ran = outcome.passed + outcome.failed;
	const parts = [`${outcome.passed} passed`, `${outcome.failed} failed`];
	if (outcome.skips.length > 0) parts.push(`${outcome.skips.length} skipped`);
	if (outcome.todo > 0) parts.push(`${outcome.todo} todo`);
	console.log("");
	for (const line of tellSkips(outcome.skips)) console.log(line);
	const slowest = [...outcome.fileMs].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
	console.log("\nslowest files, in seconds:");
	for (const [file, ms] of slowest)
		console.log(`${(ms / 1_000).toFixed(1).padStart(7)}  ${relative(".", file)}`);
	console.log(`\n${parts.join(", ")} in ${files} files, ${seconds.toFixed(1)} s`);
	const problems: string[] = [];
	if (outcome.failed > 0) problems.push(`tests failed: ${outcome.failed}`);
	for (const { name, file, reason } of faultySkips(outcome.skips, process.env.CI === "true"))
		problems.push(
			`${file}: "${name}" is skipped ${reason === null ? "without a reason" : `in CI: ${reason}`}`,
		);
	if (ran === 0) problems.push("no test ran");
	// Under --name most files rightly run nothing.
	if (!filtered) for (const file of outcome.empty) problems.push(`${file} holds no test`);
	for (const problem of problems) console.error(`not passed: ${problem}`);
	return problems.length === 0 ? 0 : 1;
}

function readOptions(): Options {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			name: { type: "string" },
			runs: { type: "string" },
			seed: { type: "string" },
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
		folder: values.folder,
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
	const files = findTestFiles(options.folder, options.filters);
	if (files.length === 0) {
		console.error(
			`not passed: no test file ${options.filters.join(", ")} under ${relative(".", options.folder)}`,
		);
		return 1;
	}
	// Stack traces name the lines of the TypeScript sources.
	process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --enable-source-maps`.trim();
	if (options.runs !== undefined) process.env.ROLLCALL_FUZZ_RUNS = options.runs;
	if (options.seed !== undefined) process.env.ROLLCALL_SEED = options.seed;
	const begun = performance.now();
	const removeMemoryFolder = useMemoryFolder();
	const outcome = await runFiles(files, options).finally(removeMemoryFolder);
	return summarise(outcome, files.length, (performance.now() - begun) / 1000, options.name !== undefined);
}

process.exitCode = await main();
