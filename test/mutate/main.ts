/**
 * Mutation testing: `npm run mutate -- PATH… [--sample N] [--seed N] [--jobs N]
 * [--tests FILTER] [--out FILE]`.
 *
 * Plants single-point mistakes in the files below each PATH (a file or folder of the checkout), one at a time, and
 * runs the nearest test files that execute the place, the quickest first, until one fails. A mutant that no test notices
 * survives; those in equivalents.json behave as the original does, for the reason given there, and are not
 * counted. Exit code 0 when it ran, 2 for a usage error: how many must be noticed is docs/TESTING.md's to say.
 *
 * Cost: each test file that reaches a PATH once, then a few runs for each mutant; `--sample` (default 100, evenly
 * over the files, drawn by the seed) bounds how many. Not part of `npm test`.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Draw } from "../oracle/draw.js";
import { coverageOf, executes, type TestCoverage, testsReaching } from "./coverage.js";
import { type Mutant, mutantsOf } from "./mutants.js";
import { Sandbox } from "./sandbox.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const COMPILED = join(ROOT, "dist");
/** The test folders that judge a layer, where `--tests` names no other. Those that judge by time are left out. */
const JUDGES: Readonly<Record<string, readonly string[]>> = {
	formats: ["formats", "engine", "csv", "names", "compat"],
	engine: ["engine", "names", "changes", "formats"],
	builder: ["builder", "csv", "maps", "changes"],
	server: ["http", "keys", "limits", "mcp", "signup", "serve"],
};
/** Processor time. A test file that takes longer is no judge: it would run for every mutant that it executes. */
const JUDGE_MS_MAX = 20_000;
/** Processor time of all runs for one mutant: what survives that long is called a survivor. */
const MUTANT_MS_MAX = 40_000;
/** Of a test file, on a machine that does much else. */
const WALL_MS_MAX = 180_000;
/** Beyond three times what a test takes by itself, a mutant has made it endless. */
const ENDLESS_MS = 2_000;

interface Equivalent {
	readonly source: string;
	readonly line: string;
	readonly original: string;
	readonly replacement: string;
	readonly reason: string;
}

interface Result {
	readonly mutant: Mutant;
	/** The test file that noticed it; null: none. */
	readonly by: string | null;
	readonly judges: number;
}

function readOptions() {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			sample: { type: "string", default: "100" },
			seed: { type: "string", default: "1" },
			jobs: { type: "string", default: "1" },
			tests: { type: "string", multiple: true, default: [] },
			out: { type: "string" },
		},
	});
	for (const name of ["sample", "seed", "jobs"] as const)
		if (!/^[1-9]\d*$/.test(values[name])) throw new TypeError(`--${name} needs a whole number above 0`);
	if (positionals.length === 0)
		throw new TypeError("name a file or folder to plant mistakes in, such as engine/plan");
	return {
		paths: positionals,
		sample: Number(values.sample),
		seed: Number(values.seed),
		jobs: Number(values.jobs),
		tests: values.tests,
		out: values.out ?? null,
	};
}

/** Compiled files of the product below the paths, sorted. */
function targetsBelow(paths: readonly string[]): string[] {
	const all = readdirSync(COMPILED, { recursive: true, encoding: "utf8" })
		.map((path) => path.split(sep).join("/"))
		.filter((path) => path.endsWith(".js") && !path.startsWith("test/") && !path.includes("/generated/"));
	return paths.flatMap((path) => {
		const wanted = relative(ROOT, join(ROOT, path)).replace(/\.ts$/, ".js");
		const found = all.filter((file) => file === wanted || file.startsWith(`${wanted}/`)).sort();
		if (found.length === 0)
			throw new TypeError(`no compiled file below ${path}: run npm run compile, or mend the path`);
		return found;
	});
}

/** Test files whose path contains a filter; without filters, those of the folders that judge the targets' layers. */
function testFiles(targets: readonly string[], filters: readonly string[]): string[] {
	const layers = [...new Set(targets.map((target) => target.split("/")[0]))];
	const folders = layers.flatMap((layer) => JUDGES[layer] ?? []).map((folder) => `test/${folder}/`);
	const wanted = filters.length > 0 ? filters : folders;
	return readdirSync(join(COMPILED, "test"), { recursive: true, encoding: "utf8" })
		.map((path) => `test/${path.split(sep).join("/")}`)
		.filter((path) => path.endsWith(".test.js") && wanted.some((part) => path.includes(part)))
		.sort();
}

/** `count` of the mutants, drawn without order. */
function draw(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
	const random = new Draw(seed, 0);
	const left = [...mutants];
	const drawn: Mutant[] = [];
	while (drawn.length < count && left.length > 0) drawn.push(...left.splice(random.below(left.length), 1));
	return drawn;
}

