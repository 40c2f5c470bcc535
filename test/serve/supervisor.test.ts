/**
 * The supervisor: a service whose process dies is back in a moment, on its port and without the month
 * that ended it; one that refuses to start is not started again; and nothing outlives the supervisor.
 */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	copyFileSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { snapshotFolder } from "../../formats/index.js";
import { claimPort } from "../../server/http/claim-port.js";
import { fixtureFolder } from "../http/served.js";
import { Client, limitlessKey, type Reply, ServerProcess } from "./server-process.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));
const SUPERVISE = new URL("../../server/supervisor/supervise.js", import.meta.url).href;
const FOLLOWED = new URL("../../server/supervisor/followed.js", import.meta.url).href;
/** The port is free this soon after the supervisor was killed. */
const FREED_WITHIN_MS = 500;
/** A restart, on a machine that has other things to do. Alone it takes some 600 ms. */
const BACK_WITHIN_MS = 10_000;

async function dataFolder(t: TestContext): Promise<string> {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Sends requests over new connections until the answer is `wanted`. Resolves to the milliseconds it took. */
async function until(
	server: { readonly port: number; readonly lines: readonly object[] },
	key: string,
	path: string,
	wanted: (reply: Reply) => boolean,
): Promise<number> {
	const begunMs = performance.now();
	let last: unknown;
	while (performance.now() - begunMs < BACK_WITHIN_MS) {
		const client = new Client(server.port, key);
		try {
			const reply = await client.get(path);
			if (wanted(reply)) return performance.now() - begunMs;
			last = reply.body;
		} catch (error) {
			last = error;
		} finally {
			client.close();
		}
		await delay(10);
	}
	const told = JSON.stringify(server.lines);
	throw new assert.AssertionError({
		message: `not within ${BACK_WITHIN_MS} ms; the last was ${last}; the server told ${told}`,
	});
}

function monthsOf(reply: Reply): string[] {
	if (reply.status !== 200) return [];
	return (JSON.parse(reply.body) as { data: { snapshot: string }[] }).data.map((month) => month.snapshot);
}

test("a month truncated under the server is quarantined with a moment of interruption for other months, and served again once repaired", async (t) => {
	const folder = await dataFolder(t);
	const key = await limitlessKey(folder);
	const server = await ServerProcess.start(t, folder, "--workers", "1");
	const latest = snapshotFolder(folder, "2026-11");
	const kept = mkdtempSync(join(tmpdir(), "rollcall-kept-"));
	t.after(() => rmSync(kept, { recursive: true, force: true }));
	const columns = readdirSync(latest).filter((name) => statSync(join(latest, name)).isFile());
	for (const name of columns) copyFileSync(join(latest, name), join(kept, name));
	for (const name of columns) truncateSync(join(latest, name), 0);
	const others = (reply: Reply) => monthsOf(reply).join() === "2026-10,2026-09";
	const client = new Client(server.port, key.text);
	const asked = client.get("/v1/licenses?sort=office_name&city=Austin&fields=office_name,member_address");
	const outcome = await asked.catch(() => null);
	client.close();
	const awayMs = await until(server, key.text, "/v1/snapshots", others);
	t.diagnostic(
		`answered again after ${Math.round(awayMs)} ms (${outcome === null ? "died" : outcome.status})`,
	);
	const isLatest = ({ body }: Reply) => body.includes('"snapshot":"2026-10","snapshots":2');
	await until(server, key.text, "/v1/health", isLatest);
	const quarantined = server.lines.find((line) => line.msg === "snapshot does not open");
	assert.equal(quarantined?.month, "2026-11");
	for (const name of columns) copyFileSync(join(kept, name), join(latest, name));
	await until(server, key.text, "/v1/snapshots", (reply) => monthsOf(reply)[0] === "2026-11");
	assert.equal(await server.end("SIGTERM"), 0);
});

test("a killed serving process is restarted on the same port, and the log line names the signal", async (t) => {
	const folder = await dataFolder(t);
	const key = await limitlessKey(folder);
	const server = await ServerProcess.start(t, folder, "--workers", "2");
	process.kill(server.servingPid, "SIGBUS");
	// Threads of a process that is about to die may answer until it does.
	const diedLine = () => server.lines.find((line) => line.msg.includes("died"));
	const isBack = (reply: Reply) => reply.status === 200 && diedLine() !== undefined;
	const awayMs = await until(server, key.text, "/v1/me", isBack);
	t.diagnostic(`answered again after ${Math.round(awayMs)} ms`);
	const told = diedLine();
	assert.equal(told?.signal, "SIGBUS");
	assert.equal(await server.end("SIGTERM"), 0);
});

test("nothing is left on the port when the supervisor is killed", async (t) => {
	const folder = await dataFolder(t);
	const server = await ServerProcess.start(t, folder, "--workers", "2");
	const begunMs = performance.now();
	await server.end("SIGKILL");
	while (!(await isFree(server.port))) assert.ok(performance.now() - begunMs < FREED_WITHIN_MS);
	t.diagnostic(`free after ${Math.round(performance.now() - begunMs)} ms`);
});

async function isFree(port: number): Promise<boolean> {
	try {
		await claimPort("127.0.0.1", port);
		return true;
	} catch {
		// Taken: what the caller waits for has not happened yet.
		return false;
	}
}

test("a signal to the whole group, or repeated at once, counts as one request to stop", async (t) => {
	const folder = await dataFolder(t);
	for (const stutter of [false, true]) {
		const server = await ServerProcess.start(t, folder, "--workers", "1");
		process.kill(server.servingPid, "SIGTERM");
		if (stutter) server.child.kill("SIGTERM");
		assert.equal(await server.end("SIGTERM"), 0);
		assert.ok(server.lines.some((line) => line.msg === "stopped"));
	}
});

interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
	readonly seconds: number;
}

