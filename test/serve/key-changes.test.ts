/** Changes of keys hold when the command has printed: it waits for the running servers (docs/API.md §2.3). */

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openAccess } from "../../server/open-access.js";
import { Acknowledgement, awaitAcknowledgement } from "../../server/store/acknowledgement.js";
import { announceServer } from "../../server/store/presence.js";
import { runCommandLine } from "../command-line.js";
import { addKey, scratchFolder, scratchStore } from "../keys/scratch.js";
import { ServerProcess } from "./server-process.js";

const WORKERS = 3;
/** Enough connections that every worker accepts some. */
const REQUESTS = 12;

interface Run {
	readonly stdout: string;
	readonly stderr: string;
	readonly seconds: number;
}

async function keys(dataFolder: string, ...args: string[]): Promise<Run> {
	const startedMs = performance.now();
	const { code, stdout, stderr } = await runCommandLine("server", [
		"keys",
		...args,
		"--data",
		dataFolder,
		"--json",
	]);
	assert.equal(code, 0, stderr);
	return { stdout, stderr, seconds: (performance.now() - startedMs) / 1_000 };
}

/** Statuses of requests on connections of their own, so that every worker takes some. */
async function statuses(port: number, key: string): Promise<Set<number>> {
	const headers = { authorization: `Bearer ${key}`, connection: "close" };
	const answers = Array.from({ length: REQUESTS }, () =>
		fetch(`http://127.0.0.1:${port}/v1/me`, { headers }),
	);
	return new Set((await Promise.all(answers)).map((answer) => answer.status));
}

test("a change holds in every worker once the command has printed", async (t) => {
	const dataFolder = scratchFolder(t);
	const server = await ServerProcess.start(t, dataFolder, "--workers", String(WORKERS));
	const create = await keys(dataFolder, "create", "--tier", "enterprise");
	assert.equal(create.stderr, "");
	const { id, key } = JSON.parse(create.stdout);
	assert.deepEqual(await statuses(server.port, key), new Set([200]), "create");
	for (const [command, status] of [
		["suspend", 401],
		["resume", 200],
	] as const) {
		assert.equal((await keys(dataFolder, command, id)).stderr, "");
		assert.deepEqual(await statuses(server.port, key), new Set([status]), command);
	}
	const rotated = JSON.parse((await keys(dataFolder, "rotate", id)).stdout).key;
	assert.deepEqual(await statuses(server.port, key), new Set([401]), "the old text");
	assert.deepEqual(await statuses(server.port, rotated), new Set([200]), "the new text");
	await keys(dataFolder, "revoke", id);
	assert.deepEqual(await statuses(server.port, rotated), new Set([401]), "revoke");
});

test("a server that does not confirm is named after a second, and the change is stored", async (t) => {
	const dataFolder = scratchFolder(t);
	const server = await ServerProcess.start(t, dataFolder, "--workers", "1", "--no-supervise");
	process.kill(server.servingPid, "SIGSTOP");
	const created = keys(dataFolder, "create", "--tier", "trial");
	// Continued whatever happened: a stopped process does not end when the test does.
	const { stdout, stderr } = await created.finally(() => process.kill(server.servingPid, "SIGCONT"));
	assert.match(stderr, new RegExp(`not confirmed within 1 s by process ${server.servingPid}`));
	const { id, key } = JSON.parse(stdout);
	assert.equal((await keys(dataFolder, "suspend", id)).stderr, "");
	assert.deepEqual(await statuses(server.port, key), new Set([401]));
});

test("waits for every thread of a running server, and for no process that ended", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	await addKey(store);
	assert.deepEqual(await awaitAcknowledgement(store.path, 1, 0), [], "no server runs");
	// No process has this id: Linux's largest is 4,194,304.
	writeFileSync(join(store.path, "seen.99999999.0"), "0");
	assert.deepEqual(await awaitAcknowledgement(store.path, 1, 0), []);
	assert.ok(!readdirSync(store.path).includes("seen.99999999.0"), "files of ended processes are removed");
	const leave = announceServer(store.path);
	t.after(leave);
	assert.deepEqual(
		await awaitAcknowledgement(store.path, 1, 20),
		[process.pid],
		"cannot confirm without a file",
	);
	const threads = [new Acknowledgement(store.path, 0), new Acknowledgement(store.path, 1)];
	threads[0].write(1);
	assert.deepEqual(await awaitAcknowledgement(store.path, 1, 20), [process.pid]);
	setTimeout(() => threads[1].write(12_345), 30);
	assert.deepEqual(await awaitAcknowledgement(store.path, 12_345, 20), [process.pid]);
	threads[0].write(12_345);
	assert.deepEqual(await awaitAcknowledgement(store.path, 12_345, 5_000), []);
	for (const thread of threads) thread.close();
	assert.ok(!readdirSync(store.path).some((name) => name.startsWith("seen.")));
});

test("an opened server confirms what it has read, and leaves no file behind", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	await addKey(store);
	const access = openAccess({
		dataFolder,
		clock: { now: () => Date.now() },
		onError: (error) => {
			throw error;
		},
	});
	assert.deepEqual(await awaitAcknowledgement(store.path, 1, 0), []);
	await addKey(store);
	assert.deepEqual(await awaitAcknowledgement(store.path, 2, 5_000), []);
	await access.close();
	assert.ok(!readdirSync(store.path).some((name) => /^(seen|server)\./.test(name)));
});
