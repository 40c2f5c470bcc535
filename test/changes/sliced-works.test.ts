/** Work that answers wait for: in turns, once for all who ask, while somebody waits, within bounds (server/api/bulk/sliced-works.ts). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingWork, type SlicedWork } from "../../engine/index.js";
import { KEY_QUEUED_MAX, QUEUED_MAX, SlicedWorks, WORKS_MAX } from "../../server/api/bulk/sliced-works.js";
import { ApiError } from "../../server/api/errors.js";
import { RequestPending } from "../../server/request-pending.js";

const SLICES = 40;
const SLICE_MS = 1;
/** For works whose failures are not looked at. */
const STOPPED = { now: () => 0 };

interface Progress {
	slices: number;
	/** Whether it is done or was abandoned. */
	ended?: boolean;
}

/** Work that takes time; counts its slices. */
function slowWork(name: string, done: Progress, failure?: Error, takesMemory = true): PendingWork {
	return new PendingWork(name, slices(done, failure), takesMemory);
}

function* slices(done: Progress, failure?: Error): SlicedWork<void> {
	try {
		while (done.slices < SLICES) {
			const endMs = performance.now() + SLICE_MS;
			while (performance.now() < endMs);
			if (failure !== undefined && done.slices === 3) throw failure;
			done.slices++;
			yield;
		}
	} finally {
		done.ended = true;
	}
}

