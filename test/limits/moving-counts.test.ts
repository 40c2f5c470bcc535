/**
 * Counts while something else happens to them: another thread moves them to the next window, another process has
 * begun it, a flush fails, a request is given back.
 */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { MOVING, SharedCounters, SLOT_WORDS, USAGE_BANKS, windowWord } from "../../server/limits/counters.js";
import { ENDPOINTS } from "../../server/limits/usage-codes.js";
import { DAY_MS, dayOf, MINUTE, MINUTE_MS } from "../../server/limits/windows.js";
import { NOON_MS, SetClock } from "../keys/scratch.js";
import { newKey, serve } from "./counting-server.js";

/** A server that has stored three requests of a new key and counted another. */
async function oneToStore(t: TestContext) {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	server.take(id, 3);
	await server.ledger.flush();
	server.take(id, 1);
	return { store, id, server };
}

test("a request that is given back is stored as given back", async (t) => {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	server.take(id, 3);
	await server.ledger.flush();
	server.limits.giveBack(server.keyNamed(id), "/v1/licenses", NOON_MS);
	await server.ledger.flush();
	assert.equal(store.counter(id)?.minute.count, 2);
	assert.equal(store.usage(id, dayOf(NOON_MS))[ENDPOINTS.indexOf("/v1/licenses")], 2);
});

test("usage stays readable where the clock was days ahead between counting a request and giving it back", async (t) => {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	const key = server.keyNamed(id);
	server.limits.take(key, "/v1/licenses", NOON_MS);
	server.limits.take(key, "/v1/licenses", NOON_MS + 2 * DAY_MS);
	server.limits.giveBack(key, "/v1/licenses", NOON_MS);
	await server.ledger.flush();
	assert.equal(store.usage(id, dayOf(NOON_MS))[ENDPOINTS.indexOf("/v1/licenses")] ?? 0, 0);
	server.take(id, 2);
	await server.ledger.flush();
	assert.equal(store.usage(id, dayOf(NOON_MS))[ENDPOINTS.indexOf("/v1/licenses")], 2);
});

