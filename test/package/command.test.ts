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

test("what it does not know is refused in one line on stderr, with code 2", () => {
	for (const [message, ...args] of [
		['unknown command "serve"; rollcall --help lists them', "serve"],
		['unknown command "constructor"; rollcall --help lists them', "constructor"],
		['completion is for bash, zsh or fish, not ""', "completion"],
		['completion is for bash, zsh or fish, not "tcsh"', "completion", "tcsh"],
	]) {
		const { status, stdout, stderr } = rollcall(...args);
		assert.deepEqual([status, stdout, stderr], [2, "", `rollcall: ${message}\n`]);
	}
});

test("the version goes to stdout, with code 0", () => {
	for (const asked of ["--version", "-V"]) {
		const { status, stdout, stderr } = rollcall(asked);
		assert.deepEqual([status, stderr], [0, ""], asked);
		assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
	}
});

/** Like `rollcall`, on a Node that says it is `version`. */
function onNode(version: string, ...args: string[]) {
	const code = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
	const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(code)}`, MAIN, ...args];
	return spawnSync(process.execPath, nodeArgs, { encoding: "utf8" });
}

test("a Node that is too old is named, with those that will do", () => {
	for (const old of ["18.20.4", "20.14.0", "21.7.3", "22.1.0"]) {
		const { status, stdout, stderr } = onNode(old, "builder", "--help");
		assert.deepEqual([status, stdout], [1, ""], old);
		assert.equal(stderr, `rollcall: needs Node 20.15, 22.2 or later; this is ${old}\n`);
		assert.equal(onNode(old, "--help").status, 0);
	}
	for (const recent of ["20.15.0", "22.2.0", "30.1.0"])
		assert.equal(onNode(recent, "builder", "--help").status, 0, recent);
});
