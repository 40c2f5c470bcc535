/** What a benchmark has started ends with it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { isRunning } from "../running-process.js";

const OWN_CHILDREN = new URL("../../bench/processes/own-children.js", import.meta.url);
/** A benchmark that starts a program, prints its number, and then does `last`. */
const program = (last: string) => `
	import { spawn } from "node:child_process";
	const { endChildrenAtExit, ownChild } = await import(${JSON.stringify(OWN_CHILDREN.href)});
	endChildrenAtExit();
	const child = ownChild(spawn("sleep", ["60"], { stdio: "ignore" }));
	process.stdout.write(String(child.pid));
	${last}`;

for (const [name, last, signal, code] of [
	["a signal", "setInterval(() => undefined, 1_000);", "SIGTERM", 143],
	["Ctrl-C", "setInterval(() => undefined, 1_000);", "SIGINT", 130],
	["an error", "throw new Error('wrong answer');", null, 1],
	["its end", "process.exit(0);", null, 0],
] as const) {
	test(`a program that a benchmark has started ends with it, by ${name}`, async () => {
		const bench = spawn(process.execPath, ["--input-type=module", "-e", program(last)], {
			stdio: ["ignore", "pipe", "ignore"],
		});
		const ended = once(bench, "exit");
		const [said] = await once(bench.stdout, "data");
		const pid = Number(said);
		assert.ok(pid > 0);
		if (signal !== null) bench.kill(signal);
		assert.deepEqual(await ended, [code, null]);
		for (let tries = 0; isRunning(pid) && tries < 100; tries++)
			await new Promise((resolve) => setTimeout(resolve, 20));
		const survived = isRunning(pid);
		if (survived) process.kill(pid, "SIGKILL");
		assert.equal(survived, false);
	});
}
