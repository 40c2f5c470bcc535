/**
 * The demo of several hosts on one machine: an object store (OpenStack Swift), Redis, N servers that take their
 * months from the one and share limits, usage and keys through the other, and HAProxy in front of them.
 *
 * Ports follow from that of HAProxy (ports.ts). A host that ends is started again after {@link RESTART_MS}, so that
 * there is something to watch.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Children } from "./children.js";
import { hostPorts, REDIS, STORE } from "./ports.js";
import type { Programs } from "./programs.js";
import { type HostPorts, proxyFile } from "./proxy-file.js";

const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));
const SERVER = fileURLToPath(new URL("../main.js", import.meta.url));
const SWIFT = fileURLToPath(new URL("../../../deploy/swift/start.sh", import.meta.url));

/** How long a host that ended stays away, in milliseconds. */
const RESTART_MS = 10_000;
/** How long a host may take until it has its months, and HAProxy until it uses the hosts, in milliseconds. */
const SERVED_MS_MAX = 120_000;

export interface HostsOptions {
	readonly hosts: number;
	/** HAProxy's port. */
	readonly port: number;
	/** Data folder with the months to push; what the demo needs besides is made below it. */
	readonly data: string;
	readonly programs: Programs;
	readonly say: (line: string) => void;
	/** Makes keys in the shared store at this address. */
	readonly createKeys: (shared: string) => Promise<ReadonlyMap<string, string>>;
	/** Called when everything serves. */
	readonly ready: (keys: ReadonlyMap<string, string>) => void;
}

interface Stage {
	readonly options: HostsOptions;
	readonly children: Children;
	/** What hosts are started with. */
	readonly shared: string;
	readonly store: string;
	readonly env: Readonly<Record<string, string>>;
}

/** Runs until SIGINT or SIGTERM. Resolves to the exit code. */
export async function serveHosts(options: HostsOptions): Promise<number> {
	const children = new Children();
	const stopped = new Promise<void>((stop) => {
		for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop());
	});
	try {
		await Promise.race([start(options, children), stopped]);
		await stopped;
		return 0;
	} catch (error) {
		if (children.ending) return 0;
		process.stderr.write(`demo: ${(error as Error).message}\n`);
		return 1;
	} finally {
		await children.end();
	}
}

async function start(options: HostsOptions, children: Children): Promise<void> {
	const { hosts, port, data, programs, say } = options;
	say(`starting an object store, Redis, ${hosts} hosts and HAProxy …`);
	const [{ store, env }] = await Promise.all([
		startStore(options, children),
		children.start({
			name: "Redis",
			command: programs.redis,
			args: ["--port", String(port + REDIS), "--bind", "127.0.0.1", "--save", "", "--dir", resolve(data)],
			ready: (line) => line.includes("Ready to accept connections"),
		}),
	]);
	await run(children, "builder push", [BUILDER, "push", "--data", data, "--store", store], env);
	say(`pushed the months to ${store} at ${env.AWS_ENDPOINT_URL}`);
	const shared = `redis://127.0.0.1:${port + REDIS}`;
	const stage = { options, children, shared, store, env };
	const ports = hostPorts(port, hosts);
	await Promise.all(ports.map((_, i) => startHost(stage, ports, i)));
	const keys = await options.createKeys(shared);
	const file = join(data, "haproxy.cfg");
	writeFileSync(file, proxyFile(port, ports));
	await children.start({ name: "HAProxy", command: programs.haproxy, args: ["-db", "-f", file] });
	await untilServed(`http://127.0.0.1:${port}/v1/health`);
	options.ready(keys);
}

/** Starts the object store. Gives the address of its prefix, and what programs find it by. */
async function startStore(
	{ data, port }: HostsOptions,
	children: Children,
): Promise<{ store: string; env: Record<string, string> }> {
	const settings = new Map<string, string>();
	await children.start({
		name: "the object store",
		command: "bash",
		args: [SWIFT, join(data, "store"), String(port + STORE)],
		onLine: (line) => {
			const [name, ...value] = line.split("=");
			if (name.startsWith("S3_")) settings.set(name, value.join("="));
		},
		ready: (line) => line === "S3_READY=1",
	});
	const setting = (name: string) => settings.get(`S3_${name}`) ?? "";
	return {
		store: `s3://${setting("BUCKET")}/demo`,
		env: {
			AWS_ENDPOINT_URL: setting("ENDPOINT"),
			AWS_REGION: setting("REGION"),
			AWS_ACCESS_KEY_ID: setting("ACCESS_KEY"),
			AWS_SECRET_ACCESS_KEY: setting("SECRET_KEY"),
		},
	};
}

/** Starts host `i`, and starts it again whenever it ends. */
async function startHost(stage: Stage, ports: readonly HostPorts[], i: number): Promise<void> {
	const { options, children, shared, store, env } = stage;
	const name = `host${i + 1}`;
	const data = join(options.data, name);
	mkdirSync(data, { recursive: true });
	const places = ["--data", data, "--host", "127.0.0.1", "--port", String(ports[i].port)];
	const admin = ["--admin-host", "127.0.0.1", "--admin-port", String(ports[i].adminPort)];
	const state = ["--months-from", store, "--months-poll-s", "1", "--shared", shared];
	const child = await children.start({
		name,
		command: process.execPath,
		args: [SERVER, "start", ...places, ...admin, ...state, "--workers", "1", "--no-supervise"],
		env,
		ready: (line) => line.includes('"msg":"listening"'),
	});
	// It listens before its months are here.
	await untilServed(`http://127.0.0.1:${ports[i].adminPort}/readyz`);
	options.say(`${name} serves at 127.0.0.1:${ports[i].port}, process ${child.pid}`);
	child.once("exit", (code, signal) => {
		if (children.ending) return;
		options.say(`${name} ended (${signal ?? code}); it starts again in ${RESTART_MS / 1_000} s`);
		void delay(RESTART_MS)
			.then(() => (children.ending ? undefined : startHost(stage, ports, i)))
			.catch((error: Error) => options.say(error.message));
	});
}

/** Runs a command to its end. */
async function run(
	children: Children,
	name: string,
	args: readonly string[],
	env: Readonly<Record<string, string>>,
): Promise<void> {
	const child = await children.start({ name, command: process.execPath, args, env });
	const code = child.exitCode ?? (await new Promise((ended) => child.once("exit", ended)));
	if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

async function untilServed(address: string): Promise<void> {
	const endMs = performance.now() + SERVED_MS_MAX;
	for (;;) {
		const status = await fetch(address).then(
			(answer) => answer.status,
			() => 0,
		);
		if (status === 200) return;
		if (performance.now() > endMs) throw new Error(`${address} is not served: ${status}`);
		await delay(200);
	}
}
