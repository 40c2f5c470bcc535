/**
 * `npm run demo`: three synthetic months built into data/demo, one key per tier, and a server, with curl
 * commands to paste. Everything uses the commands of an operator.
 *
 * Invariant: data/demo belongs to the demo, which recreates it at every run.
 */

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DEMO_DROPS } from "./demo-drops.js";
import { TIERS } from "./store/key-record.js";
import { endWithNpm } from "./supervisor/npm-parent.js";

const { months: MONTHS, rows: ROWS, seed: SEED } = DEMO_DROPS;
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

/** Generates the months and publishes them, oldest first. */
async function buildMonths(): Promise<void> {
	rmSync(DATA, { recursive: true, force: true });
	say(`making three synthetic months of ${ROWS} rows in ${DATA} …`);
	const synth = ["synth", "--rows", ROWS, "--months", MONTHS, "--seed", SEED, "--out", DROPS, "--json"];
	const { files } = JSON.parse(await run(BUILDER, synth)) as { files: { path: string }[] };
	for (const { path } of files) {
		const report = JSON.parse(await run(BUILDER, ["build", path, "--data", DATA, "--json"])) as {
			month: string;
			rows: number;
		};
		say(`built ${report.month}: ${report.rows.toLocaleString("en-US")} rows`);
	}
}

/** One key per tier; the paying tiers read every month. */
async function createKeys(): Promise<Map<string, string>> {
	const keys = new Map<string, string>();
	for (const tier of TIERS) {
		const history = tier === "production" || tier === "enterprise" ? ["--history", "all"] : [];
		const args = [
			"keys",
			"create",
			"--data",
			DATA,
			"--tier",
			tier,
			"--name",
			`${tier} demo`,
			...history,
			"--json",
		];
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

/** Runs the server until it exits, passing signals on. Returns its exit code. */
function serve(keys: ReadonlyMap<string, string>): Promise<number> {
	const port = process.env.PORT ?? "8080";
	const args = [SERVER, "start", "--data", DATA, "--host", "127.0.0.1", "--port", port];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
	let told = false;
	createInterface({ input: child.stdout }).on("line", (line) => {
		const event = JSON.parse(line) as { msg: string; host: string; port: number };
		// Once: a restarted server listens at the same address.
		const first = event.msg === "listening" && !told;
		told ||= first;
		if (first) printUsage(`http://${event.host}:${event.port}`, keys);
		else say(line);
	});
	return new Promise((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (code) => resolve(code ?? 1));
	});
}

endWithNpm();
await buildMonths();
process.exitCode = await serve(await createKeys());
