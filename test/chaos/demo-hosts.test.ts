/**
 * The demo of several hosts: what it refuses, and, by `npm run chaos -- demo-hosts`, a whole one, of which a host is
 * killed: no request through HAProxy fails, the host comes back, and nothing is left at the end.
 */

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findPrograms } from "../../server/demo-hosts/programs.js";
import { freePort } from "../free-port.js";
import { SWIFT_MISSING } from "../object-store/swift-store.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { get, until } from "../shared-state/host-process.js";
import { REDIS_MISSING } from "../shared-state/redis-server.js";
import { whyNot } from "./proxy/proxy-process.js";

const DEMO = fileURLToPath(new URL("../../server/demo.js", import.meta.url));
const SECONDS = fuzzRuns(0);

function scratchFolder(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-demo-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

test("more hosts than there are ports for are refused, and a port without room above it", async (t) => {
	const cwd = scratchFolder(t);
	const run = (hosts: string, PORT: string) =>
		promisify(execFile)(process.execPath, [DEMO, "--hosts", hosts], { cwd, env: { ...process.env, PORT } });
	await Promise.all([
		assert.rejects(run("100", "8080"), { code: 2, stderr: /--hosts.*expected a number from 1 to 99/ }),
		assert.rejects(run("3", "65400"), { code: 1, stderr: /PORT must be a number from 1 to 65,315/ }),
	]);
});

test("the packages that are missing are named", (t) => {
	const folder = scratchFolder(t);
	const missing = (...present: string[]) => {
		for (const name of present) writeFileSync(join(folder, name), "");
		const found = findPrograms([folder], join(folder, "python3"));
		return "missing" in found ? found.missing : found;
	};
	assert.deepEqual(missing(), ["redis-server", "haproxy", "python3-swift"]);
	assert.deepEqual(missing("haproxy"), ["redis-server", "python3-swift"]);
	assert.deepEqual(missing("valkey-server"), ["python3-swift"]);
	writeFileSync(join(folder, "python3"), "#!/bin/sh\n");
	chmodSync(join(folder, "python3"), 0o700);
	assert.deepEqual(missing(), { redis: join(folder, "valkey-server"), haproxy: join(folder, "haproxy") });
});

/** Starts the demo of two hosts. Gives its output. */
async function startDemo(
	t: TestContext,
	port: number,
): Promise<{ child: ChildProcess; text: () => string; ended: Promise<unknown[]> }> {
	const child = spawn(process.execPath, [DEMO, "--hosts", "2", "--rows", "200"], {
		cwd: scratchFolder(t),
		env: { ...process.env, PORT: String(port) },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const ended = once(child, "exit");
	t.after(() => child.kill("SIGTERM") && ended);
	let output = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output += text;
	});
	await until(() => output.includes("Ctrl-C ends it"), 120_000, "the demo");
	return { child, text: () => output, ended };
}

const skip =
	SECONDS === 0
		? "half a minute of the demo of several hosts; `npm run chaos -- demo-hosts` runs it"
		: SWIFT_MISSING || REDIS_MISSING || whyNot("haproxy");

test("a host of the demo is killed, no request fails, and it comes back", { skip }, async (t) => {
	const port = await freePort(220);
	const { child, text, ended } = await startDemo(t, port);
	const key = /enterprise\s+(rollcall_\w+)/.exec(text())?.[1] as string;
	const killed = Number(/host2 serves at .*, process (\d+)/.exec(text())?.[1]);
	// HAProxy gives a host that comes back its share step by step.
	await delay(2_000);
	const agent = new Agent({ keepAlive: true });
	t.after(() => agent.destroy());
	const endMs = performance.now() + SECONDS * 1_000;
	let answered = 0;
	for (; performance.now() < endMs; answered++) {
		if (answered === 50) process.kill(killed, "SIGKILL");
		const { status, body } = await get(port, "/v1/licenses?limit=5", key, agent);
		assert.equal(status, 200, `request ${answered}: ${body}`);
		await delay(20);
	}
	assert.ok(answered > 100, `${answered} requests`);
	assert.match(text(), /host2 ended \(SIGKILL\); it starts again/);
	await until(() => text().split("host2 serves at").length === 3, 60_000, "the host again");
	child.kill("SIGTERM");
	assert.deepEqual(await ended, [0, null]);
	for (const pid of text().matchAll(/process (\d+)/g))
		assert.throws(() => process.kill(Number(pid[1]), 0), { code: "ESRCH" });
	await assert.rejects(get(port, "/v1/health", ""), { code: "ECONNREFUSED" });
});
