/**
 * `npm i -g` of the file that `npm pack` makes, by npm itself, from a registry on the loopback. It unpacks a hundred
 * packages; `npm run test:install` does it, and scripts/runtimes.js with each Node's npm.
 */

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { mappingMode } from "../../formats/files/mmap.js";
import { ROOT } from "../docs/runnable-blocks.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { LockRegistry } from "./lock-registry.js";

const INSTALL_MS_MAX = 120_000;
const ADDON = `native/addon-${process.platform}-${process.arch}.node`;

const scratch = mkdtempSync(join(tmpdir(), "rollcall-global-"));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

const run = promisify(execFile);
/** Of npm: nothing of the user's settings, cache, or an npm that runs this. */
const env = Object.fromEntries(
	Object.entries({ ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }).filter(
		([name]) => !/^npm_|^NODE_(OPTIONS|TEST_CONTEXT)$/i.test(name),
	),
);

function npm(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
	const own = [
		"--cache",
		join(scratch, "cache"),
		"--userconfig",
		join(scratch, "npmrc"),
		"--no-update-notifier",
	];
	return run("npm", [...args, ...own], { cwd: ROOT, env, timeout: INSTALL_MS_MAX, maxBuffer: 1 << 24 });
}

const skip = fuzzRuns(0) === 0 && "half a minute of npm i -g; `npm run test:install` runs it";

test("npm i -g of the packed file runs its install script, and leaves the command and the addon", {
	skip,
}, async () => {
	const registry = await LockRegistry.start();
	after(() => registry.close());
	await npm("pack", "--ignore-scripts", "--pack-destination", scratch);
	const prefix = join(scratch, "prefix");
	const { stdout, stderr } = await npm(
		...["install", "--global", "--prefix", prefix, "--registry", registry.url, "--no-audit", "--no-fund"],
		...["--foreground-scripts", "--allow-scripts=lmdb,rollcall", join(scratch, "rollcall-1.0.0.tgz")],
	);
	assert.match(stdout + stderr, /> rollcall@1\.0\.0 install\n> node scripts\/build-addon\.js/);
	const command = join(prefix, "bin/rollcall");
	const help = spawnSync(command, ["--help"], { cwd: scratch, env, encoding: "utf8" });
	assert.match(help.stdout, /^Usage: rollcall <command>/);
	assert.equal(help.status, 0);
	const home = join(prefix, "lib/node_modules/rollcall");
	assert.ok(!existsSync(join(home, "node_modules/@scarf")), "nothing that reports installations");
	if (mappingMode() === "mmap") assert.ok(existsSync(join(home, ADDON)));
	// The database's binary and the validators are there.
	const key = ["server", "keys", "create", "--data", join(scratch, "data"), "--tier", "demo", "--json"];
	const made = spawnSync(command, key, { cwd: scratch, env, encoding: "utf8" });
	assert.equal(made.status, 0, made.stderr);
	assert.match((JSON.parse(made.stdout) as { key: string }).key, /^\w+$/);
});
