/**
 * The database of keys fails under a running server: taken away, full, and the process killed at
 * random moments under load. Health tells, known keys go on being served, it heals, no key is lost,
 * and nothing secret is in the log.
 */

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { KEYS_FOLDER } from "../../formats/index.js";
import { createKey } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";
import { fixtureFolder } from "../http/served.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

const SERVER = fileURLToPath(new URL("../../server/main.js", import.meta.url));
/** Health tells of a fault, and of its end, within this. */
const NOTICED_MS = 2_000;

class Server {
	log = "";

	private constructor(
		readonly child: ChildProcess,
		readonly port: number,
		/** Of the process that serves; `child` is its supervisor. */
		readonly servingPid: number,
	) {}

	/** Starts a server whose files may be stopped from growing without a signal that ends it. */
	static async start(dataFolder: string): Promise<Server> {
		const args = [
			SERVER,
			"start",
			"--data",
			dataFolder,
			"--port",
			"0",
			"--workers",
			"1",
			"--log-level",
			"trace",
		];
		const child = spawn("/bin/sh", ["-c", `trap '' XFSZ; exec "$0" "$@"`, process.execPath, ...args], {
			stdio: ["ignore", "pipe", "pipe"],
		});
		const { promise, resolve } = deferred<{ port: number; serving_pid: number }>();
		let server: Server | null = null;
		const lines: string[] = [];
		const take = (line: string) => {
			if (server !== null) server.log += `${line}\n`;
			else lines.push(line);
			if (line.includes('"msg":"listening"')) resolve(JSON.parse(line));
		};
		createInterface({ input: child.stdout }).on("line", take);
		createInterface({ input: child.stderr }).on("line", take);
		const { port, serving_pid } = await promise;
		server = new Server(child, port, serving_pid);
		server.log = lines.join("\n");
		return server;
	}

	async get(path: string, key: string | null): Promise<{ status: number; text: string }> {
		const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
		const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { headers });
		return { status: response.status, text: await response.text() };
	}

	/** Waits until health answers `status`; gives its body. `meanwhile` runs between looks. */
	async health(status: number, meanwhile: () => Promise<unknown>): Promise<string> {
		const deadline = performance.now() + NOTICED_MS;
		for (;;) {
			await meanwhile();
			const answer = await this.get("/v1/health", null);
			if (answer.status === status) return answer.text;
			assert.ok(
				performance.now() < deadline,
				`health is ${answer.status} ${answer.text}, expected ${status}`,
			);
			await sleep(50);
		}
	}

	async end(signal: NodeJS.Signals): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const closed = once(this.child, "close");
		this.child.kill(signal);
		await closed;
	}
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
	let resolve: (value: T) => void = () => undefined;
	const promise = new Promise<T>((r) => {
		resolve = r;
	});
	return { promise, resolve };
}

async function folderWithKeys(
	t: TestContext,
	count: number,
): Promise<{ dataFolder: string; keys: string[] }> {
	const dataFolder = await fixtureFolder();
	t.after(() => rmSync(dataFolder, { recursive: true, force: true }));
	const store = Store.open({ dataFolder, create: true });
	const scope = { geography: null, columns: null, history: { mode: "all" } } as const;
	const limits = { per_minute: 10_000_000, per_day: 10_000_000 };
	const keys: string[] = [];
	for (let i = 0; i < count; i++) {
		const request = { tier: "enterprise", name: `k${i}`, rate_limits: limits, scope } as const;
		keys.push((await createKey(store, request, { by: "test", nowMs: Date.now() })).text);
	}
	await store.close();
	return { dataFolder, keys };
}

test("a database taken away shows in health, known keys are served, and it heals when it is back", async (t) => {
	const { dataFolder, keys } = await folderWithKeys(t, 1);
	const server = await Server.start(dataFolder);
	t.after(() => server.end("SIGKILL"));
	const serves = async () => assert.equal((await server.get("/v1/states", keys[0])).status, 200);
	await server.health(200, serves);
	const folder = join(dataFolder, KEYS_FOLDER);
	renameSync(folder, `${folder}.away`);
	const told = JSON.parse(await server.health(503, serves)) as { error: { code: string; message: string } };
	assert.equal(told.error.code, "unavailable");
	assert.match(told.error.message, /moved or replaced/);
	renameSync(`${folder}.away`, folder);
	await server.health(200, serves);
});

test("a database that takes no writes shows in health, known keys are served, and it heals with no count lost", async (t) => {
	const { dataFolder, keys } = await folderWithKeys(t, 1);
	const server = await Server.start(dataFolder);
	t.after(() => server.end("SIGKILL"));
	const limitFiles = (bytes: string) =>
		spawnSync("prlimit", [`--fsize=${bytes}`, "--pid", String(server.servingPid)]).status;
	let counted = 0;
	const serves = async () => {
		assert.equal((await server.get("/v1/states", keys[0])).status, 200);
		counted++;
	};
	await server.health(200, serves);
	if (limitFiles("1:unlimited") !== 0) return t.skip("prlimit cannot limit another process here");
	assert.match(await server.health(503, serves), /takes no writes/);
	assert.equal(limitFiles("unlimited:unlimited"), 0);
	await server.health(200, serves);
	const usage = JSON.parse((await server.get("/v1/usage?days=1", keys[0])).text) as {
		data: { total: number };
	};
	assert.equal(usage.data.total, counted + 1);
});

test("killed at random moments under load, the database opens with every key and made-up counts never", async (t) => {
	const { dataFolder, keys } = await folderWithKeys(t, 5);
	const kills = fuzzRuns(6);
	tellSeed(t, kills);
	let sent = 0;
	let log = "";
	for (let kill = 0; kill < kills; kill++) {
		const server = await Server.start(dataFolder);
		const draw = new Draw(SEED, kill);
		const until = performance.now() + draw.below(600);
		while (performance.now() < until) {
			await Promise.all(keys.map((key) => server.get("/v1/snapshots", key)));
			sent += keys.length;
		}
		// In the middle of what is under way, a bad key among it.
		const last = keys.map((key) => server.get("/v1/snapshots", `${key}x`).catch(() => null));
		await server.end("SIGKILL");
		await Promise.all(last);
		log += server.log;
		const store = Store.open({ dataFolder, create: false });
		const records = store.keys();
		const stored = records.reduce((sum, { id }) => sum + (store.counter(id)?.month.count ?? 0), 0);
		await store.close();
		assert.equal(records.length, keys.length);
		assert.ok(stored <= sent, `${stored} counted, ${sent} sent`);
	}
	for (const key of keys) {
		assert.ok(!log.includes(key), "a key is in the log");
		assert.ok(!log.includes(createHash("sha256").update(key).digest("hex")), "a key's hash is in the log");
	}
	t.diagnostic(`tried ${kills} kills over ${sent} requests, lost 0`);
});