/** Does `work` for each item, as many at once as there are sandboxes. */
async function each<T>(
	items: readonly T[],
	sandboxes: readonly Sandbox[],
	work: (item: T, sandbox: Sandbox) => Promise<void>,
) {
	const waiting = [...items];
	await Promise.all(
		sandboxes.map(async (sandbox) => {
			for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item, sandbox);
		}),
	);
}

async function judge(mutant: Mutant, tests: readonly TestCoverage[], sandbox: Sandbox): Promise<Result> {
	const judges = tests.filter((test) => executes(test, mutant.compiled, mutant.start));
	const by = await sandbox.withMutant(mutant, async () => {
		let spentMs = 0;
		for (const test of judges) {
			if (spentMs > MUTANT_MS_MAX) return null;
			const { verdict, ms } = await sandbox.runTest(test.file, {
				wallMs: WALL_MS_MAX,
				cpuMs: 3 * test.ms + ENDLESS_MS,
			});
			if (verdict !== "passed") return test.file;
			spentMs += ms;
		}
		return null;
	});
	return { mutant, by, judges: judges.length };
}

function isEquivalent(mutant: Mutant, equivalents: readonly Equivalent[]): boolean {
	return equivalents.some(
		(known) =>
			known.source === mutant.source &&
			known.line === mutant.lineText &&
			known.original === mutant.original &&
			known.replacement === mutant.replacement,
	);
}

function folderOf(source: string): string {
	return source.split("/").slice(0, -1).join("/");
}

function printResults(results: readonly Result[]): void {
	const folders = new Map<string, { noticed: number; all: number }>();
	for (const { mutant, by } of results) {
		const counts = folders.get(folderOf(mutant.source)) ?? { noticed: 0, all: 0 };
		counts.all++;
		if (by !== null) counts.noticed++;
		folders.set(folderOf(mutant.source), counts);
	}
	for (const { mutant, judges } of results.filter(({ by }) => by === null)) {
		const shown = (text: string) => text.replace(/\s+/g, " ").slice(0, 100);
		console.log(`survived ${mutant.source}:${mutant.line} ${mutant.mutator}, ${judges} test files run`);
		console.log(`  ${shown(mutant.original)}  ->  ${shown(mutant.replacement)}`);
	}
	for (const [folder, { noticed, all }] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1)))
		console.log(`${folder}: ${noticed} of ${all} noticed (${((100 * noticed) / all).toFixed(0)} %)`);
	const noticed = results.filter(({ by }) => by !== null).length;
	console.log(
		`in all: ${noticed} of ${results.length} noticed (${((100 * noticed) / results.length).toFixed(1)} %)`,
	);
}

async function main(): Promise<number> {
	let options: ReturnType<typeof readOptions>;
	let targets: string[];
	try {
		options = readOptions();
		targets = targetsBelow(options.paths);
	} catch (error) {
		console.error((error as Error).message);
		return 2;
	}
	const equivalents = JSON.parse(
		readFileSync(join(ROOT, "test", "mutate", "equivalents.json"), "utf8"),
	) as Equivalent[];
	const mutants = await mutantsOf(ROOT, COMPILED, targets);
	const counted = mutants.filter((mutant) => !isEquivalent(mutant, equivalents));
	const drawn = draw(counted, options.sample, options.seed);
	console.log(
		`${drawn.length} of ${counted.length} mutants in ${targets.length} files, seed ${options.seed}; ` +
			`${mutants.length - counted.length} more are equivalent to the original`,
	);
	const parent = mkdtempSync(join(tmpdir(), "rollcall-mutate-"));
	const sandboxes = Array.from({ length: options.jobs }, () => Sandbox.make(ROOT, parent));
	try {
		const changed = new Set(drawn.map(({ compiled }) => compiled));
		const coverages: TestCoverage[] = [];
		await each(
			testsReaching(COMPILED, testFiles(targets, options.tests), changed),
			sandboxes,
			async (file, sandbox) => {
				const limits = { wallMs: WALL_MS_MAX, cpuMs: JUDGE_MS_MAX };
				const coverage = await coverageOf(sandbox, file, changed, limits);
				if (coverage === null)
					console.log(`no judge: ${file} fails, or takes over ${JUDGE_MS_MAX / 1_000} s`);
				else if (coverage.ranges.size > 0) coverages.push(coverage);
			},
		);
		coverages.sort((a, b) => a.ms - b.ms);
		const results: Result[] = [];
		await each(drawn, sandboxes, async (mutant, sandbox) => {
			results.push(await judge(mutant, coverages, sandbox));
			if (results.length % 20 === 0) console.log(`${results.length} of ${drawn.length} judged`);
			// At each, so that an interrupted run is not lost.
			if (options.out !== null) writeFileSync(options.out, `${JSON.stringify(results, null, "\t")}\n`);
		});
		printResults(results);
	} finally {
		for (const sandbox of sandboxes) sandbox.remove();
		rmSync(parent, { recursive: true, force: true });
	}
	return 0;
}

process.exitCode = await main();
