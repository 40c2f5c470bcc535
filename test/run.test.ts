/** The test runner reports success only where something ran and nothing failed. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MEMORY_VARIABLE } from "./memory-folder.js";
import { withSourceLines } from "./reporting/source-lines.js";
import { RUN_SEED_VARIABLE } from "./run-seed.js";
import { isRunning } from "./running-process.js";

const RUNNER = fileURLToPath(new URL("run.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
after(() => rmSync(folder, { recursive: true }));

const SOURCES: Readonly<Record<string, string>> = {
	passing:
		'const { test } = require("node:test"); test("sound", () => {}); test("left out", { skip: "no moon" }, () => {});',
	unreasoned: 'const { test } = require("node:test"); test("sound", () => {}); test.skip("left out");',
	suite:
		'const { test, describe } = require("node:test"); test("sound", () => {}); describe("left out", { skip: "no moon" }, () => { test("within", () => {}); });',
	known:
		'const { test } = require("node:test"); test("sound", (t) => {}); test("left out", (t) => t.skip("no peer is installed: x"));',
	failing: 'const { test } = require("node:test"); test("broken", () => { throw new Error("no"); });',
	dying: "process.exit(3);",
	starved:
		'const { test } = require("node:test"); const { existsSync, writeFileSync } = require("node:fs"); const seen = __filename + ".seen"; test("waits", () => { if (existsSync(seen)) return; writeFileSync(seen, ""); throw new Error("late"); });',
	rare: 'const { test } = require("node:test"); const { existsSync, readFileSync, writeFileSync } = require("node:fs"); const seen = __filename + ".seen"; const seed = process.env.SEED_FOR_ROLLCALL_TESTS ?? String(Math.random()); test("fails with its first seed", () => { if (!existsSync(seen)) writeFileSync(seen, seed); if (readFileSync(seen, "utf8") === seed) throw new Error("rare"); });',
	empty: "",
	seeded:
		'const { test } = require("node:test"); test("told", () => console.log(process.env.ROLLCALL_FUZZ_RUNS, process.env.ROLLCALL_SEED));',
};
for (const [name, source] of Object.entries(SOURCES)) writeFileSync(join(folder, `${name}.test.js`), source);

/** Of a folder whose files share a process. Each logs the process that runs it. */
const SHARING: Readonly<Record<string, string>> = {
	first: 'after(() => console.log("cleared")); test("sound", (t) => t.diagnostic("heard"));',
	second: 'test("sound", () => {}); test("left out", (t) => t.skip("no moon"));',
	broken: 'test("sound", () => {}); test("broken", () => { throw new Error("no"); });',
	unreadable: 'throw new Error("no");',
	changing: 'const of = "env"; test("sound", () => { process[of].LEFT = "1"; });',
	clocked: 'test("sound", () => { Date.now = () => 0; });',
	measuring: 'test("sound", () => { process.memoryUsage(); });',
	dying: 'const by = "exit"; test("sound", () => {}); test("dying", () => process[by](3));',
	late: 'test("sound", () => { setTimeout(() => { throw new Error("late"); }, 20); }); test("next", () => new Promise((resolve) => setTimeout(resolve, 60)));',
};
mkdirSync(join(folder, "formats"));
for (const [name, source] of Object.entries(SHARING))
	writeFileSync(
		join(folder, "formats", `${name}.test.js`),
		`const { after, test } = require("node:test"); console.log("${name} in", process.pid); ${source}`,
	);

/**
 * Of tests that are ended in the middle: a child, one in a session of its own, and one of such a session whose parents
 * have ended; and a disk, where one may be mounted. Told to the file that LEAVES names.
 */
const LEAVING = `const { test } = require("node:test");
const { spawn, spawnSync } = require("node:child_process");
const { mkdtempSync, renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
test("does not end", () => {
	const idle = [process.execPath, ["-e", "setInterval(() => {}, 1000)"]];
	const child = spawn(...idle, { stdio: "ignore" });
	const apart = spawn(...idle, { stdio: "ignore", detached: true });
	const starting = 'const { pid } = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" }); console.log(pid); process.exit()';
	const orphan = spawnSync(process.execPath, ["-e", starting], { encoding: "utf8", detached: true }).stdout;
	const disk = mkdtempSync(join(process.env.TMPDIR, "disk-"));
	const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", disk]).status === 0;
	writeFileSync(join(disk, "file"), "");
	writeFileSync(process.env.LEAVES + ".part", JSON.stringify({ pids: [child.pid, apart.pid, Number(orphan)], disk, mounted, memory: process.env.${MEMORY_VARIABLE} }));
	renameSync(process.env.LEAVES + ".part", process.env.LEAVES);
	return new Promise((resolve) => setTimeout(resolve, 100_000));
});`;
mkdirSync(join(folder, "leaving"));
writeFileSync(join(folder, "leaving", "leaving.test.js"), LEAVING);

