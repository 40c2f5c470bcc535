/** A server started by `npm run` ends with npm, however npm ends, and gives its port back. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isRunning } from "../running-process.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const GONE_MS_MAX = 10_000;

interface Started {
	readonly npm: ChildProcess;
	readonly port: number;
	/** The process that signals go to, and the one that serves. */
	readonly pids: readonly number[];
}

async function startByNpm(t: TestContext): Promise<Started> {
	const data = mkdtempSync(join(tmpdir(), "rollcall-npm-"));
	const args = ["run", "-s", "server", "--", "start", "--data", data, "--port", "0", "--log-level", "error"];
	const npm = spawn("npm", args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
	const [line] = (await once(createInterface({ input: npm.stdout }), "line")) as [string];
	const { port, pid, serving_pid } = JSON.parse(line) as { port: number; pid: number; serving_pid: number };
	const pids = [pid, serving_pid];
	t.after(() => {
		for (const left of pids) if (isRunning(left)) process.kill(left, "SIGKILL");
		rmSync(data, { recursive: true, force: true });
	});
	return { npm, port, pids };
}

async function isOpen(port: number): Promise<boolean> {
	const socket = connect(port, "127.0.0.1");
	const opened = await Promise.race([
		once(socket, "connect").then(() => true),
		once(socket, "error").then(() => false),
	]).catch(() => false);
	socket.destroy();
	return opened;
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) {
	test(`a server started by npm ends when npm gets ${signal}`, async (t) => {
		const { npm, port, pids } = await startByNpm(t);
		assert.ok(await isOpen(port));
		npm.kill(signal);
		const end = performance.now() + GONE_MS_MAX;
		while (pids.some(isRunning)) {
			assert.ok(performance.now() < end, `${pids.filter(isRunning)} still run`);
			await delay(50);
		}
		assert.equal(await isOpen(port), false);
	});
}
