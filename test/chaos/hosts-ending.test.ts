/** The soak of hosts, stopped by a signal while what it has started takes none: all of it ends. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SWIFT_MISSING } from "../object-store/swift-store.js";
import { REDIS_MISSING } from "../shared-state/redis-server.js";
import { whyNot } from "./proxy/proxy-process.js";

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));
const SIGTERM_CODE = 143;

/** Of running processes, those whose command line names `folder`, and the children of `parent`. */
function processesOf(folder: string, parent: number): number[] {
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return pids.map(Number).filter((pid) => {
		const [commandLine, stat] = ["cmdline", "stat"].map((name) => readProcess(pid, name));
		const [state, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return isRunning(state) && (commandLine.includes(folder) || Number(ppid) === parent);
	});
}

/** An orphan that has ended may be waited for late. */
function isRunning(state: string | undefined): boolean {
	return state !== undefined && !/^[ZX]?$/.test(state);
}

/** Empty where it has ended. */
function readProcess(pid: number, name: string): string {
	try {
		return readFileSync(`/proc/${pid}/${name}`, "utf8");
	} catch (error) {
		assert.match((error as NodeJS.ErrnoException).code ?? "", /^(ESRCH|ENOENT)$/);
		return "";
	}
}

test("a signal ends the soak of hosts with all that it has started, stopped or not, and removes its folder", {
	skip: SWIFT_MISSING || REDIS_MISSING || whyNot("haproxy"),
	timeout: 60_000,
}, async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-ending-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const { NODE_TEST_CONTEXT: _, ...others } = process.env;
	const soak = spawn(process.execPath, [MAIN, "hosts", "--minutes", "2"], {
		env: { ...others, TMPDIR: folder },
		stdio: ["ignore", "ignore", "pipe"],
	});
	t.after(() => soak.kill("SIGKILL"));
	const exited = once(soak, "exit");
	let told = "";
	soak.stderr.setEncoding("utf8").on("data", (text: string) => {
		told += text;
	});
	// Redis and the object store run by then.
	while (!told.includes("building")) {
		assert.equal(soak.exitCode, null, told);
		await delay(20);
	}
	const started = processesOf(folder, soak.pid as number);
	assert.ok(started.length >= 3, `${started.length} processes`);
	for (const pid of started) process.kill(pid, "SIGSTOP");
	soak.kill("SIGTERM");
	assert.deepEqual(await exited, [SIGTERM_CODE, null], told);
	const left = started.filter((pid) => isRunning(/^\d+ \(.*\) (\w)/.exec(readProcess(pid, "stat"))?.[1]));
	assert.deepEqual(left, []);
	assert.deepEqual(processesOf(folder, soak.pid as number), []);
	assert.deepEqual(readdirSync(folder), []);
});