function runner(...args: string[]) {
	return runnerIn({}, ...args);
}

function runnerIn(environment: Record<string, string>, ...args: string[]) {
	const { NODE_TEST_CONTEXT: _, CI: __, [RUN_SEED_VARIABLE]: ___, ...others } = process.env;
	const env = { ...others, ...environment };
	const options = { encoding: "utf8", env } as const;
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		[RUNNER, "--folder", folder, ...args],
		options,
	);
	return { status, stdout, stderr };
}

test("passing tests pass, and the summary counts them", () => {
	const { status, stdout } = runner("passing");
	assert.equal(status, 0);
	assert.match(stdout, /^1 passed, 0 failed, 1 skipped in 1 files, /m);
});

test("skips are listed by reason, and one without a reason fails the run", () => {
	const { status, stdout } = runner("passing", "suite", "known");
	assert.equal(status, 0);
	assert.match(stdout, /^2 skipped: no moon\n {4}\S*passing\.test\.js\n {4}\S*suite\.test\.js\n/m);
	assert.match(stdout, /^1 skipped: no peer is installed: x\n {4}\S*known\.test\.js\n/m);
	assert.match(stdout, /^3 passed, 0 failed, 3 skipped in 3 files, /m);
	const unreasoned = runner("unreasoned");
	assert.equal(unreasoned.status, 1);
	assert.match(unreasoned.stderr, /unreasoned\.test\.js: "left out" is skipped without a reason/);
});

test("in CI a skip for a reason that is not on the list fails the run", () => {
	assert.equal(runnerIn({ CI: "true" }, "known").status, 0);
	for (const name of ["passing", "suite"]) {
		const { status, stderr } = runnerIn({ CI: "true" }, name);
		assert.equal(status, 1);
		assert.match(stderr, /"left out" is skipped in CI: no moon/);
	}
});

test("one failing test among passing ones fails the run", () => {
	const { status, stdout, stderr } = runner("passing", "failing");
	assert.equal(status, 1);
	assert.match(stdout, /^1 passed, 1 failed/m);
	assert.match(stderr, /not passed: \S*failing\.test\.js: "broken"/);
});

test("a file that fails beside others and passes alone is listed as flaky", () => {
	const { status, stdout } = runner("passing", "starved");
	assert.equal(status, 0, stdout);
	assert.match(stdout, /^retried alone: \S*starved\.test\.js$/m);
	assert.match(stdout, /^flaky: \S*starved\.test\.js failed beside others, passed alone$/m);
	assert.match(stdout, /^2 passed, 0 failed, /m);
});

test("a file that dies, a file without tests and a filter without matches fail the run", () => {
	assert.equal(runner("dying").status, 1);
	const empty = runner("passing", "empty");
	assert.equal(empty.status, 1);
	assert.match(empty.stderr, /empty\.test\.js holds no test/);
	const nothing = runner("elsewhere");
	assert.equal(nothing.status, 1);
	assert.match(nothing.stderr, /no test file elsewhere/);
	const misspelled = runner("passing", "pasing");
	assert.equal(misspelled.status, 1);
	assert.match(misspelled.stderr, /no test file pasing under/);
});

test("a filter may be a path from the root of the repository", () => {
	assert.match(runner("test/formats/first").stdout, /1 passed, 0 failed in 1 files/);
});

test("tests are selected by name, and an empty selection fails", () => {
	assert.equal(runner("passing", "failing", "--name", "sound").status, 0);
	const none = runner("passing", "--name", "unheard of");
	assert.equal(none.status, 1);
	assert.match(none.stderr, /no test ran/);
});

test("a retry has the seed of the first try, so that a rare case fails both times", () => {
	const { status, stdout } = runner("rare");
	assert.equal(status, 1, stdout);
	assert.match(stdout, /retried alone/);
});

test("runs and seed reach the tests; a non-number is a usage error", () => {
	const { status, stdout } = runner("seeded", "--runs", "7", "--seed", "12");
	assert.equal(status, 0);
	assert.match(stdout, /7 12/);
	for (const wrong of [["--runs", "many"], ["--seed", "-1"], ["--unknown"]]) {
		assert.equal(runner("passing", ...wrong).status, 2, wrong.join(" "));
	}
});

/** The process that ran the file by `name` first. */
function processOf(stdout: string, name: string): string {
	return (
		new RegExp(`^${name} in (\\d+)$`, "m").exec(stdout)?.[1] ?? assert.fail(`${name} did not run: ${stdout}`)
	);
}

