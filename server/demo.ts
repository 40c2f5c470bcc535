/**
 * `npm run demo`: three synthetic months built into data/demo, one key per tier, and a server, with curl
 * commands to paste; with `--hosts N`, that many servers as one service (demo-hosts/). Everything uses the
 * commands of an operator.
 *
 * Invariant: data/demo belongs to the demo, which recreates it at every run.
 */

import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { groupDigits, KEYS_FOLDER } from "../formats/index.js";
import { DEMO_DROPS } from "./demo-drops.js";
import { HOSTS_MAX, hostPorts, PORT_MAX, REDIS } from "./demo-hosts/ports.js";
import { urlOfAddress } from "./http/address-url.js";
import { claimPort } from "./http/claim-port.js";
import { TIERS } from "./store/key-record.js";
import { runningServers } from "./store/presence.js";
import { endWithNpm } from "./supervisor/npm-parent.js";

const { months: MONTHS, seed: SEED } = DEMO_DROPS;
const DATA = "data/demo";
const DROPS = `${DATA}/drops`;
const BUILDER = fileURLToPath(new URL("../builder/main.js", import.meta.url));
const SERVER = fileURLToPath(new URL("main.js", import.meta.url));

/** Runs a command of this program; resolves to its standard output, rejects unless it exits with 0. */
function run(program: string, args: readonly string[]): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
		const chunks: Buffer[] = [];
		child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
		child.on("error", reject);
		child.on("close", (code) => {
			if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
			else reject(new Error(`${args[0]} exited with ${code}`));
		});
	});
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

/** Generates the months, of so many rows each, and publishes them, oldest first. */
async function buildMonths(rows: number): Promise<void> {
	rmSync(DATA, { recursive: true, force: true });
	say(`making three synthetic months of ${rows} rows in ${DATA} …`);
	const synth = ["synth", "--rows", `${rows}`, "--months", MONTHS, "--seed", SEED, "--out", DROPS, "--json"];
	const { files } = JSON.parse(await run(BUILDER, synth)) as { files: { path: string }[] };
	for (const { path } of files) {
		const report = JSON.parse(await run(BUILDER, ["build", path, "--data", DATA, "--json"])) as {
			month: string;
			rows: number;
		};
		say(`built ${report.month}: ${groupDigits(report.rows)} rows`);
	}
}

/** One key per tier, where `place` says; the paying tiers read every month. */
async function createKeys(...place: string[]): Promise<Map<string, string>> {
	const keys = new Map<string, string>();
	for (const tier of TIERS) {
		const history = tier === "production" || tier === "enterprise" ? ["--history", "all"] : [];
		const args = ["keys", "create", ...place, "--tier", tier, "--name", `${tier} demo`, ...history, "--json"];
		keys.set(tier, (JSON.parse(await run(SERVER, args)) as { key: string }).key);
	}
	return keys;
}

function printUsage(address: string, keys: ReadonlyMap<string, string>): void {
	say("\nkeys:");
	for (const [tier, key] of keys) say(`  ${tier.padEnd(10)}  ${key}`);
	const key = keys.get("production");
	const get = (path: string) => `curl -s -H 'Authorization: Bearer ${key}' '${address}${path}'`;
	say("\npaste:");
	say(`  curl -s '${address}/v1/health'`);
	for (const path of [
		"/v1/licenses?state=CA&last_name=smi&sort=member_license_expires&limit=3",
		"/v1/licenses?state=TX,FL&expires_before=2026-12-31&sort=office_name&fields=id,member_full_name,office_name&limit=5",
		"/v1/licenses?snapshot=2026-10&limit=1",
		"/v1/suggest?field=city&q=san&state=CA",
		"/v1/stats",
		"/v1/me",
	]) {
		say(`  ${get(path)}`);
	}
	say(`\nserving ${address}; Ctrl-C ends it\n`);
}

