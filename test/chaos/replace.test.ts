/**
 * A month is replaced by `build --replace` while a server answers at a constant rate: no request fails, and every
 * answer is wholly from one version of the month. `npm run chaos -- replace` does it at 5,000 requests a second.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pruneMonth } from "../../builder/months/retire.js";
import { builderFolder, csv, stateRows } from "../builder/builder-process.js";
import { transportsHere } from "../http/transports.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { limitlessKey, ServerProcess } from "../serve/server-process.js";
import { AskingConnection, getRequest } from "./load/asking-connection.js";
import { tellTimes } from "./load/probe.js";

/** Requests a second. */
const RATE = fuzzRuns(300);
const ON_REQUEST = process.env.ROLLCALL_FUZZ_RUNS !== undefined;
const REPLACEMENTS = ON_REQUEST ? 5 : 1;
const CONNECTIONS = 64;
const TICK_MS = 5;
const MONTH = "2026-11";
/** Rows of the first version; each has one more than the one before. */
const ROWS = 120;
const PATHS = [
	"/v1/licenses?fields=id,office_name&limit=20",
	"/v1/licenses?fields=office_name&limit=90&page=2",
];

/** A drop whose rows all name their version. */
function drop(version: number): string {
	return csv(stateRows("CA", ROWS + version).map((row) => ({ ...row, office_name: `Version ${version}` })));
}

/** What was answered. */
class Tally {
	readonly versions = new Map<number, number>();
	readonly wrong: string[] = [];
	/** Milliseconds from when a request was due to its answer. */
	readonly times: number[] = [];
	broken = 0;

	take(status: number, body: string, sinceMs: number): void {
		this.times.push(performance.now() - sinceMs);
		const version = status === 200 ? versionOf(body) : null;
		if (version === null) this.wrong.push(`${status} ${body.slice(0, 200)}`);
		else this.versions.set(version, (this.versions.get(version) ?? 0) + 1);
	}
}

/** The version that every part of an answer is of; null where there is none. */
function versionOf(body: string): number | null {
	const { data, pagination } = JSON.parse(body) as {
		data: { office_name: string }[];
		pagination: { total: number };
	};
	const version = pagination.total - ROWS;
	return data.length > 0 && data.every((row) => row.office_name === `Version ${version}`) ? version : null;
}

/** Asks at the rate until `stop`; requests that find no idle connection wait for one. */
function askSteadily(port: number, key: string, tally: Tally) {
	const requests = PATHS.map((path) => getRequest(path, key));
	const idle = Array.from({ length: CONNECTIONS }, () => new AskingConnection(port));
	const all = [...idle];
	const due: number[] = [];
	const startedMs = performance.now();
	let sent = 0;
	let isStopped = false;
	const ask = (connection: AskingConnection, sinceMs: number) =>
		connection.ask(requests[tally.times.length % requests.length], ({ status, body }) => {
			if (isStopped) return;
			if (status === 0) {
				tally.broken++;
				return;
			}
			tally.take(status, body, sinceMs);
			idle.push(connection);
		});
	const timer = setInterval(() => {
		const owed = Math.floor(((performance.now() - startedMs) / 1_000) * RATE);
		for (; sent < owed; sent++) due.push(startedMs + (sent / RATE) * 1_000);
		while (due.length > 0 && idle.length > 0) ask(idle.shift() as AskingConnection, due.shift() as number);
	}, TICK_MS);
	return {
		async stop(): Promise<number> {
			clearInterval(timer);
			const seconds = (performance.now() - startedMs) / 1_000;
			for (let i = 0; i < 100 && idle.length < all.length; i++) await delay(20);
			isStopped = true;
			for (const connection of all) connection.close();
			return tally.times.length / seconds;
		},
	};
}

for (const transport of transportsHere("replacing a month under load")) {
	test(`a month is replaced under load without a failed or mixed answer, over ${transport}`, async (t) => {
		const builder = builderFolder(t);
		const { data } = builder;
		const build = (version: number, ...flags: string[]) =>
			builder.json("build", builder.write(`v-${MONTH}.csv`, drop(version)), "--accept", "all", ...flags);
		await build(0);
		const key = (await limitlessKey(data)).text;
		const server = await ServerProcess.start(t, data, "--transport", transport, "--workers", "1");
		const tally = new Tally();
		const load = askSteadily(server.port, key, tally);
		await delay(200);
		for (let version = 1; version <= REPLACEMENTS; version++) {
			await build(version, "--replace");
			const replacedMs = performance.now();
			while (!tally.versions.has(version)) {
				assert.ok(performance.now() - replacedMs < 10_000, `version ${version} is served`);
				await delay(10);
			}
			pruneMonth(data, MONTH);
		}
		await delay(200);
		const rate = await load.stop();
		const times = tally.times.sort((a, b) => a - b);
		const versions = [...tally.versions].sort(([a], [b]) => a - b);
		t.diagnostic(
			`${transport}: ${RATE} requests/s asked, ${rate.toFixed(0)} answered, ${REPLACEMENTS} replacements, ` +
				`answers by version ${JSON.stringify(versions)}, ${tally.wrong.length} failed or mixed, ` +
				`${tally.broken} broken (${tellTimes(times)})`,
		);
		assert.deepEqual(tally.wrong.slice(0, 3), []);
		assert.equal(tally.broken, 0);
		assert.equal(versions.length, REPLACEMENTS + 1, "every version was served");
		assert.equal(await server.end("SIGTERM"), 0);
	});
}
