/** Changes that are composed between requests: in turns, once for all who ask, within bounds (server/api/bulk/changes-work.ts). */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeSet, PendingChanges, SlicedWork } from "../../engine/index.js";
import { ChangesWork } from "../../server/api/bulk/changes-work.js";
import { ApiError } from "../../server/api/errors.js";
import { RequestPending } from "../../server/request-pending.js";

const SLICES = 40;
const SLICE_MS = 1;

/** Work that takes time; counts its slices. */
function slowWork(done: { slices: number }, failure?: Error, takesMemory = true): PendingChanges {
	return { work: slices(done, failure), takesMemory };
}

function* slices(done: { slices: number }, failure?: Error): SlicedWork<ChangeSet> {
	for (; done.slices < SLICES; done.slices++) {
		const endMs = performance.now() + SLICE_MS;
		while (performance.now() < endMs);
		if (failure !== undefined && done.slices === 3) throw failure;
		yield;
	}
	return null as unknown as ChangeSet;
}

function pendingOf(take: () => never): RequestPending {
	try {
		return take();
	} catch (error) {
		if (error instanceof RequestPending) return error;
		throw error;
	}
}

test("other work of the thread goes on between turns, and all who ask wait for one work", async () => {
	const works = new ChangesWork();
	const done = { slices: 0 };
	const first = pendingOf(() => works.take("a", slowWork(done), 0));
	const other = { slices: 0 };
	const second = pendingOf(() => works.take("a", slowWork(other), 0));
	assert.equal(second.settled, first.settled);
	const seen = new Set<number>();
	let isSettled = false;
	const settled = first.settled.then(() => {
		isSettled = true;
	});
	while (!isSettled) {
		await new Promise((resolve) => setImmediate(resolve));
		seen.add(done.slices);
	}
	await settled;
	assert.deepEqual([done.slices, other.slices], [SLICES, 0]);
	// A turn is two milliseconds: two or three slices.
	assert.ok(seen.size >= SLICES / 4, `${seen.size} moments between turns`);
});

test("too many works at a time are refused, and there is room again when one has ended", async () => {
	const works = new ChangesWork();
	const pending = ["a", "b"].map((name) => pendingOf(() => works.take(name, slowWork({ slices: 0 }), 0)));
	assert.throws(
		() => works.take("c", slowWork({ slices: 0 }), 0),
		(error) => error instanceof ApiError && error.code === "unavailable",
	);
	// Opening a stored file takes no memory, and is not refused.
	const opened = pendingOf(() => works.take("d", slowWork({ slices: 0 }, undefined, false), 0));
	await Promise.all([...pending, opened].map(({ settled }) => settled));
	await pendingOf(() => works.take("c", slowWork({ slices: SLICES }), 0)).settled;
});

test("a failure is the answer of all who waited, and is forgotten a second later", async () => {
	const works = new ChangesWork();
	const failure = new Error("damaged");
	await pendingOf(() => works.take("a", slowWork({ slices: 0 }, failure), 0)).settled;
	for (const nowMs of [0, 999]) assert.throws(() => works.take("a", slowWork({ slices: 0 }), nowMs), failure);
	await pendingOf(() => works.take("a", slowWork({ slices: SLICES }), 1_000)).settled;
});
