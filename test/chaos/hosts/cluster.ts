/**
 * Hosts of one service with everything they need, all real: an object store with two editions of a month, Redis,
 * servers and HAProxy, on this machine. Hosts reach both stores through relays that can fail.
 */

import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { INDEX_BYTES_MAX, INDEX_NAME, openStore, sha256Of } from "../../../formats/object-store/index.js";
import { type HostPorts, proxyFile } from "../../../server/demo-hosts/proxy-file.js";
import { runBuilder } from "../../builder/builder-process.js";
import { FaultyRelay } from "../../faulty-relay.js";
import { freePort } from "../../free-port.js";
import { build } from "../../object-store/months-rig.js";
import { type SwiftStore, startSwift } from "../../object-store/swift-store.js";
import { type LogLine, ServerProcess } from "../../serve/server-process.js";
import { get, makeKey, startHost, until } from "../../shared-state/host-process.js";
import { RedisServer } from "../../shared-state/redis-server.js";
import { findProgram } from "../proxy/proxy-process.js";
import { CLOCK_FILE } from "./set-clock.js";

const SET_CLOCK = new URL("./set-clock.js", import.meta.url).href;
/** How far clocks of hosts are off at most. */
export const CLOCK_OFF_MS_MAX = 10_000;
/** In place of a test that a server ends with. */
const WITH_RUN = { after: () => undefined };
const SERVER = fileURLToPath(new URL("../../../server/main.js", import.meta.url));

export const OLD_MONTH = "2026-10";
export const MONTH = "2026-11";
/** Editions of {@link MONTH}, by their seeds. */
export const EDITIONS = [1, 2] as const;

/** Paths whose `data` tells the editions apart, or not, but is the same on every host. */
export const PATHS: readonly string[] = [
	"/v1/licenses?limit=20",
	"/v1/licenses?limit=100&sort=member_last_name&fields=id,member_full_name",
	"/v1/licenses?state=CA&sort=office_name&limit=5",
	"/v1/licenses?state=TX&fields=id,member_city&limit=50",
	"/v1/licenses?last_name=s&limit=10",
	"/v1/licenses?snapshot=2026-10&limit=20",
	"/v1/suggest?field=city&q=sa",
	"/v1/stats",
];

export interface HostSlot extends HostPorts {
	readonly folder: string;
	/** Says how far its clock is off. */
	readonly clockFile: string;
	process: ServerProcess;
	/** What each of its processes logged, oldest first. */
	readonly logs: (readonly LogLine[])[];
	/** Whether it was stopped or killed by an event. */
	down: boolean;
}

export class Cluster {
	readonly hosts: HostSlot[] = [];
	/** What {@link PATHS} give by edition: `data` as JSON. */
	readonly expected: ReadonlyMap<string, string>[] = [];
	/** Rejects when a host ends that was not ended by {@link endHost}. */
	readonly crashed: Promise<never>;
	#crash: (error: Error) => void = () => undefined;
	readonly #ending = new Set<ServerProcess>();
	/** The index of months at the start. */
	firstIndex: Uint8Array = new Uint8Array();

	private constructor(
		readonly work: string,
		readonly swift: SwiftStore,
		/** What hosts take for the object store, and for Redis. */
		readonly storeRelay: FaultyRelay,
		readonly redisRelay: FaultyRelay,
		public redis: RedisServer,
		readonly proxyPort: number,
		readonly workers: number,
	) {
		this.crashed = new Promise((_, reject) => {
			this.#crash = reject;
		});
		// Whoever waits for it later sees it all the same.
		this.crashed.catch(() => undefined);
	}