async function ended(child: ChildProcess): Promise<Ended> {
	const begunMs = performance.now();
	const texts = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name]?.setEncoding("utf8").on("data", (text: string) => {
			texts[name] += text;
		});
	}
	const [code] = (await once(child, "close")) as [number | null];
	return { code, ...texts, seconds: (performance.now() - begunMs) / 1000 };
}

function start(...args: string[]): Promise<Ended> {
	return ended(spawn(process.execPath, [MAIN, "start", ...args], { stdio: ["ignore", "pipe", "pipe"] }));
}

test("a server that refuses to start does so once, with one line and its exit code", async (t) => {
	const folder = await dataFolder(t);
	const taken = createServer().listen(0, "127.0.0.1");
	await once(taken, "listening");
	t.after(() => taken.close());
	const { port } = taken.address() as { port: number };
	// Warnings, as of a transport that does not run here, would be lines of their own.
	const quiet = ["--log-level", "error"];
	const refusals = [
		[
			1,
			/^error: cannot listen on 127\.0\.0\.1:\d+: the address is taken; choose another port/,
			await start("--data", folder, "--port", String(port), ...quiet),
		],
		[
			1,
			/: the address is taken; choose/,
			await start("--data", folder, "--port", "0", "--admin-port", String(port), ...quiet),
		],
		[1, /does not exist/, await start("--data", join(folder, "none"), "--port", "0", ...quiet)],
		[2, /--workers must be a whole number/, await start("--data", folder, "--workers", "many")],
		[2, /unknown option/, await start("--data", folder, "--no-such-flag")],
	] as const;
	for (const [code, line, refused] of refusals) {
		assert.equal(refused.code, code, refused.stderr);
		assert.match(refused.stderr, line);
		assert.equal(refused.stderr.trim().split("\n").length, 1, refused.stderr);
		assert.equal(refused.stdout, "");
	}
	assert.equal((await start("--help")).code, 0);
});

/** Supervises a script of the test's own. */
function superviseScript(t: TestContext, lines: string): ChildProcess {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-supervise-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const script = join(folder, "script.mjs");
	writeFileSync(
		script,
		`import { followSupervisor, tellListening } from ${JSON.stringify(FOLLOWED)};\nfollowSupervisor();\n${lines}`,
	);
	const supervisor = join(folder, "supervisor.mjs");
	writeFileSync(
		supervisor,
		`import { supervise } from ${JSON.stringify(SUPERVISE)};\n` +
			`process.exitCode = await supervise(new URL(${JSON.stringify(pathToFileURL(script).href)}), []);`,
	);
	const child = spawn(process.execPath, [supervisor], { stdio: ["ignore", "pipe", "pipe"] });
	t.after(() => child.kill("SIGKILL"));
	return child;
}

test("a process that crashes repeatedly is restarted with increasing delays, until it is asked to stop", async (t) => {
	const child = superviseScript(t, "tellListening(4711); setTimeout(() => process.abort(), 50);");
	const end = ended(child);
	let written = "";
	// On a busy machine each start takes a second, so the third restart may take longer than the time in which few are allowed.
	const threeLines = new Promise<void>((resolve) => {
		child.stdout?.on("data", (text: string) => {
			written += text;
			if (written.split("\n").length > 3) resolve();
		});
	});
	await Promise.race([Promise.all([threeLines, delay(2_500)]), end]);
	child.kill("SIGTERM");
	const { stdout } = await end;
	const waits = stdout
		.trim()
		.split("\n")
		.map((line) => (JSON.parse(line) as { wait_ms: number; signal: string }).wait_ms);
	assert.deepEqual(waits.slice(0, 3), [0, 250, 500]);
	assert.ok(waits.length < 6);
});

test("a process that dies before it ever served is not started again", async (t) => {
	const { code, stderr } = await ended(superviseScript(t, 'process.kill(process.pid, "SIGSEGV");'));
	assert.equal(code, 1);
	assert.match(
		stderr,
		/^error: the serving process ended with SIGSEGV before it served; .*keys restore.*\n$/,
	);
});

test("a second signal some time later ends a process that does not stop", async (t) => {
	const child = superviseScript(t, "tellListening(4711); setInterval(() => undefined, 1_000);");
	const end = ended(child);
	await delay(600);
	child.kill("SIGTERM");
	await delay(600);
	child.kill("SIGTERM");
	const { code, seconds } = await end;
	assert.equal(code, 1);
	assert.ok(seconds < 5);
});
