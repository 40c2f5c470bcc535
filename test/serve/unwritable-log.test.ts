/** A log that cannot be written does not end the service. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));

/** A device that is full, of Linux. */
const FULL = "/dev/full";
const noFull = existsSync(FULL) ? false : `${FULL} is not on this system`;

test("a server whose log is on a full disk starts, answers and stops", { skip: noFull }, async (t) => {
	for (const flags of [
		["--workers", "2"],
		["--no-supervise", "--workers", "1"],
	]) {
		const full = openSync(FULL, "w");
		await answersAndStops(t, full, flags);
		closeSync(full);
	}
});

test("a server goes on when the reader of its log has ended", async (t) => {
	for (const flags of [
		["--workers", "2"],
		["--no-supervise", "--workers", "1"],
	])
		await answersAndStops(t, "pipe", flags, (child) => child.stdout?.destroy());
});

/** Starts a server with `stdout`, has it log answers, and stops it. */
async function answersAndStops(
	t: TestContext,
	stdout: number | "pipe",
	flags: readonly string[],
	then?: (child: ChildProcess) => void,
): Promise<void> {
	const data = mkdtempSync(join(tmpdir(), "rollcall-log-"));
	const port = await freePort();
	const args = [MAIN, "start", "--data", data, "--port", `${port}`, "--access-log-share", "1", ...flags];
	const child = spawn(process.execPath, args, { stdio: ["ignore", stdout, "pipe"] });
	t.after(() => {
		child.kill("SIGKILL");
		rmSync(data, { recursive: true, force: true });
	});
	then?.(child);
	let stderr = "";
	child.stderr?.on("data", (bytes) => {
		stderr += bytes;
	});
	const ended = once(child, "exit");
	const statusOf = () => fetch(`http://127.0.0.1:${port}/openapi.json`).then(({ status }) => status);
	while ((await statusOf().catch(() => null)) === null) {
		assert.equal(child.exitCode, null, stderr);
		await sleep(50);
	}
	for (let i = 0; i < 20; i++) assert.equal(await statusOf(), 200);
	child.kill("SIGTERM");
	assert.deepEqual([(await ended)[0], stderr], [0, ""], flags.join(" "));
}
