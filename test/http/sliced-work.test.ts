/** Answers that wait for work in slices: others are answered meanwhile, the work is shared, and it ends with its clients. */

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { PendingWork, type SlicedWork, type Snapshot } from "../../engine/index.js";
import { QUEUED_MAX, WORKS_MAX } from "../../server/api/bulk/sliced-works.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const PATH = "/v1/aggregate?by=member_postal_code,office_name";
/** Turns of some milliseconds. */
const TURNS_MAX = 2_000;

/** Work that goes on until it is released. */
class HeldWork {
	asked = 0;
	slices = 0;
	isReleased = false;
	/** Whether it is done or was abandoned. */
	hasEnded = false;

	/** Whether all who ask wait for one work; otherwise each for its own. */
	constructor(private readonly isShared: boolean) {}

	/** Puts it before the aggregates of `snapshot`; returns what takes it away. */
	holdBack({ groups }: Snapshot): () => void {
		const find = groups.aggregateInSlices;
		groups.aggregateInSlices = (...asked) => {
			this.asked++;
			const name = this.isShared ? "held" : `held ${this.asked}`;
			return this.isReleased ? find.apply(groups, asked) : new PendingWork(name, this.work(), true);
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

/** A client that has asked. It leaves by a reset: over node, one that closes its side still waits for the answer. */
function asking(port: number, path: string, key: string): Socket {
	const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
	const socket = connect(port, "127.0.0.1", () => socket.write(head));
	socket.on("error", () => undefined);
	return socket;
}

async function withHeldWork(
	served: ServedFixture,
	isShared: boolean,
	body: (held: HeldWork, key: string) => Promise<void>,
): Promise<void> {
	const key = await served.key();
	const held = new HeldWork(isShared);
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
		withHeldWork(served(), true, async (held, key) => {
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
		withHeldWork(served(), true, async (held, key) => {
			const clients = [0, 1].map(() => asking(served().port, `${PATH}&min_count=2`, key));
			await until(() => held.asked === 2 && held.slices > 0, "both have asked");
			clients[0].resetAndDestroy();
			const before = held.slices;
			await until(() => held.slices > before + 100, "the other one still waits");
			assert.equal(held.hasEnded, false);
			clients[1].resetAndDestroy();
			await until(() => held.hasEnded, "nobody waits");
			assert.equal(held.isReleased, false);
			const { headers } = await served().request("/v1/licenses?limit=1", key);
			const [limit, remaining] = ["ratelimit-limit", "ratelimit-remaining"].map((name) => headers.get(name));
			assert.equal(Number(limit) - Number(remaining), 3, "requests count though their clients left");
		}));

	test("are refused where too many wait, and say when to retry", () =>
		withHeldWork(served(), false, async (held, key) => {
			const most = WORKS_MAX + QUEUED_MAX;
			const keys = [key, await served().key()];
			const clients = Array.from({ length: most }, (_, i) =>
				asking(served().port, `${PATH}&min_count=${i + 3}`, keys[i % 2]),
			);
			await until(() => held.asked === most, "all have asked");
			const other = await served().key();
			const remaining = async () =>
				Number((await served().request("/v1/licenses?limit=1", other)).headers.get("ratelimit-remaining"));
			const before = await remaining();
			const refused = await served().request(`${PATH}&min_count=99`, other);
			assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [503, "unavailable"]);
			assert.equal(refused.headers.get("retry-after"), "1");
			assert.equal(Number(refused.headers.get("ratelimit-remaining")), before, "it is not counted");
			assert.equal(await remaining(), before - 1);
			for (const client of clients) client.resetAndDestroy();
		}));
});
