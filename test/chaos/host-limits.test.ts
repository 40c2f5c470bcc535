/** Limits are exact over all hosts: real servers with two workers each, a real Redis, and many connections. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fuzzRuns } from "../oracle/seeded.js";
import { get, hammer, hostFolder, makeKey, startHost, until } from "../shared-state/host-process.js";
import { REDIS_MISSING } from "../shared-state/redis-server.js";
import { sharedFixture } from "../shared-state/shared-fixture.js";

const HOSTS = 3;
const LIMIT = 500;
const BURST_MS = 1_000;

/** Asks until every request is refused. Returns how many passed, and statuses that are neither. */
async function fill(
	ports: readonly number[],
	key: string,
	connections: number,
): Promise<{ passed: number; others: string[] }> {
	for (const port of ports)
		await until(async () => (await get(port, "/v1/me", key)).status === 200, 5_000, "the key");
	const others: string[] = [];
	let passed = ports.length;
	for (let last = 1; last > 0; passed += last) {
		const outcomes = await hammer(ports, key, { connections, untilMs: Date.now() + BURST_MS });
		last = outcomes[200] ?? 0;
		others.push(...Object.keys(outcomes).filter((status) => status !== "200" && status !== "429"));
	}
	return { passed, others };
}

describe("limits of hosts that share them", { skip: REDIS_MISSING }, () => {
	const shared = sharedFixture();

	test("hosts under load let through exactly the limit together, window after window", async (t) => {
		// A window each: the day of a key of its own.
		const windows = fuzzRuns(1);
		const connections = windows > 1 ? 200 : 20;
		const folders = Array.from({ length: HOSTS }, () => hostFolder(t, shared.months));
		const limits = { per_minute: null, per_day: LIMIT, monthly_quota: null };
		const keys = [];
		for (let i = 0; i < windows; i++) keys.push(await makeKey(folders[0], { rate_limits: limits }));
		const hosts = await Promise.all(
			folders.map((folder) => startHost(t, folder, shared.redis.url, "--workers", "2")),
		);
		const ports = hosts.map(({ port }) => port);
		const inexact: string[] = [];
		for (const [i, { text }] of keys.entries()) {
			const { passed, others } = await fill(ports, text, connections);
			if (passed !== LIMIT || others.length > 0)
				inexact.push(`window ${i}: ${passed} of ${LIMIT}, ${others}`);
		}
		t.diagnostic(
			`${windows} windows, ${HOSTS} hosts, ${connections} connections to each: ${inexact.length} inexact`,
		);
		assert.deepEqual(inexact, []);
		for (const host of hosts) host.child.kill("SIGTERM");
	});
});
