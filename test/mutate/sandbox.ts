/**
 * A copy of the checkout whose compiled files may be changed: everything but them is a link to the checkout, so
 * tests find the fixtures where they expect them.
 */

import { type ChildProcess, spawn } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { millisecondsOfChildren } from "../reporting/processor-time.js";
import { apply, type Mutant } from "./mutants.js";

const COMPILED = "dist";
const LEFT_OUT = new Set([COMPILED, ".git"]);

/** How a test file ended: without a failure, with one (a crash included), or not in time. */
export type Verdict = "passed" | "failed" | "timeout";

export interface Ended {
	readonly verdict: Verdict;
	/** Processor time of the test and the processes it waited for; where the system does not tell, the time it took. */
	readonly ms: number;
}

/** How long a test may take. A loop without an end is found by its processor time, whatever else the machine does. */
export interface TestLimits {
	readonly wallMs: number;
	/** Per process; default: none. */
	readonly cpuMs?: number;
}

export class Sandbox {
	private constructor(
		readonly folder: string,
		private readonly temporary: string,
	) {}

	/** Makes a copy of the checkout `root` below `parent`. */
	static make(root: string, parent: string): Sandbox {
		const folder = mkdtempSync(join(parent, "checkout-"));
		for (const name of readdirSync(root))
			if (!LEFT_OUT.has(name)) symlinkSync(join(root, name), join(folder, name));
		// Without the bundles, which no mutant is in.
		const filter = (path: string) => path !== join(root, COMPILED, "server/bundle");
		cpSync(join(root, COMPILED), join(folder, COMPILED), { recursive: true, filter });
		const temporary = join(folder, "temporary");
		mkdirSync(temporary);
		return new Sandbox(folder, temporary);
	}

	/** The folder of compiled files. */
	get compiled(): string {
		return join(this.folder, COMPILED);
	}

	/** Does `work` with the mutant in place. */
	async withMutant<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
		const path = join(this.compiled, mutant.compiled);
		const text = readFileSync(path, "utf8");
		writeFileSync(path, apply(mutant, text));
		try {
			return await work();
		} finally {
			writeFileSync(path, text);
		}
	}

	/** Runs a compiled test file up to its first failure, and ends its child processes with it. */
	async runTest(
		file: string,
		{ wallMs, cpuMs = 3_600_000 }: TestLimits,
		environment: Readonly<Record<string, string>> = {},
	): Promise<Ended> {
		const begun = spentMs();
		const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
		const limited = `ulimit -t ${Math.ceil(cpuMs / 1_000)}; exec "$0" "$@"`;
		const test = [process.execPath, "--test-reporter=tap", join(this.compiled, file)];
		const child = spawn("/bin/sh", ["-c", limited, ...test], {
			cwd: this.folder,
			// A group of its own: what the test started ends with it.
			detached: true,
			stdio: ["ignore", "pipe", "ignore"],
			env: { ...inherited, TMPDIR: this.temporary, ...environment },
		});
		const verdict = await verdictOf(child, wallMs);
		rmSync(this.temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
		mkdirSync(this.temporary);
		return { verdict, ms: spentMs() - begun };
	}

	remove(): void {
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	}
}

/** Tests that run: they end with this process, also where a signal ends it. */
const running = new Set<ChildProcess>();

for (const [signal, code] of [
	["SIGINT", 130],
	["SIGTERM", 143],
] as const)
	process.once(signal, () => {
		for (const child of running) endGroup(child);
		process.exit(code);
	});

/** Processor time of the processes that this one has waited for; elsewhere than on Linux, the time. */
function spentMs(): number {
	return millisecondsOfChildren() ?? performance.now();
}

/** A failed test or subtest in the output of the reporter. */
const FAILURE = /^ *not ok /m;

function verdictOf(child: ChildProcess, wallMs: number): Promise<Verdict> {
	running.add(child);
	return new Promise((resolve) => {
		let ended: Verdict | null = null;
		let line = "";
		const end = (verdict: Verdict) => {
			ended ??= verdict;
			endGroup(child);
		};
		const timer = setTimeout(end, wallMs, "timeout");
		child.stdout?.setEncoding("utf8").on("data", (text: string) => {
			line += text;
			if (FAILURE.test(line)) end("failed");
			line = line.slice(line.lastIndexOf("\n") + 1);
		});
		child.once("exit", (code, signal) => {
			clearTimeout(timer);
			running.delete(child);
			endGroup(child);
			resolve(ended ?? (signal === "SIGXCPU" ? "timeout" : code === 0 ? "passed" : "failed"));
		});
	});
}

function endGroup({ pid }: ChildProcess): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch (error) {
		// Nothing of the group is left.
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}
