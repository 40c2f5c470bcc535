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
import { apply, type Mutant } from "./mutants.js";

const COMPILED = "dist";
const LEFT_OUT = new Set([COMPILED, ".git"]);

/** How a test file ended: without a failure, with one (a crash included), or not in time. */
export type Verdict = "passed" | "failed" | "timeout";

export interface Ended {
	readonly verdict: Verdict;
	readonly ms: number;
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
		cpSync(join(root, COMPILED), join(folder, COMPILED), { recursive: true });
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

	/** Runs a compiled test file, with its child processes ended at `timeoutMs`. */
	async runTest(
		file: string,
		timeoutMs: number,
		environment: Readonly<Record<string, string>> = {},
	): Promise<Ended> {
		const begun = performance.now();
		const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
		const child = spawn(process.execPath, [join(this.compiled, file)], {
			cwd: this.folder,
			// A group of its own: what the test started ends with it.
			detached: true,
			stdio: "ignore",
			env: { ...inherited, TMPDIR: this.temporary, ...environment },
		});
		const verdict = await verdictOf(child, timeoutMs);
		rmSync(this.temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
		mkdirSync(this.temporary);
		return { verdict, ms: performance.now() - begun };
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

function verdictOf(child: ChildProcess, timeoutMs: number): Promise<Verdict> {
	running.add(child);
	return new Promise((resolve) => {
		let isLate = false;
		const timer = setTimeout(() => {
			isLate = true;
			endGroup(child);
		}, timeoutMs);
		child.once("exit", (code) => {
			clearTimeout(timer);
			running.delete(child);
			endGroup(child);
			resolve(isLate ? "timeout" : code === 0 ? "passed" : "failed");
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