function pendingOf(works: SlicedWorks, pending: PendingWork, keyId = "key"): RequestPending {
	try {
		works.result(() => pending, keyId);
	} catch (error) {
		if (error instanceof RequestPending) return error;
		throw error;
	}
	throw new TypeError("work has no result at once");
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const isRefusal = (error: unknown) => error instanceof ApiError && error.code === "unavailable";

test("a result that needs no work is returned", () => {
	assert.equal(
		new SlicedWorks(STOPPED).result(() => 7, "key"),
		7,
	);
});

test("other work of the thread goes on between turns, and all who ask wait for one work", async () => {
	const works = new SlicedWorks(STOPPED);
	const done: Progress = { slices: 0 };
	const first = pendingOf(works, slowWork("a", done));
	const other: Progress = { slices: 0 };
	const second = pendingOf(works, slowWork("a", other));
	assert.equal(second.settled, first.settled);
	const seen = new Set<number>();
	let isSettled = false;
	const settled = first.settled.then(() => {
		isSettled = true;
	});
	while (!isSettled) {
		await turn();
		seen.add(done.slices);
	}
	await settled;
	assert.deepEqual([done.slices, other.slices], [SLICES, 0]);
	// A turn is two milliseconds, or up to ten where the machine was busy otherwise.
	assert.ok(seen.size >= SLICES / 10, `${seen.size} moments between turns`);
});

test("work beside requests that take long gets longer turns, so that it does not wait for as many of them", async (t) => {
	let nowMs = 0;
	t.mock.method(performance, "now", () => nowMs);
	function* work(): SlicedWork<void> {
		for (let slice = 1; slice < SLICES; slice++) {
			nowMs += SLICE_MS;
			yield;
		}
		nowMs += SLICE_MS;
	}
	const turnsBeside = async (requestMs: number): Promise<number> => {
		let isSettled = false;
		const { settled } = pendingOf(new SlicedWorks(STOPPED), new PendingWork("a", work(), true));
		void settled.then(() => {
			isSettled = true;
		});
		let turns = 0;
		for (; !isSettled; turns++) {
			nowMs += requestMs;
			await turn();
		}
		return turns;
	};
	assert.equal(await turnsBeside(0), SLICES / 2);
	assert.equal(await turnsBeside(12), SLICES / 4);
	assert.equal(await turnsBeside(1_000), SLICES / 10);
});

test("several works take turns: one of them works between two requests", async () => {
	const works = new SlicedWorks(STOPPED);
	const all: Progress[] = Array.from({ length: 6 }, () => ({ slices: 0 }));
	const pending = all.map((done, i) => pendingOf(works, slowWork(`${i}`, done, undefined, false)));
	for (let i = 0; i < all.length; i++) {
		const before = all.filter(({ slices }) => slices > 0).length;
		await turn();
		assert.equal(all.filter(({ slices }) => slices > 0).length, before + 1);
	}
	await Promise.all(pending.map(({ settled }) => settled));
	assert.deepEqual(
		all.map(({ slices }) => slices),
		all.map(() => SLICES),
	);
});

test("works that take memory are queued, too many are refused, and there is room again when one has ended", async () => {
	const works = new SlicedWorks(STOPPED);
	const done: Progress[] = Array.from({ length: WORKS_MAX + QUEUED_MAX }, () => ({ slices: SLICES - 2 }));
	const pending = done.map((each, i) => pendingOf(works, slowWork(`${i}`, each), `key ${i % 2}`));
	assert.throws(() => works.result(() => slowWork("one too many", { slices: 0 }), "key"), isRefusal);
	const again = pendingOf(works, slowWork(`${WORKS_MAX}`, { slices: 0 }));
	assert.equal(again.settled, pending[WORKS_MAX].settled, "who asks for queued work waits for it");
	for (let i = 0; i < WORKS_MAX; i++) await turn();
	assert.equal(done.filter(({ slices }) => slices > SLICES - 2).length, WORKS_MAX);
	// Opening a stored file takes no memory, and is neither refused nor queued.
	const opened = pendingOf(works, slowWork("opened", { slices: SLICES - 2 }, undefined, false));
	await Promise.all([...pending, opened].map(({ settled }) => settled));
	assert.deepEqual(
		done.map(({ slices }) => slices),
		done.map(() => SLICES),
	);
	await pendingOf(works, slowWork("one too many", { slices: SLICES })).settled;
});

test("work ends when all who wait for it have disconnected, and not before", async () => {
	const works = new SlicedWorks(STOPPED);
	const done: Progress = { slices: 0 };
	const gone = [false, false];
	const settled = gone.map((_, i) => pendingOf(works, slowWork("a", done)).settledFor(() => gone[i]));
	gone[0] = true;
	for (let i = 0; i < 3; i++) await turn();
	const before = done.slices;
	assert.ok(before > 0 && before < SLICES);
	gone[1] = true;
	await Promise.all(settled);
	assert.deepEqual(done, { slices: before, ended: true });
	const anew: Progress = { slices: 0 };
	await pendingOf(works, slowWork("a", anew)).settled;
	assert.equal(anew.slices, SLICES);
});

test("works of one key leave room in the queue for those of others", async () => {
	const works = new SlicedWorks(STOPPED);
	const ask = (name: string, keyId: string) => pendingOf(works, slowWork(name, { slices: SLICES }), keyId);
	const pending = Array.from({ length: WORKS_MAX + KEY_QUEUED_MAX }, (_, i) => ask(`${i}`, "greedy"));
	assert.throws(() => ask("one too many", "greedy"), isRefusal);
	const abandoned = pending[WORKS_MAX].settledFor(() => true);
	pending.push(ask("of another key", "other"), ask("in place of one that nobody waits for", "greedy"));
	await Promise.all([...pending.map(({ settled }) => settled), abandoned]);
	await ask("later", "greedy").settled;
});

test("queued works that nobody waits for make room", async () => {
	const works = new SlicedWorks(STOPPED);
	const pending = Array.from({ length: WORKS_MAX + QUEUED_MAX }, (_, i) =>
		pendingOf(works, slowWork(`${i}`, { slices: SLICES }), `key ${i % 2}`),
	);
	const abandoned = pending[WORKS_MAX + 1].settledFor(() => true);
	const added = pendingOf(works, slowWork("added", { slices: SLICES }));
	await Promise.all([...pending, added].map(({ settled }) => settled).concat(abandoned));
});

test("a failure is the answer of all who waited, and is forgotten a second after it", async () => {
	let nowMs = 0;
	const works = new SlicedWorks({ now: () => nowMs });
	const failure = new Error("damaged");
	const { settled } = pendingOf(works, slowWork("a", { slices: 0 }, failure));
	// Queued and worked on for longer than failures are kept.
	nowMs = 5_000;
	await settled;
	for (const sinceMs of [0, 999]) {
		nowMs = 5_000 + sinceMs;
		assert.throws(() => works.result(() => slowWork("a", { slices: 0 }), "key"), failure);
	}
	nowMs = 6_000;
	await pendingOf(works, slowWork("a", { slices: SLICES })).settled;
});
