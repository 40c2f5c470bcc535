/**
 * Counts between memory and the store: across restarts, between processes, by day, and when writing
 * fails.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyDirectory } from "../../server/keys/directory.js";
import { USAGE_DAYS_KEPT } from "../../server/limits/ledger.js";
import { ENDPOINTS } from "../../server/limits/usage-codes.js";
import { DAY_MS, dayOf, MINUTE_MS } from "../../server/limits/windows.js";
import { openAccess } from "../../server/open-access.js";
import { StoreError } from "../../server/store/errors.js";
import { addKey, NOON_MS, SetClock, scratchFolder, scratchStore } from "../keys/scratch.js";
import { newKey, serve } from "./counting-server.js";

test("codes of endpoints are frozen", () => {
	assert.deepEqual(ENDPOINTS, [
		"/v1/me",
		"/v1/usage",
		"/v1/snapshots",
		"/v1/states",
		"/v1/stats",
		"/v1/suggest",
		"/v1/licenses",
		"/v1/licenses/{id}",
		"/v1/licenses/history",
		"/mcp",
		"other",
		"/v1/changes",
		"/v1/aggregate",
		"/v1/verify",
		"/v1/offices",
		"/v1/exports",
		"/v1/exports/{snapshot}/{file}",
	]);
});

test("limits are exact across restarts, in every window", async (t) => {
	const { store, id } = await newKey(t);
	const clock = new SetClock();
	const first = serve(store, clock);
	assert.equal(first.take(id, 30), 30);
	await first.ledger.close();
	const second = serve(store, clock);
	assert.equal(second.take(id, 100), 20);
	await second.ledger.close();
	clock.nowMs += MINUTE_MS;
	const third = serve(store, clock);
	assert.equal(third.take(id, 100), 30);
	await third.ledger.close();
	clock.nowMs += DAY_MS;
	const fourth = serve(store, clock);
	assert.equal(fourth.take(id, 100), 10);
	assert.deepEqual(fourth.limits.quota(fourth.keyNamed(id), clock.now()), {
		limit: 90,
		used: 90,
		resets_at: "2026-12-01T00:00:00.000Z",
	});
	await fourth.ledger.close();
	clock.nowMs = Date.UTC(2026, 11, 1);
	assert.equal(serve(store, clock).take(id, 100), 50);
});

test("a flush stores the counts since the last, and nothing where there are none", async (t) => {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	await server.ledger.flush();
	assert.equal(store.counter(id), null);
	server.take(id, 3);
	await server.ledger.flush();
	const counter = store.counter(id);
	assert.deepEqual([counter?.minute.count, counter?.day.count, counter?.month.count], [3, 3, 3]);
	assert.equal(counter?.last_used, Math.floor(NOON_MS / 1_000));
	server.take(id, 4);
	await Promise.all([server.ledger.flush(), server.ledger.flush(), server.ledger.flush()]);
	assert.equal(store.counter(id)?.month.count, 7);
	assert.equal(store.usage(id, dayOf(NOON_MS))[ENDPOINTS.indexOf("/v1/licenses")], 7);
});

test("usage has each day and endpoint, days without requests as 0", async (t) => {
	const { store, id } = await newKey(t);
	const clock = new SetClock(NOON_MS - 3 * DAY_MS);
	const server = serve(store, clock);
	server.take(id, 2, "/v1/states");
	await server.ledger.flush();
	clock.nowMs += 2 * DAY_MS;
	server.take(id, 5);
	await server.ledger.flush();
	clock.nowMs += DAY_MS;
	server.take(id, 1, "/mcp");
	const expected = {
		days: 4,
		from: "2026-11-18",
		to: "2026-11-21",
		total: 8,
		by_day: [
			{ date: "2026-11-18", requests: 2 },
			{ date: "2026-11-19", requests: 0 },
			{ date: "2026-11-20", requests: 5 },
			{ date: "2026-11-21", requests: 1 },
		],
		by_endpoint: [
			{ endpoint: "/v1/licenses", requests: 5 },
			{ endpoint: "/v1/states", requests: 2 },
			{ endpoint: "/mcp", requests: 1 },
		],
	};
	assert.deepEqual(server.usage.usage(id, 4, clock.now()), expected, "before the flush");
	await server.ledger.flush();
	assert.deepEqual(server.usage.usage(id, 4, clock.now()), expected, "after the flush");
	await server.ledger.close();
	assert.deepEqual(serve(store, clock).usage.usage(id, 4, clock.now()), expected, "after a restart");
	const today = server.usage.usage(id, 1, clock.now());
	assert.deepEqual([today.from, today.to, today.total], ["2026-11-21", "2026-11-21", 1]);
});

test("a refused request is not in the usage", async (t) => {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	server.take(id, 200);
	assert.equal(server.usage.usage(id, 1, NOON_MS).total, 50);
	await server.ledger.close();
	assert.equal(store.counter(id)?.month.count, 50);
});

test("requests on both sides of midnight count towards their own day", async (t) => {
	const { store, id } = await newKey(t);
	const midnight = Date.UTC(2026, 10, 22);
	const clock = new SetClock(midnight - 1);
	const server = serve(store, clock);
	server.take(id, 3);
	clock.nowMs = midnight;
	server.take(id, 4);
	clock.nowMs = midnight - 1;
	server.take(id, 1);
	await server.ledger.flush();
	assert.deepEqual(
		server.usage.usage(id, 2, midnight).by_day.map((d) => d.requests),
		[4, 4],
	);
});

test("counts of two servers over one store add up, and each reads the other's", async (t) => {
	const { store, id } = await newKey(t);
	const clock = new SetClock();
	const one = serve(store, clock);
	const other = serve(store, clock);
	one.take(id, 20);
	other.take(id, 25);
	await one.ledger.flush();
	await other.ledger.flush();
	assert.equal(store.counter(id)?.month.count, 45);
	assert.equal(other.usage.usage(id, 1, NOON_MS).total, 45);
	assert.equal(other.take(id, 100), 5);
	await other.ledger.flush();
	assert.equal(one.take(id, 1), 1);
	await one.ledger.flush();
	assert.equal(one.take(id, 100), 0);
	assert.equal(store.counter(id)?.minute.count, 51);
	assert.deepEqual(one.usage.usage(id, 1, NOON_MS), other.usage.usage(id, 1, NOON_MS));
});

test("a failed flush loses nothing: the next one includes it", async (t) => {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	server.take(id, 5);
	const flushCounts = store.flushCounts;
	store.flushCounts = () => Promise.reject(new StoreError("write_failed", store.path, "no space"));
	await assert.rejects(
		server.ledger.flush(),
		(error) => error instanceof StoreError && error.code === "write_failed",
	);
	server.take(id, 2);
	store.flushCounts = flushCounts;
	await server.ledger.flush();
	assert.equal(store.counter(id)?.month.count, 7);
	assert.equal(server.usage.usage(id, 1, NOON_MS).total, 7);
});

test("while flushes fail they are tried less often, and as often as before once one succeeds", async (t) => {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	const { flushCounts } = store;
	let failures = 0;
	store.flushCounts = () => Promise.reject(new StoreError("write_failed", store.path, "no space"));
	server.take(id, 5);
	server.ledger.start(() => failures++);
	t.after(() => server.ledger.close());
	await sleep(2_000);
	assert.ok(failures >= 2 && failures <= 4, `${failures} flushes failed in 2 seconds`);
	store.flushCounts = flushCounts;
	while (store.generation() >= 0 && store.counter(id) === null) await sleep(10);
	server.take(id, 1);
	await sleep(1_000);
	assert.equal(store.generation() >= 0 && store.counter(id)?.month.count, 6);
});

test("expired usage is pruned once a day", async (t) => {
	const { store, id } = await newKey(t);
	const clock = new SetClock();
	const server = serve(store, clock);
	const firstDay = dayOf(NOON_MS);
	server.take(id, 1);
	await server.ledger.flush();
	clock.nowMs += (USAGE_DAYS_KEPT - 1) * DAY_MS;
	await server.ledger.flush();
	assert.equal(store.usageOfDay(firstDay).length, 1);
	assert.equal(server.usage.usage(id, USAGE_DAYS_KEPT, clock.now()).total, 1);
	clock.nowMs += DAY_MS;
	await server.ledger.flush();
	assert.equal(store.usageOfDay(firstDay).length, 0);
});

test("counts of a key that the writer does not know yet wait until it does", async (t) => {
	const store = scratchStore(t);
	const clock = new SetClock();
	const server = serve(store, clock);
	const { id } = (await addKey(store)).record;
	const worker = new KeyDirectory(store);
	const key = worker.find(id);
	assert.ok(key !== undefined);
	server.limits.take(key, "/v1/me", NOON_MS);
	await server.ledger.flush();
	assert.equal(store.counter(id), null);
	server.directory.refresh();
	await server.ledger.flush();
	assert.equal(store.counter(id)?.month.count, 1);
});

test("counts are flushed at intervals, and closing stores the rest", async (t) => {
	const dataFolder = scratchFolder(t);
	const store = scratchStore(t, dataFolder);
	const { id, hash } = (await addKey(store)).record;
	const errors: unknown[] = [];
	const clock = new SetClock();
	const access = openAccess({ dataFolder, clock, onError: (error) => errors.push(error) });
	assert.equal(access.fault(), null);
	const key = new KeyDirectory(store).find(id);
	assert.ok(key !== undefined && hash.length === 64);
	access.limits.take(key, "/v1/me", NOON_MS);
	const startMs = performance.now();
	while (store.generation() >= 0 && store.counter(id) === null) {
		assert.ok(performance.now() - startMs < 2_000, "not flushed");
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	access.limits.take(key, "/v1/me", NOON_MS);
	await access.close();
	assert.equal(store.generation() >= 0 && store.counter(id)?.month.count, 2);
	assert.deepEqual(errors, []);
});