test("files that share a process have their own results and output, and one that measures it has its own", () => {
	const names = ["formats/first", "formats/second", "formats/measuring"];
	const { status, stdout } = runner(...names);
	assert.equal(status, 0, stdout);
	assert.match(stdout, /first\.test\.js, .*\nfirst in \d+\ncleared\n✔ sound .*\nℹ heard\n\n/);
	assert.match(stdout, /second\.test\.js, .*\nsecond in \d+\n✔ sound .*\n﹣ left out .*\n/);
	assert.match(stdout, /^1 skipped: no moon\n {4}\S*second\.test\.js\n/m);
	assert.match(stdout, /^3 passed, 0 failed, 1 skipped in 3 files, /m);
	assert.equal(processOf(stdout, "first"), processOf(stdout, "second"));
	assert.notEqual(processOf(stdout, "first"), processOf(stdout, "measuring"));
	const alone = runner(...names, "--alone");
	assert.equal(alone.status, 0, alone.stdout);
	assert.notEqual(processOf(alone.stdout, "first"), processOf(alone.stdout, "second"));
});

test("a file that fails in a shared process hides no other's results", () => {
	const { status, stdout, stderr } = runner("formats/first", "formats/broken", "formats/unreadable");
	assert.equal(status, 1);
	assert.match(stderr, /^not passed: \S*broken\.test\.js: "broken"$/m);
	assert.match(stderr, /^not passed: \S*unreadable\.test\.js: /m);
	assert.equal(stderr.match(/^not passed/gm)?.length, 2);
	assert.match(stdout, /^2 passed, 1 failed in 3 files, /m);
});

test("files behind one that ends their process are run alone", () => {
	const { status, stdout, stderr } = runner(
		"formats/broken",
		"formats/dying",
		"formats/first",
		"formats/second",
	);
	assert.equal(status, 1);
	assert.match(stderr, /^not passed: \S*dying\.test\.js: ended with 3$/m);
	assert.notEqual(processOf(stdout, "first"), processOf(stdout, "second"));
	assert.match(stdout, /^3 passed, 1 failed, 1 skipped in 4 files, /m);
});

test("a shared process that fails though its tests pass has all its files run alone", () => {
	const { status, stdout, stderr } = runner("formats/first", "formats/late");
	assert.equal(status, 1, stdout);
	assert.match(stderr, /^not passed: \S*late\.test\.js: ended with 1$/m);
	assert.equal(stderr.match(/^not passed/gm)?.length, 1);
});

test("a file that leaves its process changed fails, whatever its tests say", () => {
	const { status, stderr } = runner("formats/changing", "formats/clocked", "formats/first");
	assert.equal(status, 1);
	assert.match(stderr, /^not passed: \S*changing\.test\.js: changed process\.env\.LEFT and left it so$/m);
	assert.match(stderr, /^not passed: \S*clocked\.test\.js: changed Date\.now and left it so$/m);
	assert.equal(stderr.match(/^not passed/gm)?.length, 2);
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
	test(`${signal} ends all that tests have started, and removes what they mounted and wrote`, {
		skip: !existsSync("/proc/self/environ") && "processes are listed by Linux alone",
	}, async () => {
		const own = join(folder, signal);
		mkdirSync(own);
		const leaves = join(folder, `${signal}.json`);
		const { NODE_TEST_CONTEXT: _, ...others } = process.env;
		const env = { ...others, TMPDIR: own, LEAVES: leaves };
		const args = [RUNNER, "--folder", folder, "leaving/"];
		const run = spawn(process.execPath, args, { env, stdio: "ignore" });
		const exited = once(run, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
		while (!existsSync(leaves)) {
			assert.equal(run.exitCode, null);
			await delay(20);
		}
		const { pids, disk, mounted, memory } = JSON.parse(readFileSync(leaves, "utf8"));
		assert.deepEqual(pids.map(isRunning), [true, true, true]);
		assert.equal(readFileSync("/proc/self/mountinfo", "utf8").includes(disk), mounted);
		assert.ok(existsSync(memory));
		run.kill(signal);
		assert.deepEqual(await exited, [1, null]);
		assert.deepEqual(pids.map(isRunning), [false, false, false]);
		assert.ok(!readFileSync("/proc/self/mountinfo", "utf8").includes(disk));
		assert.deepEqual(readdirSync(own), []);
		assert.ok(!existsSync(memory));
	});

test("the output of a failed file names the lines of the sources", () => {
	const { stack } = new Error("here");
	const [, source, line] = /at .*?(\S*run\.test\.ts):(\d+):\d+/.exec(withSourceLines(stack ?? "")) ?? [];
	assert.ok(source !== undefined, withSourceLines(stack ?? ""));
	const text = readFileSync(source.replace(/^\(/, ""), "utf8").split("\n")[Number(line) - 1];
	assert.match(text, /new Error\("here"\)/);
	assert.equal(withSourceLines("at /none/dist/none.js:3:4"), "at /none/dist/none.js:3:4");
});
