/** Months are prepared a slice at a time between other events, then changed in one step at a later poll, by all threads at the same. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { OpenedPublications, POLL_NUMBERS } from "../../server/months/opened-publications.js";
import { Reloading } from "../../server/months/reloading.js";

/** Between polls. */
const INTERVAL_MS = 200;
/** From finding something to prepare to reloading. */
const POLLS_MAX = 4;

interface Rig {
	readonly events: string[];
	/** By reload, whether something was prepared for it. */
	readonly wasPrepared: boolean[];
	readonly reloading: Reloading;
	isOver: boolean;
}

interface RigOptions {
	/** Ends what is to be prepared. */
	readonly fault?: Error;
	/** What the second slice waits for. */
	readonly wait?: Promise<void>;
	/** The thread's number, of those of `publications`. */
	readonly thread?: number;
	readonly publications?: OpenedPublications;
	readonly clock?: { nowMs: number };
}

/** What is to be prepared takes `slices`, once. */
function rig(slices: number, options: RigOptions = {}): Rig {
	const { fault, wait, thread = 0, publications, clock = { nowMs: 0 } } = options;
	const events: string[] = [];
	let left = slices;
	function* prepare() {
		while (left > 0) {
			events.push(`slice ${slices - --left}`);
			yield left === slices - 1 ? wait : undefined;
		}
		if (fault !== undefined) throw fault;
	}
	const made: Rig = {
		events,
		wasPrepared: [],
		isOver: false,
		reloading: new Reloading({
			prepare,
			pollsMax: POLLS_MAX,
			reload: (wasPrepared) => {
				events.push("reload");
				made.wasPrepared.push(wasPrepared);
			},
			onFault: (error) => events.push(String(error)),
			isOver: () => made.isOver,
			thread: publications === undefined ? null : { publications, thread },
			clock: { now: () => clock.nowMs },
		}),
	};
	return made;
}

async function turns(count: number): Promise<void> {
	for (let i = 0; i < count; i++) await nextTurn();
}

test("without anything to prepare it reloads at once", () => {
	const { reloading, events } = rig(0);
	reloading.poll();
	assert.deepEqual(events, ["reload"]);
	assert.equal(reloading.isPreparing, false);
});

test("the reload is told whether something was prepared for it, also in part", async () => {
	for (const [slices, expected] of [
		[0, false],
		[1, true],
		[100, true],
	] as const) {
		const { reloading, wasPrepared } = rig(slices);
		for (let polls = 0; polls <= POLLS_MAX && wasPrepared.length === 0; polls++) {
			reloading.poll();
			await turns(2);
		}
		assert.deepEqual(wasPrepared, [expected], `${slices} slices`);
	}
});

test("one slice a turn; polls meanwhile do nothing, the first one after the last slice reloads", async () => {
	const { reloading, events } = rig(3);
	reloading.poll();
	reloading.poll();
	assert.deepEqual(events, ["slice 1"]);
	assert.equal(reloading.isPreparing, true);
	await turns(1);
	reloading.poll();
	assert.deepEqual(events, ["slice 1", "slice 2"]);
	await turns(5);
	assert.deepEqual(events, ["slice 1", "slice 2", "slice 3"]);
	assert.equal(reloading.isPreparing, false);
	reloading.poll();
	assert.deepEqual(events.slice(3), ["reload"]);
	reloading.poll();
	assert.deepEqual(events.slice(3), ["reload", "reload"], "it polls as before");
});

test("a slice is not followed by the next before what it waits for", async () => {
	let go = () => {};
	const wait = new Promise<void>((resolve) => {
		go = resolve;
	});
	const { reloading, events } = rig(2, { wait });
	reloading.poll();
	await turns(20);
	assert.deepEqual(events, ["slice 1"]);
	go();
	await turns(3);
	assert.deepEqual(events, ["slice 1", "slice 2"]);
});

test("a preparation that takes long is given up at the last poll of those it has, which reloads", async () => {
	const { reloading, events } = rig(100);
	reloading.poll();
	for (let count = 1; count < POLLS_MAX; count++) {
		await turns(1);
		reloading.poll();
		assert.ok(!events.includes("reload"), `${count} polls meanwhile`);
	}
	await turns(1);
	reloading.poll();
	assert.equal(events.at(-1), "reload");
	await turns(10);
	assert.equal(reloading.isPreparing, false);
	assert.ok(events.length < 10, "the rest is not prepared");
	assert.equal(events.filter((event) => event === "reload").length, 1);
});

