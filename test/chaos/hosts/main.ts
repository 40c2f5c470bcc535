/**
 * `npm run chaos -- hosts`: several hosts of one service under load while hosts, Redis, the object store, months and
 * keys fail and change at random. Every answer is judged, and at the end the limits and the usage. It ends at once
 * where a host ends by itself, or by SIGTERM, SIGINT and SIGHUP, and with it all that it has started.
 *
 * Exit code 0 where every promise held, 1 where one did not or a program is missing, 2 for a usage error, 128 and
 * the number of the signal where one stopped it. The program that calls it must exit then.
 */

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { SWIFT_MISSING } from "../../object-store/swift-store.js";
import { Draw } from "../../oracle/draw.js";
import { REDIS_MISSING } from "../../shared-state/redis-server.js";
import { whyNot } from "../proxy/proxy-process.js";
import { Cluster } from "./cluster.js";
import { HostsEvents } from "./events.js";
import { HostsLoad, type LoadKeys } from "./load.js";
import { Readiness } from "./readiness.js";
import { type HostsPromise, Resources } from "./resources.js";
import { RunScope } from "./run-scope.js";

interface Flags {
	readonly minutes: number;
	readonly hosts: number;
	readonly workers: number;
	readonly seed: number;
	readonly limit: number;
	readonly logs?: string;
}

/** At the end of each so many milliseconds nothing begins for so long, so that whole minutes are undisturbed. */
const CALM_EVERY_MS = 900_000;
const CALM_MS = 210_000;
/** Each kind of event happens in a run of so many minutes. */
const ALL_EVENTS_MINUTES = 12;
/** Message of a host's log. */
const THREAD_DIED = "a serving thread died and is replaced";
/** How long usage may take to the shared store after the last request. */
const SETTLE_MS = 3_000;

function whole(text: string): number {
	if (!/^\d{1,9}$/.test(text) || Number(text) === 0)
		throw new InvalidArgumentError("must be a whole number above 0");
	return Number(text);
}

const program = new Command("hosts")
	.description("checked load on several hosts while everything happens to them and to what they share")
	.option("--minutes <n>", "how long", whole, 60)
	.option("--hosts <n>", "hosts", whole, 3)
	.option("--workers <n>", "serving threads of each", whole, 2)
	.option("--limit <n>", "requests a minute of the limited key", whole, 600)
	.option(
		"--logs <folder>",
		"where the hosts' logs are kept; without it, of a run in which one ended by itself",
	)
	.option("--seed <n>", "seed of what happens; times on the machine are not repeated", whole, 20_261_122)
	.exitOverride();

/** Runs the soak as `argv` says. Resolves to the exit code. */
export async function hostsCommand(argv: readonly string[]): Promise<number> {
	const missing = [SWIFT_MISSING, REDIS_MISSING, whyNot("haproxy")].filter(
		(reason) => typeof reason === "string",
	);
	if (missing.length > 0) {
		process.stderr.write(`hosts: ${missing.join("; ")}\n`);
		return 1;
	}
	const scope = new RunScope();
	try {
		const flags = program.parse(argv, { from: "user" }).opts<Flags>();
		const { promises, events } = await Promise.race([runHosts(flags, scope), stopped()]);
		for (const [name, count] of events) process.stdout.write(`${String(count).padStart(5)}  ${name}\n`);
		for (const { promise, held, found } of promises)
			process.stdout.write(`${held ? "held    " : "NOT HELD"}  ${promise}: ${found}\n`);
		return promises.every(({ held }) => held) ? 0 : 1;
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
		if (error instanceof Stopped) {
			process.stderr.write(`hosts: ${error.message}\n`);
			return 128 + constants.signals[error.signal];
		}
		process.stderr.write(`hosts: ${(error as Error).stack}\n`);
		return 1;
	} finally {
		scope.end();
	}
}

class Stopped extends Error {
	constructor(readonly signal: "SIGTERM" | "SIGINT" | "SIGHUP") {
		super(`stopped by ${signal}`);
	}
}

