/**
 * What happens in the middle of a soak: an operator's month, and some bad luck. Each event says
 * beforehand what it may change for clients, and for how long; all else is lost or wrong.
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { restoreMonth, retireMonth } from "../../../builder/months/retire.js";
import { resumeKey, rotateKey, suspendKey } from "../../../server/keys/lifecycle.js";
import { Store } from "../../../server/store/store.js";
import type { LoadControl } from "./load-control.js";
import type { SoakKeys } from "./soak-keys.js";
import type { SoakedServer } from "./soaked-server.js";

const SERVER = fileURLToPath(new URL("../../../server/main.js", import.meta.url));
const PIPED: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
const BUILDER = fileURLToPath(new URL("../../../builder/main.js", import.meta.url));
/** Maximum time until every client sees a change. */
const SEEN_MS = 1_500;
const GRACE_MS = 4_000;
/** After a kill: connections that broke as the server died are reported late on a busy machine. */
const AFTERMATH_MS = 2_000;

export interface Stage {
	readonly server: SoakedServer;
	readonly load: LoadControl;
	readonly keys: SoakKeys;
	readonly dataFolder: string;
	/** Published in the middle. */
	readonly drop: { readonly month: string; readonly file: string };
	/** Threads that serve. */
	readonly workers: number;
	/** Called with each violation. */
	readonly fault: (what: string) => void;
}

export interface SoakEvent {
	/** When, as a share of the soak. */
	readonly at: number;
	readonly name: string;
	/** Resolves to the event's line in the report. */
	run(stage: Stage): Promise<string>;
}

/** Bits of the worlds: before the drop, and with it. */
export const WORLD = { before: 1, after: 2 } as const;

export const EVENTS: readonly SoakEvent[] = [
	{ at: 0.06, name: "suspend", run: (stage) => setPaused(stage, true) },
	{ at: 0.12, name: "resume", run: (stage) => setPaused(stage, false) },
	{ at: 0.18, name: "rotate", run: rotate },
	{ at: 0.24, name: "back up", run: backUp },
	{ at: 0.3, name: "publish", run: publish },
	{ at: 0.42, name: "retire", run: retire },
	{ at: 0.47, name: "restore", run: restore },
	{ at: 0.53, name: "kill a thread", run: killThread },
	{ at: 0.58, name: "kill the process", run: killProcess },
];

interface Ended {
	readonly code: unknown;
	readonly output: string;
	/** The end of what was said on stderr. */
	readonly complaint: string;
}

async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
	let output = "";
	let complaint = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		complaint = (complaint + text).slice(-2_000);
	});
	const [code] = await once(child, "close");
	return { code, output, complaint: complaint.trim() };
}

async function withStore<T>(dataFolder: string, work: (store: Store) => Promise<T>): Promise<T> {
	const store = Store.open({ dataFolder, create: false });
	try {
		return await work(store);
	} finally {
		await store.close();
	}
}

const actor = () => ({ by: "soak", nowMs: Date.now() });

async function setPaused(
	{ load, keys, dataFolder, server, fault }: Stage,
	suspend: boolean,
): Promise<string> {
	await load.allow({ paused: "either" });
	const change = suspend ? suspendKey : resumeKey;
	await withStore(dataFolder, (store) => change(store, keys.paused.id, actor()));
	await delay(SEEN_MS);
	await load.allow({ paused: suspend ? "suspended" : "active" });
	if (suspend) {
		// In a short soak the next event may leave no time for the load to ask. An answer of 200 would be counted.
		const status = await server.status("/v1/me", keys.paused.text);
		if (status !== 401) fault(`a suspended key gets ${status}`);
	}
	return "seen by every client within 1.5 s";
}

async function rotate({ load, keys, dataFolder, server, fault }: Stage): Promise<string> {
	const { id, text: old } = keys.rotated;
	const { text } = await withStore(dataFolder, (store) => rotateKey(store, id, GRACE_MS, actor()));
	await delay(SEEN_MS);
	await load.text("rotated", text);
	await delay(GRACE_MS);
	const status = await server.status("/v1/me", old);
	if (status !== 401) fault(`the old text of a rotated key gets ${status} after its grace`);
	return `the new text serves, the old one gets ${status} after its grace`;
}

async function backUp({ dataFolder, keys, fault }: Stage): Promise<string> {
	const out = join(dirname(dataFolder), "keys.backup");
	const args = [SERVER, "keys", "backup", "--data", dataFolder, "--out", out, "--json"];
	const { code, output, complaint } = await ended(spawn(process.execPath, args, { stdio: PIPED }));
	if (code !== 0) {
		fault(`the backup ended with code ${code}: ${complaint}`);
		return "not backed up";
	}
	const held = (JSON.parse(output) as { keys: number }).keys;
	const made = Object.keys(keys).length;
	if (held !== made) fault(`the backup holds ${held} keys of ${made}`);
	return `${held} keys in ${statSync(out).size} bytes, read through`;
}

async function publish({ load, dataFolder, drop, fault }: Stage): Promise<string> {
	await load.allow({ worlds: WORLD.before | WORLD.after, sheds: true });
	const begunMs = performance.now();
	const args = [BUILDER, "build", drop.file, "--data", dataFolder, "--month", drop.month, "--accept", "all"];
	const child = spawn("nice", ["-n", "19", process.execPath, ...args], { stdio: PIPED });
	const { code, complaint } = await ended(child);
	if (code !== 0) {
		fault(`the build ended with code ${code}: ${complaint}`);
		return "not published";
	}
	const seconds = (performance.now() - begunMs) / 1000;
	await delay(SEEN_MS);
	await load.allow({ worlds: WORLD.after, sheds: false });
	return `${drop.month} built at low priority in ${seconds.toFixed(1)} s, served within 1.5 s of its end`;
}

async function retire({ load, dataFolder, drop }: Stage): Promise<string> {
	await load.allow({ worlds: WORLD.before | WORLD.after });
	retireMonth(dataFolder, drop.month);
	await delay(SEEN_MS);
	await load.allow({ worlds: WORLD.before });
	return "gone within 1.5 s";
}

async function restore({ load, dataFolder, drop }: Stage): Promise<string> {
	await load.allow({ worlds: WORLD.before | WORLD.after });
	restoreMonth(dataFolder, drop.month);
	await delay(SEEN_MS);
	await load.allow({ worlds: WORLD.after });
	return "served within 1.5 s";
}

async function killThread({ load, server, workers }: Stage): Promise<string> {
	if (workers === 1) return "left out: one worker serves in the main thread";
	await load.allow({ cuts: true, sheds: true });
	server.errorsExpected = true;
	const pid = server.servingPid();
	await server.killThread();
	await delay(AFTERMATH_MS);
	await load.allow({ cuts: false, sheds: false });
	server.errorsExpected = false;
	return server.servingPid() === pid ? "replaced, the process went on" : "the process went with it";
}

async function killProcess({ load, server }: Stage): Promise<string> {
	await load.allow({ cuts: true, sheds: true });
	server.errorsExpected = true;
	const killed = server.killProcess();
	await load.killed(Date.now());
	const awayMs = await killed;
	await delay(AFTERMATH_MS);
	await load.allow({ cuts: false, sheds: false });
	server.errorsExpected = false;
	const by = server.restarts > 0 ? "started again by the harness" : "brought back by its supervisor";
	return `${by}, healthy after ${Math.round(awayMs)} ms`;
}