	/** Starts everything, which ends with the run's scope. `told` gets what is done. */
	static async start(hosts: number, workers: number, told: (text: string) => void): Promise<Cluster> {
		const work = mkdtempSync(join(tmpdir(), "rollcall-hosts-"));
		const [swift, redis] = await Promise.all([startSwift(), RedisServer.start()]);
		const storeRelay = await FaultyRelay.start(swift.environment.AWS_ENDPOINT_URL);
		const redisRelay = await FaultyRelay.start(redis.url);
		const cluster = new Cluster(work, swift, storeRelay, redisRelay, redis, await freePort(), workers);
		// Of the hosts, which are started with it.
		Object.assign(process.env, swift.environment, { AWS_ENDPOINT_URL: storeRelay.endpoint });
		for (const seed of EDITIONS) {
			told(`building edition ${seed}`);
			for (const month of [OLD_MONTH, MONTH])
				await build(cluster.edition(seed), work, month, month === MONTH ? seed : 9);
			cluster.expected.push(await cluster.#reference(cluster.edition(seed)));
		}
		await cluster.builder("push", "--data", cluster.edition(EDITIONS[0]));
		cluster.firstIndex = await cluster.readIndex();
		told("starting the hosts");
		for (let i = 0; i < hosts; i++) await cluster.#addHost(i);
		await cluster.#startProxy();
		return cluster;
	}

	/** Data folder of an edition. */
	edition(seed: number): string {
		return join(this.work, `edition-${seed}`);
	}

	get store(): string {
		return this.swift.url("soak");
	}

	/** The index of months, as stored. */
	async readIndex(): Promise<Uint8Array> {
		const found = await openStore(this.store, this.swift.environment).read(INDEX_NAME, INDEX_BYTES_MAX);
		if (found === null || found === "unchanged") throw new Error("there is no index");
		return found.bytes;
	}

	async writeIndex(bytes: Uint8Array): Promise<void> {
		const body = new Blob([new Uint8Array(bytes)]);
		await openStore(this.store, this.swift.environment).write(INDEX_NAME, body, sha256Of(bytes), null);
	}

	/** Runs a command of the builder on the store. Throws where it fails. */
	async builder(...args: string[]): Promise<void> {
		const { code, stderr } = await runBuilder([...args, "--store", this.store], this.swift.environment);
		if (code !== 0) throw new Error(`builder ${args.join(" ")}: ${stderr}`);
	}

	/** Sets the clock of a host, which may be running: how far it is ahead of this machine's. */
	setClock({ clockFile }: HostSlot, offMs: number): void {
		// Renamed, so that it is never read half written.
		writeFileSync(`${clockFile}.new`, String(offMs));
		renameSync(`${clockFile}.new`, clockFile);
	}

	/** Starts a host that is not running. */
	async startHost(host: HostSlot): Promise<void> {
		const ports = ["--port", String(host.port), "--admin-port", String(host.adminPort)];
		const months = ["--months-from", this.store, "--months-poll-s", "1"];
		const size = ["--workers", String(this.workers)];
		const shared = `redis://127.0.0.1:${this.redisRelay.port}`;
		Object.assign(process.env, { NODE_OPTIONS: `--import ${SET_CLOCK}`, [CLOCK_FILE]: host.clockFile });
		const starting = startHost(WITH_RUN, host.folder, shared, ...ports, ...months, ...size);
		// Its process has been made; others have this machine's clock.
		for (const name of ["NODE_OPTIONS", CLOCK_FILE]) delete process.env[name];
		const started = await starting.catch((error: Error) => {
			this.#crash(new Error(`${this.#nameOf(host)} did not start: ${error.message}`));
			throw error;
		});
		host.process = started;
		host.logs.push(started.lines);
		void started.ended.then((how) => {
			if (!this.#ending.has(started)) this.#crash(new Error(`${this.#nameOf(host)} ended by itself: ${how}`));
		});
		host.down = false;
	}

	/** Sends a host a signal that ends it. Resolves to its exit code; null: ended by the signal. */
	endHost(host: HostSlot, signal: NodeJS.Signals): Promise<number | null> {
		this.#ending.add(host.process);
		return host.process.end(signal);
	}

	#nameOf(host: HostSlot): string {
		return `host ${this.hosts.indexOf(host)}`;
	}

	/** Whether a host says that it is ready. */
	async ready(host: HostSlot): Promise<boolean> {
		return (await get(host.adminPort, "/readyz", "").catch(() => null))?.status === 200;
	}

	/** Runs `server keys …` on the shared store. Resolves to its document; throws where it fails. */
	async keys(...args: string[]): Promise<Record<string, string>> {
		const all = ["keys", ...args, "--shared", this.redis.url, "--json"];
		const { stdout } = await promisify(execFile)(process.execPath, [SERVER, ...all]);
		return JSON.parse(stdout) as Record<string, string>;
	}

	/** Bytes on disk of everything, the object store included. */
	async diskBytes(): Promise<number> {
		// Files vanish while it counts, which it reports.
		const counted = promisify(execFile)("du", ["-skc", this.work, this.swift.folder]);
		const { stdout } = await counted.catch((error: { stdout: string }) => error);
		return 1024 * Number(/(\d+)\s+total\s*$/.exec(stdout)?.[1]);
	}

	async #addHost(i: number): Promise<void> {
		const folder = join(this.work, `host-${i}`);
		mkdirSync(folder);
		const ports = { port: await freePort(), adminPort: await freePort() };
		const clockFile = join(this.work, `clock-${i}`);
		const host = { ...ports, folder, clockFile, down: true, process: undefined as never, logs: [] };
		this.hosts.push(host);
		this.setClock(host, (i % 3 === 0 ? 0 : i % 3 === 1 ? 1 : -1) * CLOCK_OFF_MS_MAX);
		await this.startHost(host);
		await until(() => this.ready(host), 30_000, `readiness of host ${i}`);
	}

	async #startProxy(): Promise<void> {
		const file = join(this.work, "haproxy.cfg");
		writeFileSync(file, proxyFile(this.proxyPort, this.hosts));
		const program = findProgram("haproxy") as string;
		spawn(program, ["-db", "-f", file], { stdio: "ignore" });
		const served = async () =>
			(await get(this.proxyPort, "/v1/health", "").catch(() => null))?.status === 200;
		await until(served, 15_000, "HAProxy");
		// Until it uses all of them.
		await delay(2_000);
	}

	/** What a server over `data` alone answers. */
	async #reference(data: string): Promise<Map<string, string>> {
		const key = await makeKey(data, { rate_limits: { per_minute: null, per_day: null } });
		const server = await ServerProcess.start(
			WITH_RUN,
			data,
			"--workers",
			"1",
			"--no-supervise",
			"--verify-mib-s",
			"0",
		);
		const answers = new Map<string, string>();
		for (const path of PATHS) {
			const { status, body } = await get(server.port, path, key.text);
			if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
			answers.set(path, dataOf(body));
		}
		await server.end("SIGTERM");
		return answers;
	}
}

/** The part of an answer that is compared. */
export function dataOf(body: string): string {
	return JSON.stringify((JSON.parse(body) as { data: unknown }).data);
}