/** Adds what there is to see of several hosts. */
function printHosts(port: number, hosts: number, keys: ReadonlyMap<string, string>): void {
	const all = hostPorts(port, hosts);
	const ports = all.map((host) => host.port).join(",");
	const adminPorts = all.map(({ adminPort }) => adminPort).join(",");
	say("\nsee that the hosts share limits, usage and keys, at each host's own port:");
	say(`  curl -s -H 'Authorization: Bearer ${keys.get("trial")}' 'http://127.0.0.1:{${ports}}/v1/me'`);
	say(`  npm run -s server -- keys list --shared redis://127.0.0.1:${port + REDIS}`);
	say("see what a balancer sees, and months of the object store in the metrics:");
	say(`  curl -s 'http://127.0.0.1:{${adminPorts}}/readyz'`);
	say(`  curl -s 'http://127.0.0.1:${all[0].adminPort}/metrics' | grep -E 'rollcall_(shared|store)_'`);
	say("kill a host by its process above, and ask through HAProxy meanwhile: no request fails");
	printUsage(`http://127.0.0.1:${port}`, keys);
}

/** Reads a whole number from 1 to `max`. */
function countTo(max: number): (text: string) => number {
	return (text) => {
		const number = Number(text);
		if (!/^\d+$/.test(text) || number < 1 || number > max)
			throw new InvalidArgumentError(`expected a number from 1 to ${groupDigits(max)}`);
		return number;
	};
}

/** Throws where another server, at another port, serves the folder, which is about to be removed. */
function refuseServed(): void {
	const keys = join(DATA, KEYS_FOLDER);
	const [server] = existsSync(keys) ? runningServers(keys) : [];
	if (server !== undefined)
		throw new Error(`${DATA} is served by process ${server}, and would be made anew; end that process first`);
}

async function demo({ hosts, rows }: { readonly hosts?: number; readonly rows: number }): Promise<number> {
	const port = Number(process.env.PORT ?? "8080");
	const [least, most, where] = hosts === undefined ? [0, 65_535, ""] : [1, PORT_MAX, " with --hosts"];
	if (!Number.isInteger(port) || port < least || port > most)
		throw new Error(`PORT must be a number from ${least} to ${groupDigits(most)}${where}`);
	// Before the folder is made anew, which another demo may serve.
	if (port !== 0) await claimPort("127.0.0.1", port);
	refuseServed();
	if (hosts === undefined) {
		await buildMonths(rows);
		return serve(port, await createKeys("--data", DATA));
	}
	const { findPrograms } = await import("./demo-hosts/programs.js");
	const { serveHosts } = await import("./demo-hosts/serve-hosts.js");
	// Before the months are built, which takes a while.
	const programs = findPrograms();
	if ("missing" in programs) {
		process.stderr.write(
			`demo: --hosts needs these packages: apt-get install ${programs.missing.join(" ")}\n`,
		);
		return 1;
	}
	await buildMonths(rows);
	return serveHosts({
		hosts,
		port,
		data: DATA,
		programs,
		say,
		createKeys: (shared) => createKeys("--shared", shared),
		ready: (keys) => printHosts(port, hosts, keys),
	});
}

async function main(argv: readonly string[]): Promise<number> {
	const program = new Command("demo")
		.description("build three synthetic months, make a key per tier, and serve them at PORT (8080)")
		.option(
			"--hosts <n>",
			"serve by so many hosts: an object store, Redis, and HAProxy in front",
			countTo(HOSTS_MAX),
		)
		.option("--rows <n>", "rows of each month", countTo(1_000_000), Number(DEMO_DROPS.rows))
		.exitOverride();
	try {
		return await demo(program.parse(argv, { from: "user" }).opts<{ hosts?: number; rows: number }>());
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
		process.stderr.write(`demo: ${(error as Error).message}\n`);
		return 1;
	}
}

/** Runs the server until it exits, passing signals on. Returns its exit code. */
function serve(port: number, keys: ReadonlyMap<string, string>): Promise<number> {
	const args = [SERVER, "start", "--data", DATA, "--host", "127.0.0.1", "--port", `${port}`];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
	let told = false;
	createInterface({ input: child.stdout }).on("line", (line) => {
		const event = JSON.parse(line) as { msg: string; host: string; port: number };
		// Once: a restarted server listens at the same address.
		const first = event.msg === "listening" && !told;
		told ||= first;
		if (first) printUsage(urlOfAddress(event.host, event.port), keys);
		else say(line);
	});
	return new Promise((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (code) => resolve(code ?? 1));
	});
}

endWithNpm();
process.exitCode = await main(process.argv.slice(2));
