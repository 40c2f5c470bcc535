/**
 * The database of keys fails under a running server: taken away, damaged, full, and the process killed
 * at random moments under load. Health reports it, known keys stay usable, the server recovers, no key is lost,
 * and nothing secret is in the log.
 */

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
	closeSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	truncateSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { KEYS_FOLDER } from "../../formats/index.js";
import { createKey } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";
import { TABLE_SCHEMAS } from "../../server/store-tables.js";
import { fixtureFolder } from "../http/served.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { fillUp, smallDisk } from "../small-disk.js";

const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));
const SERVER = fileURLToPath(new URL("../../server/main.js", import.meta.url));
/** Maximum time until health reports a fault or its end. */
const NOTICED_MS = 2_000;
/** A server that keeps dying is started at least every five seconds. */
const RESTARTED_MS = 15_000;

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
		// A connection of its own: one that waits while a test blocks for longer than it may is closed by the server.
		const headers: Record<string, string> = { connection: "close" };
		if (key !== null) headers.authorization = `Bearer ${key}`;
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

test("a removed database fails health, known keys are served, and health recovers when it is back", async (t) => {
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

test("a database that refuses writes fails health, known keys are served, and it recovers with no count lost", async (t) => {
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

/** Writes `bytes` over a file in its place, as a broken disk or a careless copy does. */
function overwrite(path: string, bytes: Uint8Array): void {
	const descriptor = openSync(path, "r+");
	writeSync(descriptor, bytes, 0, bytes.length, 0);
	closeSync(descriptor);
}

const DAMAGES: readonly (readonly [name: string, damage: (path: string, bytes: Buffer) => void])[] = [
	["garbage", (path, bytes) => overwrite(path, Buffer.alloc(bytes.length, "garbage "))],
	["zeroes", (path, bytes) => overwrite(path, Buffer.alloc(bytes.length))],
	["cut to its first page", (path) => truncateSync(path, 4_096)],
	["cut in the middle", (path, bytes) => truncateSync(path, bytes.length >> 1)],
	["empty", (path) => truncateSync(path, 0)],
];

test("a database damaged under the server shows in health, known keys are served, and it heals", async (t) => {
	const { dataFolder, keys } = await folderWithKeys(t, 1);
	const server = await Server.start(dataFolder);
	t.after(() => server.end("SIGKILL"));
	const serves = async () => assert.equal((await server.get("/v1/states", keys[0])).status, 200);
	await server.health(200, serves);
	const path = join(dataFolder, KEYS_FOLDER, "data.mdb");
	for (const [name, damage] of DAMAGES) {
		// No count is under way: what is written between a copy and its return would be lost with it.
		await sleep(400);
		const sound = readFileSync(path);
		const logged = server.log.length;
		damage(path, sound);
		// What is read in the very moment of the damage ends the process; its supervisor then waits for the mending.
		const told = await server.health(503, serves).catch(async (error) => {
			await sleep(200);
			if (!server.log.includes("died", logged)) throw error;
			return null;
		});
		if (told !== null) assert.match(told, /"unavailable"/, name);
		t.diagnostic(`${name}: ${told === null ? "ended the process" : "seen before it was touched"}`);
		overwrite(path, sound);
		const deadline = performance.now() + RESTARTED_MS;
		const back = async () => (await server.get("/v1/states", keys[0]).catch(() => null))?.status === 200;
		while (!(await back())) {
			assert.ok(performance.now() < deadline, `${name}: ${server.log}`);
			await sleep(50);
		}
		await server.health(200, serves);
	}
	await server.end("SIGTERM");
	const store = Store.open({ dataFolder, create: false });
	assert.equal(store.readAll(TABLE_SCHEMAS).get("keys"), 1);
	await store.close();
});

for (const [name, damage] of DAMAGES) {
	// An empty file is a store yet to be made.
	if (name === "empty") continue;
	test(`a server does not start on a damaged database (${name}), and says what to do`, async (t) => {
		const { dataFolder } = await folderWithKeys(t, 1);
		const path = join(dataFolder, KEYS_FOLDER, "data.mdb");
		damage(path, readFileSync(path));
		const { status, stderr } = spawnSync(
			process.execPath,
			[SERVER, "start", "--data", dataFolder, "--port", "0"],
			{
				encoding: "utf8",
				timeout: 20_000,
			},
		);
		assert.equal(status, 1, stderr);
		assert.match(stderr, /^error: .*keys.*keys restore brings a backup back.*\n$/);
	});
}

test("a server starts on a full disk, and a restore under it is refused", async (t) => {
	const disk = smallDisk(t);
	if (disk === null) return t.skip("no file system can be mounted here");
	const { dataFolder, keys } = await folderWithKeys(t, 1);
	const data = join(disk, "data");
	assert.equal(spawnSync("cp", ["-r", dataFolder, data]).status, 0);
	const backup = join(dataFolder, "backup");
	const command = (...args: string[]) =>
		spawnSync(process.execPath, [SERVER, "keys", ...args, "--data", data]);
	assert.equal(command("backup", "--out", backup).status, 0);
	fillUp(join(disk, "filler"));
	const server = await Server.start(data);
	t.after(() => server.end("SIGKILL"));
	assert.equal((await server.get("/v1/states", keys[0])).status, 200);
	rmSync(join(disk, "filler"));
	assert.match(
		String(command("restore", "--from", backup).stderr),
		/a server \(process \d+\) runs on these keys/,
	);
});

test("on a full disk keys are served, the month that is built fails cleanly, and counts are stored when there is room", async (t) => {
	const disk = smallDisk(t);
	if (disk === null) return t.skip("no file system can be mounted here");
	const { dataFolder, keys } = await folderWithKeys(t, 1);
	const data = join(disk, "data");
	assert.equal(spawnSync("cp", ["-r", dataFolder, data]).status, 0);
	const server = await Server.start(data);
	t.after(() => server.end("SIGKILL"));
	let counted = 0;
	const serves = async () => {
		assert.equal((await server.get("/v1/states", keys[0])).status, 200);
		counted++;
	};
	await server.health(200, serves);
	const drop = join(disk, "licenses-2026-12.csv");
	const row = (i: number) => `TX,N${i},${"x".repeat(400)}${i}`;
	writeFileSync(
		drop,
		`state,member_state_license_number,member_address\n${Array.from({ length: 15_000 }, (_, i) => row(i)).join("\n")}\n`,
	);
	const built = spawnSync(process.execPath, [BUILDER, "build", drop, "--data", data, "--accept", "all"], {
		encoding: "utf8",
	});
	assert.equal(built.status, 1, built.stdout);
	assert.match(built.stderr, /builder: .*no space left.*\n$/i);
	assert.deepEqual(readdirSync(join(data, "staging")), []);
	fillUp(join(disk, "filler"));
	for (let i = 0; i < 20; i++) {
		await serves();
		await sleep(50);
	}
	rmSync(drop);
	rmSync(join(disk, "filler"));
	await server.health(200, serves);
	const usage = JSON.parse((await server.get("/v1/usage?days=1", keys[0])).text) as {
		data: { total: number };
	};
	assert.equal(usage.data.total, counted + 1);
	assert.ok(!server.log.includes("died"), server.log);
	const again = spawnSync(process.execPath, [BUILDER, "list", "--data", data, "--json"], {
		encoding: "utf8",
	});
	assert.equal(JSON.parse(again.stdout).length, 3);
	await server.end("SIGTERM");
});

test("killed at random moments under load, the database opens with every key and without invented counts", async (t) => {
	const { dataFolder, keys } = await folderWithKeys(t, 5);
	const kills = fuzzRuns(4);
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
