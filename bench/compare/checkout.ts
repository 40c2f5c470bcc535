/**
 * Checkouts of commits, each compiled with its own compiler settings and addon. They are kept in the work
 * folder, complete or not at all. Packages are shared with the running checkout where both lock the same.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout that runs. */
export const OWN_CHECKOUT = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "");

export interface Checkout {
	readonly folder: string;
	/** Abbreviated; null for a folder, whose code may change from run to run. */
	readonly commit: string | null;
}

/** Whether `folder` has a compiled engine. */
function isCompiled(folder: string): boolean {
	return existsSync(join(folder, "dist", "engine", "index.js"));
}

/** The compiled checkout that `name` means: a folder, or a commit of the running checkout's repository. */
export function prepareCheckout(name: string, work: string, told: (message: string) => void): Checkout {
	const folder = name === "." ? OWN_CHECKOUT : resolve(name);
	if (isCompiled(folder)) return { folder, commit: null };
	const commit = commitOf(name);
	const checkout = join(work, "checkouts", commit);
	if (!isCompiled(checkout)) {
		told(`compiling ${name} (${commit})`);
		make(commit, checkout);
	}
	return { folder: checkout, commit };
}

function commitOf(name: string): string {
	try {
		const id = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`);
		return id.trim().slice(0, 12);
	} catch {
		throw new Error(`"${name}" is neither a compiled checkout nor a commit of ${OWN_CHECKOUT}`);
	}
}

function git(...args: string[]): string {
	return execFileSync("git", args, {
		cwd: OWN_CHECKOUT,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "pipe"],
	});
}

function make(commit: string, checkout: string): void {
	const unfinished = `${checkout}.making`;
	rmSync(unfinished, { recursive: true, force: true });
	mkdirSync(unfinished, { recursive: true });
	const archive = join(unfinished, "sources.tar");
	git("archive", "--format=tar", `--output=${archive}`, commit);
	run("tar", ["-xf", archive], unfinished);
	rmSync(archive);
	const lock = (folder: string) => readFileSync(join(folder, "package-lock.json"), "utf8");
	if (lock(unfinished) === lock(OWN_CHECKOUT)) {
		symlinkSync(join(OWN_CHECKOUT, "node_modules"), join(unfinished, "node_modules"));
		run("npm", ["run", "--silent", "--if-present", "install"], unfinished);
		run("npm", ["run", "--silent", "prepare"], unfinished);
	} else run("npm", ["ci", "--no-audit", "--no-fund"], unfinished);
	if (!isCompiled(unfinished)) throw new Error(`${commit} has no engine in dist/ after it was compiled`);
	renameSync(unfinished, checkout);
}

function run(command: string, args: readonly string[], cwd: string): void {
	// What it prints is in the message of what is thrown where it fails.
	execFileSync(command, args, { cwd, stdio: "pipe" });
}
