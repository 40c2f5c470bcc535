/**
 * Months come and go under load: every answer is wholly from one snapshot, none fails, what is
 * published is served within a second, and the memory of what went is given back.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { restoreMonth, retireMonth } from "../../builder/months/retire.js";
import { monthRows } from "../http/drop-rows.js";
import { fixtureFolder } from "../http/served.js";
import { transportsHere } from "../http/transports.js";
import { largerMonthFolder } from "./large-month.js";
import { Client, keepAsking, limitlessKey, type Reply, ServerProcess } from "./server-process.js";

const SWAPS = 6;
const CLIENTS = 6;
/** Maximum time until a change of these small months is served: some 600 ms alone, several times as long beside other tests. */
const SERVED_WITHIN_MS = 5_000;
/** Longer than memory is collected after a month was taken out of service. */
const COLLECTED_WITHIN_MS = 7_000;

const page = z.object({
	data: z.array(z.object({ id: z.int(), snapshot: z.string() })),
	pagination: z.object({ total: z.int() }),
	meta: z.object({ snapshot: z.string() }),
});

const totals = new Map<string, number>(
	(["2026-10", "2026-11"] as const).map((month) => [month, monthRows(month).length]),
);

/** The month the answer is from; every part of it must be. */
function monthOf({ status, body }: Reply): string {
	assert.equal(status, 200, body);
	const { data, pagination, meta } = page.parse(JSON.parse(body));
	assert.ok(data.every((row) => row.snapshot === meta.snapshot));
	assert.equal(pagination.total, totals.get(meta.snapshot));
	assert.equal(data.length, Math.min(200, pagination.total));
	return meta.snapshot;
}

test("months are retired and restored under load without a failed or torn answer", async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const key = await limitlessKey(folder);
	const server = await ServerProcess.start(t, folder, "--workers", "2", "--log-level", "info");
	const seen = new Map<string, number>();
	const paths = ["/v1/licenses?limit=200", "/v1/licenses?limit=200&sort=member_full_name&order=desc"];
	let asked = 0;
	const load = keepAsking(
		t,
		server,
		key.text,
		CLIENTS,
		() => paths[asked++ % paths.length],
		(reply) => {
			const month = monthOf(reply);
			seen.set(month, (seen.get(month) ?? 0) + 1);
		},
	);
	const fresh = async (month: string, changedAtMs: number) => {
		// Enough new connections to meet both threads.
		for (;;) {
			const clients = Array.from({ length: 8 }, () => new Client(server.port, key.text));
			const months = await Promise.all(clients.map(async (client) => monthOf(await client.get(paths[0]))));
			for (const client of clients) client.close();
			if (months.every((found) => found === month)) return;
			const elapsedMs = performance.now() - changedAtMs;
			assert.ok(elapsedMs < SERVED_WITHIN_MS, `${month} is not served after ${elapsedMs} ms`);
			await delay(20);
		}
	};
	await delay(300);
	const residentBefore = server.residentBytes();
	for (let swap = 0; swap < SWAPS; swap++) {
		retireMonth(folder, "2026-11");
		await fresh("2026-10", performance.now());
		restoreMonth(folder, "2026-11");
		await fresh("2026-11", performance.now());
	}
	const mappedOf = () => server.mapped(folder).length;
	retireMonth(folder, "2026-11");
	await fresh("2026-10", performance.now());
	await load.stop();
	assert.deepEqual(load.broken, []);
	assert.ok((seen.get("2026-10") ?? 0) > 10 && (seen.get("2026-11") ?? 0) > 10);
	const retired = () => server.mapped(folder).filter((line) => line.includes("/retired/"));
	for (let i = 0; i < 100 && retired().length > 0; i++) await delay(100);
	t.diagnostic(
		`answers by month ${JSON.stringify([...seen])}, mapped ${mappedOf()}, ` +
			`resident ${residentBefore >> 20} then ${server.residentBytes() >> 20} MiB`,
	);
	assert.deepEqual(retired(), [], "maps of the retired month are released");
	assert.equal(await server.end("SIGTERM"), 0);
});

for (const transport of transportsHere("retired months and slow readers")) {
	test(`a retired month is released once its last reader has gone, over ${transport}`, async (t) => {
		const folder = await largerMonthFolder();
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		const { text: key } = await limitlessKey(folder, true);
		const server = await ServerProcess.start(t, folder, "--workers", "1", "--transport", transport);
		const reader = connect(server.port, "127.0.0.1");
		t.after(() => reader.destroy());
		const path = "/v1/licenses?cursor=*&limit=100000&format=ndjson";
		reader.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
		await once(reader, "readable");
		retireMonth(folder, "2026-11");
		await delay(COLLECTED_WITHIN_MS);
		const retired = () => server.mapped(folder).filter((line) => line.includes("/retired/"));
		assert.ok(retired().length > 0, "the answer in progress is read from it");
		reader.destroy();
		for (let i = 0; i < 100 && retired().length > 0; i++) await delay(100);
		assert.deepEqual(retired(), []);
	});
}
