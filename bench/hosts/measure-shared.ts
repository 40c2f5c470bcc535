/**
 * The cost of sharing limits on one core: the time to count a request against its key's limits, alone and with
 * leases, in alternating rounds in one process, and the number of commands to the shared store. Runs against an
 * existing store.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SYSTEM_CLOCK } from "../../server/clock.js";
import type { Key } from "../../server/keys/key.js";
import { createKey, revokeKey } from "../../server/keys/lifecycle.js";
import { createLog } from "../../server/log.js";
import { type Access, openAccess } from "../../server/open-access.js";
import { TIMERS } from "../../server/scheduler.js";
import { parseSharedAddress } from "../../server/shared-state/address.js";
import { HostLeases } from "../../server/shared-state/host-leases.js";
import { SharedState } from "../../server/shared-state/shared-state.js";
import { type Percentiles, percentiles } from "../measure/samples.js";

const ROUNDS = 7;
const REQUESTS_PER_ROUND = 200_000;
const REVOCATIONS = 100;

export interface SharedFigures {
	/** Medians over {@link ROUNDS} interleaved rounds, in nanoseconds per request. */
	readonly aloneNs: number;
	readonly sharedNs: number;
	/** Exchanges per request, of a key in constant use, and of a rarely used one. */
	readonly commandsPerBusyRequest: number;
	readonly commandsPerRareRequest: number;
	/** Time from a revocation on one host to its effect on another, in milliseconds. */
	readonly revocationMs: Percentiles;
}

interface BenchHost {
	readonly access: Access;
	readonly shared: SharedState | null;
	close(): Promise<void>;
}

async function openHost(url: string | null): Promise<BenchHost> {
	const dataFolder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
	const log = createLog("silent");
	const leases = url === null ? null : new HostLeases(true);
	const access = openAccess({
		dataFolder,
		clock: SYSTEM_CLOCK,
		onError: (error) => log.error(error),
		...(leases === null ? {} : { leases: leases.line }),
	});
	const shared =
		leases === null || url === null || access.outbox === null
			? null
			: await SharedState.open({
					address: parseSharedAddress(url),
					store: access.store,
					words: leases.words,
					outbox: access.outbox,
					keyOf: (slot) => access.keyOfSlot(slot),
					says: () => ({ name: "bench" }),
					clock: SYSTEM_CLOCK,
					scheduler: TIMERS,
					log,
					keysStaleAfterMs: 0,
					flush: () => access.settle(),
				});
	if (shared !== null) leases?.connect(shared);
	return {
		access,
		shared,
		async close() {
			await shared?.close();
			await access.close();
			rmSync(dataFolder, { recursive: true, force: true });
		},
	};
}

/** Creates a key and waits until every host has it. */
async function newKey(
	hosts: readonly BenchHost[],
	per_minute: number,
): Promise<{ id: string; text: string }> {
	const scope = { geography: null, columns: null, history: { mode: "all" } } as const;
	const rate_limits = { per_minute, per_day: null, monthly_quota: null };
	const request = { tier: "production", name: "bench", scope, rate_limits } as const;
	const { record, text } = await createKey(hosts[0].access.store, request, actor());
	for (const host of hosts) while (keyOn(host, text) === null) await pause(5);
	return { id: record.id, text };
}

const actor = () => ({ by: "bench", nowMs: Date.now() });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function keyOn({ access }: BenchHost, text: string): Key | null {
	const found = access.authenticator.authenticate({ authorization: null, xApiKey: text }, Date.now());
	return found.ok ? found.key : null;
}

/** Counts requests, letting the event loop turn as a server does. Returns nanoseconds per request. */
async function count({ access }: BenchHost, key: Key, requests: number): Promise<number> {
	let spentMs = 0;
	for (let left = requests; left > 0; ) {
		const batch = Math.min(left, 500);
		const begunMs = performance.now();
		for (let i = 0; i < batch; i++) {
			const decision = access.limits.take(key, "/v1/me", Date.now());
			if (decision.allowed) continue;
			if (decision.code !== "pending") throw new Error(`the benchmark met a limit: ${decision.code}`);
			spentMs -= await timed(decision.settled);
			i--;
		}
		spentMs += performance.now() - begunMs;
		left -= batch;
		await new Promise((resolve) => setImmediate(resolve));
	}
	return (spentMs * 1e6) / requests;
}

async function timed(waited: Promise<void>): Promise<number> {
	const begunMs = performance.now();
	await waited;
	return performance.now() - begunMs;
}

/** Measures with a shared store that nothing else uses. */
export async function measureShared(url: string): Promise<SharedFigures> {
	const [alone, here, there] = [await openHost(null), await openHost(url), await openHost(url)];
	try {
		const keys = await Promise.all([newKey([alone], 1e9), newKey([here, there], 1e9), newKey([here], 600)]);
		const onAlone = keyOn(alone, keys[0].text) as Key;
		const busy = keyOn(here, keys[1].text) as Key;
		const rounds: { alone: number; shared: number }[] = [];
		await count(here, busy, REQUESTS_PER_ROUND);
		const before = here.shared?.status.exchanges ?? 0;
		const ofAlone = () => count(alone, onAlone, REQUESTS_PER_ROUND);
		const ofShared = () => count(here, busy, REQUESTS_PER_ROUND);
		for (let i = 0; i < ROUNDS; i++) {
			// The first side alternates, so that a trend of the machine favours neither.
			if (i % 2 === 0) rounds.push({ alone: await ofAlone(), shared: await ofShared() });
			else {
				const shared = await ofShared();
				rounds.push({ alone: await ofAlone(), shared });
			}
		}
		const busyExchanges = (here.shared?.status.exchanges ?? 0) - before;
		// Until the idle lease of the busy key has been returned.
		await pause(2_500);
		const rare = keyOn(here, keys[2].text) as Key;
		const rareBefore = here.shared?.status.exchanges ?? 0;
		for (let i = 0; i < 3; i++) {
			await count(here, rare, 1);
			await pause(4_500);
		}
		const rareExchanges = (here.shared?.status.exchanges ?? 0) - rareBefore;
		return {
			aloneNs: median(rounds.map((round) => round.alone)),
			sharedNs: median(rounds.map((round) => round.shared)),
			commandsPerBusyRequest: busyExchanges / (ROUNDS * REQUESTS_PER_ROUND),
			commandsPerRareRequest: rareExchanges / 3,
			revocationMs: await revocations(here, there),
		};
	} finally {
		for (const host of [alone, here, there]) await host.close();
	}
}

async function revocations(here: BenchHost, there: BenchHost): Promise<Percentiles> {
	const tookMs: number[] = [];
	for (let i = 0; i < REVOCATIONS; i++) {
		const { id, text } = await newKey([here, there], 600);
		await revokeKey(here.access.store, id, actor());
		const begunMs = performance.now();
		while (keyOn(there, text) !== null) await pause(2);
		tookMs.push(performance.now() - begunMs);
	}
	return percentiles(tookMs);
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[values.length >> 1];
}
