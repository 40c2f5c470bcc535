/**
 * Hosts behind the shipped proxy files are restarted one by one while clients ask, and no request fails; nor where a
 * restart is an upgrade, after which a host serves the month in the next version of the format.
 */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
	FORMAT_VERSION,
	OLDEST_READABLE_VERSION,
	SNAPSHOTS_FOLDER,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import type { HostPorts } from "../../server/demo-hosts/proxy-file.js";
import { freePort } from "../free-port.js";
import { fuzzRuns } from "../oracle/seeded.js";
import type { ServerProcess } from "../serve/server-process.js";
import { get, makeKey, startHost, until } from "../shared-state/host-process.js";
import { REDIS_MISSING, RedisServer } from "../shared-state/redis-server.js";
import { PROXIES, ProxyProcess, whyNot } from "./proxy/proxy-process.js";

const COMPAT = fileURLToPath(new URL("../../../test/compat/", import.meta.url));
const MONTH = "2026-11";
/** The newest two adjacent versions of the format that were made of one drop. */
const [OLDER, NEWER] = adjacentVersions();
const CONNECTIONS = 8;
/** Of a run of many requests, which otherwise waits between requests most of the time. */
const MANY_CONNECTIONS = 24;
const MANY_REQUESTS = 10_000;
/** Between two requests of a connection: the processor is the hosts', which start all the time. */
const PAUSE_MS = 30;
/** How long a proxy may take until it uses a host again: HAProxy two checks, nginx 2 s after the last failure. */
const USED_AGAIN_MS_MAX = 30_000;

/** What every host answers alike, whatever version its month has: rows by columns that all versions have. */
const PATHS = [
	"/v1/licenses?limit=100&sort=member_last_name&fields=id,state,member_full_name,office_name,member_license_status",
	"/v1/licenses?state=CA&fields=id,member_city",
	"/v1/licenses?last_name=s&sort=member_license_expires&fields=id,member_last_name,member_license_expires",
	"/v1/stats",
	"/v1/me",
];

function adjacentVersions(): [number, number] {
	const dropOf = (version: number) => readFileSync(join(COMPAT, `v${version}`, "drop.csv"), "utf8");
	for (let version = FORMAT_VERSION; version > OLDEST_READABLE_VERSION; version--)
		if (dropOf(version) === dropOf(version - 1)) return [version - 1, version];
	throw new Error("no two adjacent versions were made of one drop");
}

interface HostPlace extends HostPorts {
	readonly folder: string;
}

/** Puts the month of a version of the format in a host's folder; the host does not run. */
function install(folder: string, version: number): void {
	const target = snapshotFolder(folder, MONTH);
	rmSync(target, { recursive: true, force: true });
	cpSync(join(COMPAT, `v${version}`, SNAPSHOTS_FOLDER, MONTH), `${target}.new`, { recursive: true });
	renameSync(`${target}.new`, target);
	assert.equal(SnapshotFiles.open(target).version, version);
}

async function place(t: TestContext, version: number): Promise<HostPlace> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-rolling-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	install(folder, version);
	return { folder, port: await freePort(), adminPort: await freePort() };
}

function start(
	t: TestContext,
	redis: RedisServer,
	{ folder, port, adminPort }: HostPlace,
): Promise<ServerProcess> {
	const ports = ["--port", String(port), "--admin-port", String(adminPort)];
	// On a busy machine a host would shed requests, which is not what is tested.
	return startHost(t, folder, redis.url, "--workers", "1", "--shed-after-ms", "60000", ...ports);
}

/** One GET through the proxy's TLS. Rejects where the connection fails. */
function ask(
	port: number,
	path: string,
	key: string,
	agent: Agent,
): Promise<{ status: number; body: string }> {
	return new Promise((resolve, reject) => {
		const headers = { Authorization: `Bearer ${key}`, Host: "rollcall.example" };
		request({ host: "127.0.0.1", port, path, agent, headers }, (response) => {
			let body = "";
			response.setEncoding("utf8").on("data", (text: string) => {
				body += text;
			});
			response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
			response.once("error", reject);
		})
			.once("error", reject)
			.end();
	});
}

