/**
 * `npm run chaos -- NAME`: one kind of fault, at the size that RELIABILITY.md tells of, on loopback and
 * bounded in time. `npm run chaos` lists the names.
 *
 * Exit code 0 where nothing was lost, 1 where something was, 2 for an unknown name.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const RUNNER = fileURLToPath(new URL("../run.js", import.meta.url));

interface Scenario {
	readonly does: string;
	/** Random cases, connections or seconds; `--runs` and ROLLCALL_FUZZ_RUNS of the tests. */
	readonly runs: number;
	readonly secondsMax: number;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
	http: { does: "hostile bytes over both transports", runs: 3_000, secondsMax: 300 },
	proxy: { does: "hostile bytes through nginx and HAProxy", runs: 3_000, secondsMax: 300 },
	"proxy-limits": { does: "one client above the limits of nginx and HAProxy", runs: 1, secondsMax: 60 },
	slow: { does: "clients that drip, stall or vanish; slowhttptest", runs: 400, secondsMax: 400 },
	idle: { does: "connections that ask once and keep quiet", runs: 10_000, secondsMax: 120 },
	overload: { does: "twice the load that can be borne, for so many seconds", runs: 10, secondsMax: 120 },
	replace: { does: "months replaced at so many requests a second", runs: 5_000, secondsMax: 300 },
	snapshots: { does: "months with damaged files", runs: 3_000, secondsMax: 600 },
	cost: { does: "what each request may cost, by kind of client, so many times", runs: 200, secondsMax: 900 },
	access: { does: "what a key sees of rows outside its grant", runs: 8_000, secondsMax: 300 },
	debian: { does: "the service on Debian 13, in a root that debootstrap makes", runs: 1, secondsMax: 1_200 },
	"demo-hosts": {
		does: "the demo of several hosts, one of which is killed, so many seconds long",
		runs: 20,
		secondsMax: 300,
	},
	"host-limits": {
		does: "limits of three hosts with 200 connections to each, in so many windows",
		runs: 50,
		secondsMax: 1_800,
	},
	rolling: {
		does: "hosts restarted and upgraded one by one behind HAProxy and nginx, for so many requests each",
		runs: 100_000,
		secondsMax: 1_800,
	},
	"stopped-host": {
		does: "a server stopped through the end of a window and a month's instant",
		runs: 1,
		secondsMax: 180,
	},
	storage: { does: "the database of keys failing under a server", runs: 200, secondsMax: 1_800 },
};

async function main([name, ...rest]: readonly string[]): Promise<number> {
	// Has flags and bounds of its own.
	if (name === "soak") return (await import("./soak/main.js")).soakCommand(rest);
	if (name === "hosts") return (await import("./hosts/main.js")).hostsCommand(rest);
	if (name === "grant-times") return (await import("./grant-times.js")).grantTimesCommand(rest);
	if (name === "hash-flood") return (await import("./hash-flood.js")).hashFloodCommand(rest);
	const scenario = name === undefined ? undefined : SCENARIOS[name];
	if (scenario === undefined) {
		for (const [known, { does, runs }] of Object.entries(SCENARIOS))
			console.error(`npm run chaos -- ${known.padEnd(12)} ${does} (--runs ${runs})`);
		console.error(
			"npm run chaos -- hash-flood   a drop of license numbers chosen to collide; --builder FILE",
		);
		console.error(
			"npm run chaos -- grant-times  what a value outside a grant takes; --data DIR, --state CODE",
		);
		console.error(
			"npm run chaos -- hosts        the same of three hosts with Redis and an object store; --help",
		);
		console.error("npm run chaos -- soak         an hour of checked load while everything happens; --help");
		return 2;
	}
	const args = [RUNNER, `chaos/${name}.test`, "--runs", String(scenario.runs), ...rest];
	const { status } = spawnSync(process.execPath, args, {
		stdio: "inherit",
		timeout: scenario.secondsMax * 1000,
	});
	return status ?? 1;
}

// One that failed may leave work behind that goes on.
process.exit(await main(process.argv.slice(2)));