test("threads reload at the same poll, however long each prepares and whichever polls first", async () => {
	// Numbers of polls wrap around meanwhile.
	const clock = { nowMs: (POLL_NUMBERS - 2) * INTERVAL_MS };
	const publications = OpenedPublications.allocate(2);
	const quick = rig(1, { publications, thread: 0, clock });
	let go = () => {};
	const wait = new Promise<void>((resolve) => {
		go = resolve;
	});
	const slow = rig(1, { publications, thread: 1, wait, clock });
	quick.reloading.poll();
	await turns(3);
	clock.nowMs += INTERVAL_MS;
	// The slow thread finds it a poll later.
	quick.reloading.poll();
	slow.reloading.poll();
	assert.deepEqual(quick.events, ["slice 1"]);
	await turns(3);
	clock.nowMs += INTERVAL_MS;
	slow.reloading.poll();
	go();
	await turns(3);
	// Its turns are long: what was prepared meanwhile was not at this poll.
	clock.nowMs += INTERVAL_MS / 2;
	quick.reloading.poll();
	assert.deepEqual(quick.events, ["slice 1"], "the other was not ready at this poll");
	clock.nowMs += INTERVAL_MS / 2;
	quick.reloading.poll();
	slow.reloading.poll();
	assert.deepEqual(quick.events, ["slice 1", "reload"]);
	assert.deepEqual(slow.events, ["slice 1", "reload"]);
});

test("threads reload at the same poll where one became ready shortly before an earlier one", async () => {
	const clock = { nowMs: 0 };
	const publications = OpenedPublications.allocate(2);
	let go = () => {};
	const wait = new Promise<void>((resolve) => {
		go = resolve;
	});
	const rigs = [0, 1].map((thread) =>
		rig(1, { publications, thread, clock, ...(thread === 0 ? { wait } : {}) }),
	);
	const pollAt = (nowMs: number) => {
		clock.nowMs = nowMs;
		for (const { reloading } of rigs) reloading.poll();
		return rigs.map(({ events }) => events.includes("reload"));
	};
	pollAt(0);
	await turns(3);
	pollAt(INTERVAL_MS);
	clock.nowMs = 2 * INTERVAL_MS - 30;
	go();
	await turns(3);
	assert.deepEqual(pollAt(2 * INTERVAL_MS), [false, false]);
	assert.deepEqual(pollAt(3 * INTERVAL_MS), [true, true]);
});

test("a thread does not wait for one that ended while it prepared, nor longer than its polls", async () => {
	const clock = { nowMs: 0 };
	const publications = OpenedPublications.allocate(2);
	const polls = (of: Rig, count: number) => {
		for (let i = 0; i < count; i++) {
			clock.nowMs += INTERVAL_MS;
			of.reloading.poll();
		}
	};
	const stays = rig(1, { publications, thread: 0, clock });
	const hangs = rig(1, { publications, thread: 1, wait: new Promise(() => {}), clock });
	stays.reloading.poll();
	hangs.reloading.poll();
	await turns(3);
	polls(stays, POLLS_MAX - 1);
	assert.deepEqual(stays.events, ["slice 1"]);
	polls(stays, 1);
	assert.deepEqual(stays.events, ["slice 1", "reload"]);
	const next = rig(1, { publications, thread: 0, clock });
	publications.ended(1);
	next.reloading.poll();
	await turns(3);
	polls(next, 2);
	assert.deepEqual(next.events, ["slice 1", "reload"]);
});

test("a fault of the preparation, at once or later, is told, and the reload follows", async () => {
	const atOnce = rig(0, { fault: new Error("no folder") });
	atOnce.reloading.poll();
	assert.deepEqual(atOnce.events, ["Error: no folder", "reload"]);
	const later = rig(1, { fault: new Error("no folder") });
	later.reloading.poll();
	await turns(3);
	later.reloading.poll();
	assert.deepEqual(later.events, ["slice 1", "Error: no folder", "reload"]);
	assert.equal(later.reloading.isPreparing, false);
});

test("a preparation is given up where months are reloaded meanwhile; the next one is not", async () => {
	const { reloading, events } = rig(100);
	reloading.poll();
	await turns(1);
	reloading.abandon();
	await turns(10);
	assert.equal(reloading.isPreparing, false);
	assert.ok(events.length < 4, `${events.length} slices`);
	reloading.poll();
	assert.equal(events.at(-1), "reload");
	reloading.poll();
	await turns(20);
	assert.ok(events.length > 10, `${events.length} slices`);
});

test("nothing follows the end of the thread", async () => {
	const made = rig(3);
	made.reloading.poll();
	made.isOver = true;
	await turns(5);
	assert.ok(!made.events.includes("slice 3") && !made.events.includes("reload"));
});
