/**
 * Damaged months: thousands of seeded mutations of every file of a published month. Each is refused
 * with a typed error at open or verification, or makes no difference; and the engine, asked
 * everything of a damaged month that opened, neither crashes the process nor runs forever.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { openMonth } from "../engine/compiled-month.js";
import { monthRows } from "../http/drop-rows.js";
import { publish } from "../http/served.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import type { Line, Outcome } from "./snapshot/fuzz-process.js";
import { askEverything } from "./snapshot/questions.js";

const FUZZ_PROCESS = fileURLToPath(new URL("snapshot/fuzz-process.js", import.meta.url));
const MONTH = "2026-11";
/** Enough rows that frequent values get their bitmaps. */
const COPIES = 8;
/** A mutation that takes longer than this is given up. */
const STALL_MS = 10_000;
/** No question to so small a month takes this long, damaged or not. */
const QUESTION_MS_MAX = 3_000;
interface Casualty {
	readonly number: number;
	readonly what: string;
	readonly problem: string;
}

async function soundMonth(t: TestContext): Promise<string> {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-chaos-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	const rows = monthRows(MONTH);
	await publish(folder, MONTH, Array.from({ length: COPIES }, () => rows).flat());
	return folder;
}

interface Run {
	readonly outcomes: Outcome[];
	readonly casualties: Casualty[];
	readonly stalled: Casualty[];
}

/** Runs numbers from `first` until `end` or a death. Resolves to the number to go on with. */
function fuzzUntilDeath(dataFolder: string, first: number, end: number, run: Run): Promise<number> {
	const args = ["--expose-gc", FUZZ_PROCESS, dataFolder, MONTH, String(SEED), String(first), String(end)];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	let begun: Extract<Line, { kind: "begun" }> | null = null;
	let watch = setTimeout(() => child.kill("SIGKILL"), STALL_MS);
	createInterface({ input: child.stdout }).on("line", (text) => {
		clearTimeout(watch);
		watch = setTimeout(() => child.kill("SIGKILL"), STALL_MS);
		const line = JSON.parse(text) as Line;
		if (line.kind === "begun") {
			begun = line;
			return;
		}
		const problem = problemOf(line.outcome);
		const what = `${begun?.damage} in ${begun?.file}`;
		if (problem !== null) run.casualties.push({ number: line.number, what, problem });
		run.outcomes.push(line.outcome);
		begun = null;
	});
	return new Promise((resolve) => {
		child.on("close", (code, signal) => {
			clearTimeout(watch);
			if (code === 0) return resolve(end);
			const what = `${begun?.damage} in ${begun?.file}`;
			const number = begun?.number ?? first;
			const list = signal === "SIGKILL" ? run.stalled : run.casualties;
			list.push({ number, what, problem: `the process ended with ${signal ?? code}` });
			resolve(number + 1);
		});
	});
}

function problemOf({ seen, sameAnswers, verifyFault, asked }: Outcome): string | null {
	if (asked !== null && asked.slowestMs > QUESTION_MS_MAX) return `a question took ${asked.slowestMs} ms`;
	if (verifyFault !== null) return `verification threw an untyped error: ${verifyFault}`;
	if (!seen && !sameAnswers) return "wrong answers from a month that passes verification";
	return null;
}

test("damage is detected or harmless, and never crashes or hangs a reader", async (t) => {
	const sound = await soundMonth(t);
	const tries = fuzzRuns(180);
	tellSeed(t, tries);
	const run: Run = { outcomes: [], casualties: [], stalled: [] };
	for (let next = 0; next < tries; ) {
		// A process that dies leaves its folder damaged.
		const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-chaos-"));
		cpSync(sound, folder, { recursive: true });
		next = await fuzzUntilDeath(folder, next, tries, run);
		rmSync(folder, { recursive: true, force: true });
	}
	const count = (holds: (outcome: Outcome) => boolean) => run.outcomes.filter(holds).length;
	t.diagnostic(
		`tried ${tries}: ${count((o) => o.refused !== null)} refused at open, ` +
			`${count((o) => o.refused === null && o.seen)} seen by verification, ` +
			`${count((o) => !o.seen && o.sameAnswers)} without effect, ` +
			`${run.stalled.length} stalled a question, lost ${run.casualties.length}`,
	);
	for (const { number, what } of run.stalled) t.diagnostic(`stalled: ${number}, ${what}`);
	t.diagnostic(
		`asked before verification: ${count((o) => (o.asked?.typed ?? 0) > 0)} answered with typed errors, ` +
			`${count((o) => (o.asked?.untyped.length ?? 0) > 0)} with others`,
	);
	assert.deepEqual(run.casualties, []);
	assert.deepEqual(run.stalled, []);
});

test("a sound month answers alike, mapped and in shared memory, however often it is opened", async (t) => {
	const sound = await soundMonth(t);
	const expected = askEverything(openMonth(sound, "mmap"));
	assert.deepEqual([expected.typed, expected.untyped], [0, []]);
	for (let i = 0; i < 20; i++) {
		const { digest } = askEverything(openMonth(sound, "shared-memory"));
		assert.equal(digest, expected.digest);
	}
});