/** Answers, and what was wrong with some. */
interface Load {
	running: boolean;
	answered: number;
	readonly wrong: string[];
}

/** Asks over `connections` while `load.running`, and compares rows with those of the first answers. */
async function keepAsking(port: number, key: string, connections: number, load: Load): Promise<void> {
	const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
	const rows = new Map<string, string>();
	/** Bodies whose rows were compared: most are the same to the byte. */
	const compared = new Map<string, string>();
	const client = async (_: unknown, i: number) => {
		for (let n = i; load.running; n++) {
			const path = PATHS[n % PATHS.length];
			const { status, body } = await ask(port, path, key, agent).catch((error: Error) => ({
				status: 0,
				body: error.message,
			}));
			load.answered++;
			await delay(PAUSE_MS);
			if (status !== 200) load.wrong.push(`${path}: ${status} ${body.slice(0, 80)}`);
			else if (path.startsWith("/v1/licenses") && compared.get(path) !== body) {
				compared.set(path, body);
				const data = JSON.stringify(JSON.parse(body).data);
				const known = rows.get(path) ?? data;
				rows.set(path, known);
				if (data !== known) load.wrong.push(`${path}: other rows than before`);
			}
		}
	};
	await Promise.all(Array.from({ length: connections }, client));
	agent.destroy();
}

/** Whether the host answered clients since its start. */
async function isUsed({ adminPort }: HostPlace): Promise<boolean> {
	const metrics = (await get(adminPort, "/metrics", "").catch(() => null))?.body ?? "";
	return /^rollcall_requests_total\{endpoint="\/v1\/licenses",status="200"\} [1-9]/m.test(metrics);
}

/** Restarts each host in turn, until so many requests were answered. Returns the number of restarts. */
async function roll(
	t: TestContext,
	redis: RedisServer,
	places: readonly HostPlace[],
	hosts: ServerProcess[],
	load: Load,
	requests: number,
	upgrade: (place: HostPlace) => void,
): Promise<number> {
	let restarts = 0;
	do {
		for (const [i, host] of places.entries()) {
			assert.equal(await hosts[i].end("SIGTERM"), 0, "the host ends in order");
			upgrade(host);
			hosts[i] = await start(t, redis, host);
			const ready = async () => (await get(host.adminPort, "/readyz", "").catch(() => null))?.status === 200;
			await until(ready, 15_000, "readiness");
			await until(() => isUsed(host), USED_AGAIN_MS_MAX, "use by the proxy");
			restarts++;
		}
	} while (load.answered < requests && load.wrong.length === 0);
	return restarts;
}

// Side by side, since most of their time is spent in waiting.
describe("a rolling restart", { concurrency: true }, () => {
	for (const name of PROXIES)
		test(`no request through ${name} fails while hosts are restarted and upgraded one by one`, {
			skip: REDIS_MISSING || (whyNot(name) ?? false),
		}, async (t) => {
			const requests = fuzzRuns(200);
			const redis = await RedisServer.start();
			t.after(() => redis.close());
			const places = [await place(t, OLDER), await place(t, OLDER)];
			const key = await makeKey(places[0].folder, { rate_limits: { per_minute: null, per_day: null } });
			const hosts = await Promise.all(places.map((host) => start(t, redis, host)));
			for (const { port } of places) {
				const known = async () => (await get(port, "/v1/me", key.text)).status === 200;
				await until(known, 10_000, "the key on every host");
			}
			const proxy = await ProxyProcess.start(name, places);
			t.after(() => proxy.close());
			const load: Load = { running: true, answered: 0, wrong: [] };
			const asking = keepAsking(
				proxy.port,
				key.text,
				requests < MANY_REQUESTS ? CONNECTIONS : MANY_CONNECTIONS,
				load,
			);
			let restarts = 0;
			try {
				restarts = await roll(t, redis, places, hosts, load, requests, ({ folder }) =>
					install(folder, NEWER),
				);
			} finally {
				load.running = false;
				await asking;
			}
			t.diagnostic(`${name}: ${load.answered} requests, ${restarts} restarts, ${load.wrong.length} failed`);
			assert.deepEqual(load.wrong.slice(0, 20), []);
			assert.ok(load.answered >= requests, `${load.answered} requests`);
		});
});