test("counts of a flush that failed are stored by the next", async (t) => {
	const { store, id } = await newKey(t);
	let failures = 1;
	const failing = new Proxy(store, {
		get(target, name) {
			if (name === "flushCounts" && failures-- > 0) return async () => Promise.reject(new Error("disk full"));
			const value = Reflect.get(target, name, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
	const server = serve(failing, new SetClock());
	server.take(id, 3);
	await assert.rejects(server.ledger.flush(), /disk full/);
	assert.equal(store.counter(id), null);
	assert.equal(server.counters.storeFailing, true);
	await server.ledger.flush();
	assert.equal(store.counter(id)?.minute.count, 3);
	assert.equal(server.counters.storeFailing, false);
});

test("a count that another thread is moving to the next window is stored once it has been moved", async (t) => {
	const { store, id, server } = await oneToStore(t);
	const words = new Int32Array(server.counters.buffer);
	const at = server.keyNamed(id).slot * SLOT_WORDS + windowWord(MINUTE);
	const tag = words[at];
	words[at] = MOVING;
	await server.ledger.flush();
	const amid = store.counter(id);
	assert.deepEqual(amid?.minute, { window: tag - 1, count: 3 });
	assert.equal(amid?.day.count, 4);
	words[at] = tag;
	// Without another request: the slot was left for this flush.
	await server.ledger.flush();
	assert.deepEqual(store.counter(id)?.minute, { window: tag - 1, count: 4 });
});

const boundaryMs = Math.ceil(NOON_MS / MINUTE_MS) * MINUTE_MS;

test("a process whose clock is behind leaves the count of the window that another has begun", async (t) => {
	const { store, id } = await newKey(t);
	const ahead = serve(store, new SetClock(boundaryMs));
	const behind = serve(store, new SetClock(boundaryMs - 1));
	ahead.take(id, 5);
	await ahead.ledger.flush();
	behind.take(id, 2);
	await behind.ledger.flush();
	assert.deepEqual(store.counter(id)?.minute, { window: boundaryMs / MINUTE_MS, count: 5 });
	assert.equal(store.counter(id)?.day.count, 7);
});

test("counts of a window's last seconds are stored, and of an earlier window where the clock was far ahead", async (t) => {
	const { store, id } = await newKey(t);
	const [ahead, last, early] = [boundaryMs, boundaryMs - 1, boundaryMs - 30_000].map((nowMs) =>
		serve(store, new SetClock(nowMs)),
	);
	last.take(id, 3);
	await last.ledger.flush();
	const window = boundaryMs / MINUTE_MS - 1;
	assert.deepEqual(store.counter(id)?.minute, { window, count: 3 });
	ahead.take(id, 5);
	await ahead.ledger.flush();
	early.take(id, 2);
	await early.ledger.flush();
	assert.deepEqual(store.counter(id)?.minute, { window, count: 2 });
});

test("near the end of a window, the next one is shown where another thread has begun it", async (t) => {
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	const key = server.keyNamed(id);
	const usedAt = (nowMs: number) => server.limits.windows(key, nowMs)[0].used;
	server.limits.take(key, "/v1/licenses", boundaryMs);
	assert.deepEqual([usedAt(boundaryMs), usedAt(boundaryMs - 1), usedAt(boundaryMs - 10_000)], [1, 1, 0]);
	const resetAt = (nowMs: number) => server.limits.windows(key, nowMs)[0].resets_in_s;
	assert.deepEqual(
		[resetAt(boundaryMs), resetAt(boundaryMs - 1), resetAt(boundaryMs - 10_000)],
		[60, 61, 10],
	);
	assert.match(server.limits.peek(key, boundaryMs - 1).headers, /t=61\b/);
	assert.match(server.limits.peek(key, boundaryMs).headers, /t=60\b/);
});

test("counts of a window that has passed change nothing in the one that followed", () => {
	const counters = SharedCounters.allocate(64);
	const [slot, word] = [3, windowWord(MINUTE)];
	const used = (tag: number) => counters.look(slot, word, tag, false);
	assert.equal(counters.reserve(slot, word, 5, false, 10, 4), 4);
	counters.release(slot, word, 5, 5);
	assert.equal(used(5), 4, "no more than was reserved is released");
	counters.release(slot, word, 5, 1);
	assert.equal(used(5), 3);
	assert.equal(counters.reserve(slot, word, 6, false, 10, 2), 2);
	counters.release(slot, word, 5, 1);
	counters.addFromElsewhere(slot, word, 5, word + 1, 7);
	assert.deepEqual([used(5), used(6)], [0, 2]);
	counters.addFromElsewhere(slot, word, 6, word + 1, 7);
	assert.equal(used(6), 9);
	assert.equal(counters.reserve(slot, word, 6, false, 10, 2), -1);
	assert.equal(used(6), 9);
	counters.release(slot, word, 6, 9);
	assert.equal(used(6), 0, "all of it is released");
});

test("every slot that was counted in since the last flush is found, neighbours too", () => {
	const counters = SharedCounters.allocate(64);
	for (const slot of [3, 31, 5, 40, 3]) counters.markDirty(slot);
	assert.deepEqual(counters.takeDirty(), [3, 5, 31, 40]);
	assert.deepEqual(counters.takeDirty(), []);
});

test("errors are counted by slot and place, with the time of the last", () => {
	const counters = SharedCounters.allocate(64);
	counters.countError(2, 3, 100);
	counters.countError(2, 3, 107);
	counters.countError(2, 4, 105);
	assert.deepEqual(counters.errors(2, 3), { requests: 2, last_s: 107 });
	assert.deepEqual(counters.errors(2, 4), { requests: 1, last_s: 105 });
	assert.deepEqual(counters.errors(1, 3), { requests: 0, last_s: 0 });
});

test("a cell that a thread died moving does not hold up the others: it begins its window anew", () => {
	const counters = SharedCounters.allocate(64);
	const [slot, word] = [3, windowWord(MINUTE)];
	assert.equal(counters.reserve(slot, word, 5, false, 10, 4), 4);
	new Int32Array(counters.buffer)[slot * SLOT_WORDS + word] = MOVING;
	assert.equal(counters.reserve(slot, word, 5, false, 10, 2), 2);
});

test("usage that another thread is moving to the next day is stored once it has been moved", async (t) => {
	const { store, id, server } = await oneToStore(t);
	const words = new Int32Array(server.counters.buffer);
	const day = dayOf(NOON_MS);
	const at = server.keyNamed(id).slot * SLOT_WORDS + USAGE_BANKS[day & 1];
	const tag = words[at];
	words[at] = MOVING;
	await server.ledger.flush();
	const stored = (of: number) => store.usage(id, of)[ENDPOINTS.indexOf("/v1/licenses")] ?? 0;
	assert.deepEqual([stored(day), stored(MOVING - 1)], [3, 0]);
	words[at] = tag;
	await server.ledger.flush();
	assert.deepEqual([stored(day), stored(MOVING - 1)], [4, 0]);
});

test("a process that has counted nothing of a key leaves what others have stored of it", async (t) => {
	const { store, id } = await newKey(t);
	const idle = serve(store, new SetClock());
	const other = serve(store, new SetClock());
	other.take(id, 5);
	await other.ledger.flush();
	const before = store.counter(id);
	idle.counters.markDirty(idle.keyNamed(id).slot);
	await idle.ledger.flush();
	assert.deepEqual(store.counter(id), before);
	assert.equal(before?.minute.count, 5);
});

test("a closed ledger flushes no more", async (t) => {
	t.mock.timers.enable({ apis: ["setInterval"] });
	const { store, id } = await newKey(t);
	const server = serve(store, new SetClock());
	let flushes = 0;
	server.ledger.flush = async () => {
		flushes++;
	};
	server.ledger.start(assert.ifError);
	t.mock.timers.tick(60_000);
	const running = flushes;
	assert.ok(running > 0, "flushed while open");
	await server.ledger.close();
	assert.equal(flushes, running + 1, "a last flush");
	t.mock.timers.tick(60_000);
	assert.equal(flushes, running + 1);
	assert.equal(store.counter(id), null);
});

test("usage that another process has stored is taken over, endpoint by endpoint", async (t) => {
	const { store, id } = await newKey(t);
	const [here, there] = [serve(store, new SetClock()), serve(store, new SetClock())];
	there.take(id, 3, "/v1/licenses");
	there.take(id, 4, "/v1/states");
	await there.ledger.flush();
	here.take(id, 2, "/v1/licenses");
	here.take(id, 1, "/v1/stats");
	await here.ledger.flush();
	const words = new Int32Array(here.counters.buffer);
	const bank = here.keyNamed(id).slot * SLOT_WORDS + USAGE_BANKS[dayOf(NOON_MS) & 1];
	const used = ENDPOINTS.flatMap((name, code) => {
		const requests = words[bank + 1 + code];
		return requests === 0 ? [] : [[name, requests] as const];
	});
	assert.deepEqual(Object.fromEntries(used), { "/v1/licenses": 5, "/v1/states": 4, "/v1/stats": 1 });
	assert.equal(words[bank], dayOf(NOON_MS) + 1);
	await here.ledger.flush();
	assert.deepEqual(
		store
			.usage(id, dayOf(NOON_MS))
			.filter((requests) => requests > 0)
			.sort(),
		[1, 4, 5],
	);
});
