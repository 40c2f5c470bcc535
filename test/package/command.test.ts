/** The command `rollcall` itself: what it answers before it knows a subcommand. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

function rollcall(...args: string[]) {
	return spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
}

test("without a command it is wrong usage, as the programs are: code 2, the usage on stderr", () => {
	for (const args of [[], ["builder"], ["server"]]) {
		const { status, stdout, stderr } = rollcall(...args);
		assert.equal(status, 2, args.join(" "));
		assert.equal(stdout, "");
		assert.match(stderr, /^Usage: /);
	}
});

test("the usage that is asked for goes to stdout, with code 0", () => {
	for (const asked of ["--help", "-h", "help"]) {
		const { status, stdout, stderr } = rollcall(asked);
		assert.deepEqual([status, stderr], [0, ""], asked);
		assert.match(stdout, /^Usage: rollcall <command>/);
	}
});