/** Rejects at a signal that ends the run, whatever that waits for. */
function stopped(): Promise<never> {
	return new Promise((_, reject) => {
		for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
			process.on(signal, () => reject(new Stopped(signal)));
	});
}

/** What was promised, and how often each event happened. */
interface Outcome {
	readonly promises: HostsPromise[];
	readonly events: ReadonlyMap<string, number>;
}

async function runHosts(flags: Flags, scope: RunScope): Promise<Outcome> {
	const begunMs = performance.now();
	const told = (text: string) =>
		process.stderr.write(`[${((performance.now() - begunMs) / 1000).toFixed(1)} s] ${text}\n`);
	const cluster = await Cluster.start(flags.hosts, flags.workers, told);
	const keys = await makeKeys(cluster, flags.limit);
	const readiness = Readiness.watch(cluster, told);
	const load = new HostsLoad(cluster, keys, () => readiness.noneMs, told);
	try {
		return await Promise.race([soak(flags, { cluster, keys, load, readiness, told }), cluster.crashed]);
	} catch (error) {
		const folder = flags.logs ?? mkdtempSync(join(scope.outside, "rollcall-hosts-logs-"));
		keepLogs(cluster, folder);
		told(`the hosts' logs are in ${folder}; what they wrote to standard error is above`);
		throw error;
	}
}

interface Run {
	readonly cluster: Cluster;
	readonly keys: LoadKeys;
	readonly load: HostsLoad;
	readonly readiness: Readiness;
	readonly told: (text: string) => void;
}

async function soak(flags: Flags, { cluster, keys, load, readiness, told }: Run): Promise<Outcome> {
	const startedMs = performance.now();
	const draws = new Draw(flags.seed);
	const events = new HostsEvents({
		cluster,
		load,
		draw: (below) => draws.below(below),
		freezeSecondsMax: Math.min(60, 10 * flags.minutes),
		calm: () => isCalm(performance.now() - startedMs, flags.minutes * 60_000),
		told,
	});
	const resources = Resources.watch(cluster);
	load.start();
	events.start();
	await delay(flags.minutes * 60_000);
	told("ending");
	await events.stop();
	await load.stop();
	readiness.stop();
	if (flags.logs !== undefined) keepLogs(cluster, flags.logs);
	await delay(SETTLE_MS);
	const promises = [
		...judgeEvents(events.counts, flags.minutes),
		...judgeLoad(load, keys),
		...(await judgeUsage(cluster, load, keys)),
		...(await resources.judge()),
		judgeThreads(cluster),
	];
	for (const host of cluster.hosts) await cluster.endHost(host, "SIGTERM");
	return { promises, events: events.counts };
}

/** Writes what each process of a host logged, as lines of JSON. */
function keepLogs({ hosts }: Cluster, folder: string): void {
	mkdirSync(folder, { recursive: true });
	hosts.forEach(({ logs }, i) => {
		const text = logs
			.flat()
			.map((line) => `${JSON.stringify(line)}\n`)
			.join("");
		writeFileSync(join(folder, `host-${i}.jsonl`), text);
	});
}

function isCalm(sinceMs: number, lengthMs: number): boolean {
	const everyMs = Math.min(CALM_EVERY_MS, lengthMs);
	// A short run has no time for it.
	return everyMs >= 2 * CALM_MS && sinceMs % everyMs > everyMs - CALM_MS;
}

async function makeKeys(cluster: Cluster, limit: number): Promise<LoadKeys> {
	const create = async (...flags: string[]) => {
		const { id, key } = await cluster.keys("create", "--tier", "enterprise", "--history", "all", ...flags);
		return { id, key };
	};
	return {
		open: await create("--name", "open", "--per-minute", "1000000000"),
		limited: await create("--name", "limited", "--per-minute", String(limit), "--monthly-quota", "100000000"),
		limit,
	};
}

