/**
 * Which test files execute a place of a compiled file: each is run once while V8 counts, its threads and child
 * processes included.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox, TestLimits } from "./sandbox.js";

interface CountedRange {
	readonly startOffset: number;
	readonly endOffset: number;
	readonly count: number;
}

/** What one test file executes. */
export interface TestCoverage {
	readonly file: string;
	readonly ms: number;
	/** By compiled file: the ranges of each process, nested as V8 gives them. */
	readonly ranges: ReadonlyMap<string, readonly (readonly CountedRange[])[]>;
}

/** Whether the test executes what is at `offset`: in some process the innermost range around it was counted. */
export function executes({ ranges }: TestCoverage, compiled: string, offset: number): boolean {
	return (ranges.get(compiled) ?? []).some((counted) => {
		let innermost: CountedRange | null = null;
		for (const range of counted) {
			if (range.startOffset > offset || range.endOffset <= offset) continue;
			const isInner =
				innermost === null ||
				range.endOffset - range.startOffset <= innermost.endOffset - innermost.startOffset;
			if (isInner) innermost = range;
		}
		return innermost !== null && innermost.count > 0;
	});
}

/**
 * Runs a test file of the sandbox and reads what it executed of the compiled files `targets`. null: it does not
 * pass, or not within `limits`, so it can judge no mutant.
 */
export async function coverageOf(
	sandbox: Sandbox,
	file: string,
	targets: ReadonlySet<string>,
	limits: TestLimits,
): Promise<TestCoverage | null> {
	const folder = mkdtempSync(join(sandbox.folder, "coverage-"));
	try {
		const counted = await sandbox.runTest(file, limits, { NODE_V8_COVERAGE: folder });
		if (counted.verdict !== "passed") return null;
		const ranges = new Map<string, CountedRange[][]>();
		for (const name of readdirSync(folder)) addRanges(join(folder, name), sandbox.compiled, targets, ranges);
		return { file, ms: counted.ms, ranges };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

interface Report {
	readonly result: readonly {
		readonly url: string;
		readonly functions: readonly { readonly ranges: CountedRange[] }[];
	}[];
}

function addRanges(
	path: string,
	compiled: string,
	targets: ReadonlySet<string>,
	into: Map<string, CountedRange[][]>,
): void {
	const text = readFileSync(path, "utf8");
	// A process that was killed leaves half a report, which says nothing.
	if (!text.endsWith("}")) return;
	for (const { url, functions } of (JSON.parse(text) as Report).result) {
		if (!url.startsWith("file:")) continue;
		const target = relative(compiled, fileURLToPath(url));
		if (!targets.has(target)) continue;
		const lists = into.get(target) ?? [];
		lists.push(functions.flatMap((each) => each.ranges));
		into.set(target, lists);
	}
}

/** `./x.js` in imports, and in the URLs of scripts for threads and processes. */
const REFERENCE = /(?:from\s+|import\s*\(?\s*|new URL\(\s*)"(\.{1,2}\/[^"]+\.js)"/g;

/** The test files of the compiled folder that reach one of `targets` by imports or by starting its script. */
export function testsReaching(
	folder: string,
	tests: readonly string[],
	targets: ReadonlySet<string>,
): string[] {
	const references = new Map<string, readonly string[]>();
	const referencesOf = (file: string): readonly string[] => {
		let known = references.get(file);
		if (known === undefined) {
			known = [...textOf(join(folder, file)).matchAll(REFERENCE)].map(([, path]) =>
				join(dirname(file), path),
			);
			references.set(file, known);
		}
		return known;
	};
	return tests.filter((test) => {
		const reached = new Set([test]);
		for (const file of reached) for (const next of referencesOf(file)) reached.add(next);
		return [...targets].some((target) => reached.has(target));
	});
}

function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		// The path of a fixture, or of a file that a test itself writes.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
		throw error;
	}
}
