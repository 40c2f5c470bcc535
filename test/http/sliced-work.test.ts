/** Answers that wait for work in slices: others are answered meanwhile, the work is shared, and it ends with its clients. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { PendingWork, type SlicedWork, type Snapshot } from "../../engine/index.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const PATH = "/v1/aggregate?by=member_postal_code,office_name";
const TURNS_MAX = 100_000;

/** Work that goes on until it is released. */
class HeldWork {
	asked = 0;
	slices = 0;
	isReleased = false;
	/** Whether it is done or was abandoned. */
	hasEnded = false;

	/** Puts it before the aggregates of `snapshot`; returns what takes it away. */
	holdBack({ groups }: Snapshot): () => void {
		const find = groups.aggregateInSlices;
		groups.aggregateInSlices = (...asked) => {
			this.asked++;
			return this.isReleased ? find.apply(groups, asked) : new PendingWork("held", this.work(), true);
		};
		return () => {
			groups.aggregateInSlices = find;
		};
	}

	private *work(): SlicedWork<void> {
		try {
			for (; !this.isReleased; this.slices++) yield;
		} finally {
			this.hasEnded = true;
		}
	}
}

/** Resolves once `isSo`, a bounded number of turns of this thread later. */
async function until(isSo: () => boolean, what: string): Promise<void> {
	for (let turns = 0; !isSo(); turns++) {
		assert.ok(turns < TURNS_MAX, what);
		await turn();
	}
}

async function withHeldWork(
	served: ServedFixture,
	body: (held: HeldWork, key: string) => Promise<void>,
): Promise<void> {
	const key = await served.key();
	const held = new HeldWork();
	const letGo = held.holdBack(served.app.library.latest as Snapshot);
	try {
		await body(held, key);
	} finally {
		held.isReleased = true;
		letGo();
	}
}

overBothTransports("answers that wait for work", (served) => {
	test("share it, and others are answered between its slices", () =>
		withHeldWork(served(), async (held, key) => {
			const waiting = [served().request(PATH, key), served().request(PATH, key)];
			await until(() => held.asked === 2 && held.slices > 0, "both have asked");
			const before = held.slices;
			const other = await served().request("/v1/licenses?limit=1", key);
			assert.equal(other.status, 200);
			assert.ok(held.slices > before, "the work goes on meanwhile");
			assert.equal(held.hasEnded, false);
			held.isReleased = true;
			const [first, second] = await Promise.all(waiting);
			assert.deepEqual([first.status, second.status, second.text], [200, 200, first.text]);
			const again = await served().request(PATH, key);
			assert.equal(again.text, first.text);
		}));

	test("end it when all their clients have disconnected", () =>
		withHeldWork(served(), async (held, key) => {
			const clients = [new AbortController(), new AbortController()];
			const path = `${PATH}&min_count=2`;
			const waiting = clients.map(({ signal }) =>
				fetch(`http://127.0.0.1:${served().port}${path}`, {
					signal,
					headers: { authorization: `Bearer ${key}` },
				}).then(
					() => "answered",
					() => "aborted",
				),
			);
			await until(() => held.asked === 2 && held.slices > 0, "both have asked");
			clients[0].abort();
			assert.equal(await waiting[0], "aborted");
			const before = held.slices;
			await until(() => held.slices > before + 100, "the other one still waits");
			assert.equal(held.hasEnded, false);
			clients[1].abort();
			await until(() => held.hasEnded, "nobody waits");
			assert.equal(await waiting[1], "aborted");
			assert.equal(held.isReleased, false);
		}));
});