/** In a run of some length each kind of event must have happened. */
function judgeEvents(counts: ReadonlyMap<string, number>, minutes: number): HostsPromise[] {
	const never = [...counts].filter(([, count]) => count === 0).map(([name]) => name);
	const held = never.length === 0;
	return minutes < ALL_EVENTS_MINUTES
		? []
		: [{ promise: "each kind of event happened", held, found: never.join(", ") || "all" }];
}

function judgeLoad(load: HostsLoad, { limit }: LoadKeys): HostsPromise[] {
	// The first minute and the last are not whole.
	const minutes = [...load.minutes.entries()].sort(([a], [b]) => a - b).slice(1, -1);
	const judged = minutes.filter(([, { lost }]) => !lost);
	const over = judged.filter(([, { admitted }]) => admitted > limit);
	const quiet = minutes.filter(([, minute], i) => !minute.disturbed && !minutes[i - 1]?.[1].disturbed);
	// What began in the minute before may have been counted in this one.
	const passed = quiet.map(
		([at, { admitted, across }]) => admitted + across + (load.minutes.get(at - 1)?.across ?? 0),
	);
	const inexact = passed.filter((count) => count < limit);
	const most = Math.max(0, ...judged.map(([, { admitted }]) => admitted));
	const { counts, answered } = load;
	const none = (promise: string, count: number, of: string): HostsPromise => ({
		promise,
		held: count === 0 && answered > 0,
		found: `${count} ${of}`,
	});
	return [
		none("every answer is of a month that is live", counts.wrong, `wrong of ${answered}`),
		none("no answer is of an older month after a newer one", counts.backward, `backward of ${answered}`),
		none("every request through HAProxy is answered", counts.failed, `failed of ${answered}`),
		none("a revoked key is not served after a second", counts.served, "served"),
		none("the limited key gets 200, 429 or 503", counts.limited, "others"),
		none("what happens ends as it should", counts.event, "did not"),
		{
			promise: `never more than ${limit} requests a minute on all hosts`,
			held: over.length === 0,
			found: `${over.length} of ${judged.length} minutes over, ${most} at most; ${minutes.length - judged.length} minutes left out, in which a host was killed and then Redis lost everything`,
		},
		{
			promise: "exactly the limit in minutes in which nothing happened",
			held: inexact.length === 0,
			found: `${inexact.length} of ${quiet.length} below; ${inexact.join(", ")}`,
		},
	];
}

/** A thread that dies is replaced by its host, which logs it. */
function judgeThreads({ hosts }: Cluster): HostsPromise {
	const lines = hosts.flatMap(({ logs }) => logs.flat());
	const died = lines.filter(({ msg }) => msg === THREAD_DIED).length;
	return { promise: "no serving thread of a host dies", held: died === 0, found: `${died} died` };
}

/** Holds the usage that the shared store has against what clients saw. */
async function judgeUsage({ redis }: Cluster, load: HostsLoad, keys: LoadKeys): Promise<HostsPromise[]> {
	const today = Math.floor(Date.now() / 86_400_000);
	const stored = { open: 0, limited: 0 };
	for (const day of [today - 1, today]) {
		const fields = (await redis.call("HGETALL", `rollcall:1:{shared}:usage:${day}`)) as string[];
		for (let i = 0; i + 1 < fields.length; i += 2)
			for (const key of ["open", "limited"] as const)
				if (fields[i].startsWith(`${keys[key].id}/`)) stored[key] += Number(fields[i + 1]);
	}
	return (["open", "limited"] as const).map((key) => {
		const { [key]: counted } = load.acknowledged;
		const least = counted - load.losable[key];
		const most = counted + load.unknown[key];
		return {
			promise: `usage of the ${key} key is what was answered`,
			held: stored[key] >= least && stored[key] <= most,
			found: `${stored[key]} stored, ${counted} answered, ${load.losable[key]} losable by kills, ${load.unknown[key]} unknown`,
		};
	});
}
