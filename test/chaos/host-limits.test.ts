/**
 * Limits are exact over all hosts, and never exceeded while hosts die: real servers with two workers each, a real
 * Redis, and many connections.
 */

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { after, before, describe, test } from "node:test";
import { SHARES } from "../../server/shared-state/lease-script.js";
import { fuzzRuns } from "../oracle/seeded.js";
import type { ServerProcess } from "../serve/server-process.js";
import { get, hammer, hostFolder, makeKey, startHost, until } from "../shared-state/host-process.js";
import { REDIS_MISSING } from "../shared-state/redis-server.js";
import { sharedFixture } from "../shared-state/shared-fixture.js";

const HOSTS = 3;
const LIMIT = 500;
const BURST_MS = 300;

/** A lease is at most this, of a window that is untouched; what a host that dies may strand. */
const LEASE_MAX = Math.ceil(LIMIT / (SHARES * HOSTS));
const DAILY = { per_minute: null, per_day: LIMIT, monthly_quota: null };
/** Of a busy machine; shedding is not what is tested. */
const FLAGS = ["--workers", "2", "--shed-after-ms", "60000"];

interface Filled {
	passed: number;
	/** Statuses that neither pass nor refuse for the limit. */
	readonly others: string[];
}

const knows = ({ port }: ServerProcess, key: string) =>
	until(async () => (await get(port, "/v1/me", key)).status === 200, 5_000, "the key");

/** Sends bursts until every request is refused. */
async function fill(
	hosts: readonly ServerProcess[],
	key: string,
	connections: number,
	filled: Filled,
): Promise<Filled> {
	const ports = hosts.map(({ port }) => port);
	for (let last = 1; last > 0; filled.passed += last) {
		const outcomes = await hammer(ports, key, { connections, untilMs: Date.now() + BURST_MS });
		last = outcomes[200] ?? 0;
		filled.others.push(...Object.keys(outcomes).filter((status) => status !== "200" && status !== "429"));
	}
	return filled;
}

/**
 * Sends one request after the other to a host, and kills it after `passes` that passed, so that none is counted whose
 * answer is lost. Returns how many passed.
 */
async function fillUntilKilled(host: ServerProcess, key: string, passes: number): Promise<number> {
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	for (let i = 0; i < passes; i++) assert.equal((await get(host.port, "/v1/me", key, agent)).status, 200);
	await host.end("SIGKILL");
	agent.destroy();
	return passes;
}

describe("limits of hosts that share them", { skip: REDIS_MISSING }, () => {
	const shared = sharedFixture();
	const closers: (() => unknown)[] = [];
	/** Of all tests: a host takes longer to start than a window to fill. */
	const t = { after: (close: () => unknown) => void closers.push(close) };
	const start = (of: string) => startHost(t, of, shared.redis.url, ...FLAGS);
	let folders: string[] = [];
	let hosts: ServerProcess[] = [];
	/** A window each: the day of a key of its own. A host reads its folder's keys when it starts. */
	const windows = { alive: fuzzRuns(1), dying: Math.ceil(fuzzRuns(1) / 5) };
	const keys: string[] = [];

	before(async () => {
		folders = Array.from({ length: HOSTS }, () => hostFolder(t, shared.months));
		for (let i = 0; i < windows.alive + windows.dying; i++)
			keys.push((await makeKey(folders[0], { rate_limits: DAILY })).text);
		hosts = await Promise.all(folders.map(start));
	});
	after(async () => {
		for (const host of hosts) host.child.kill("SIGTERM");
		for (const close of closers) await close();
	});

	test("hosts under load let through exactly the limit together, window after window", async (t) => {
		const connections = windows.alive > 1 ? 200 : 20;
		const inexact: string[] = [];
		for (const [i, text] of keys.slice(0, windows.alive).entries()) {
			for (const host of hosts) await knows(host, text);
			const { passed, others } = await fill(hosts, text, connections, { passed: HOSTS, others: [] });
			if (passed !== LIMIT || others.length > 0)
				inexact.push(`window ${i}: ${passed} of ${LIMIT}, ${others}`);
		}
		t.diagnostic(
			`${windows.alive} windows, ${HOSTS} hosts, ${connections} connections to each: ${inexact.length} inexact`,
		);
		assert.deepEqual(inexact, []);
	});

	test("never more than the limit passes while a host dies, and at most one lease of it is stranded", async (t) => {
		const connections = windows.dying > 1 ? 200 : 20;
		const wrong: string[] = [];
		let strandedMost = 0;
		for (const [i, text] of keys.slice(windows.alive).entries()) {
			for (const host of hosts) await knows(host, text);
			const dying = i % HOSTS;
			const before = await fillUntilKilled(hosts[dying], text, 20 + 10 * i);
			const others = hosts.filter((_, at) => at !== dying);
			const filled = await fill(others, text, connections, { passed: HOSTS + before, others: [] });
			const stranded = LIMIT - filled.passed;
			strandedMost = Math.max(strandedMost, stranded);
			if (stranded < 0 || stranded > LEASE_MAX || filled.others.length > 0)
				wrong.push(`window ${i}: ${filled.passed} of ${LIMIT}, ${filled.others}`);
			hosts[dying] = await start(folders[dying]);
		}
		t.diagnostic(
			`${windows.dying} windows with a host dying: ${wrong.length} wrong, at most ${strandedMost} requests stranded, a lease is ${LEASE_MAX}`,
		);
		assert.deepEqual(wrong, []);
	});
});
