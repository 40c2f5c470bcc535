/** Months are prepared a slice at a time between other events, then changed in one step at the next look. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Reloading } from "../../server/months/reloading.js";

interface Rig {
	readonly events: string[];
	readonly reloading: Reloading;
	isOver: boolean;
}

/** What is to be prepared takes `slices`, once; `fault` ends it. The second slice waits for `wait`. */
function rig(slices: number, fault: Error | null = null, wait?: Promise<void>): Rig {
	const events: string[] = [];
	let left = slices;
	const made: Rig = {
		events,
		isOver: false,
		reloading: new Reloading(
			{
				*prepareReload() {
					while (left > 0) {
						events.push(`slice ${slices - --left}`);
						yield left === slices - 1 ? wait : undefined;
					}
					if (fault !== null) throw fault;
				},
			},
			() => events.push("reload"),
			(error) => events.push(String(error)),
			() => made.isOver,
		),
	};
	return made;
}

async function turns(count: number): Promise<void> {
	for (let i = 0; i < count; i++) await nextTurn();
}

test("without anything to prepare it reloads at once", () => {
	const { reloading, events } = rig(0);
	reloading.look();
	assert.deepEqual(events, ["reload"]);
	assert.equal(reloading.isPreparing, false);
});

test("one slice a turn; looks meanwhile do nothing, the first one after the last slice reloads", async () => {
	const { reloading, events } = rig(3);
	reloading.look();
	reloading.look();
	assert.deepEqual(events, ["slice 1"]);
	assert.equal(reloading.isPreparing, true);
	await turns(1);
	reloading.look();
	assert.deepEqual(events, ["slice 1", "slice 2"]);
	await turns(5);
	assert.deepEqual(events, ["slice 1", "slice 2", "slice 3"]);
	assert.equal(reloading.isPreparing, false);
	reloading.look();
	assert.deepEqual(events.slice(3), ["reload"]);
});

test("a slice is not followed by the next before what it waits for", async () => {
	let go = () => {};
	const { reloading, events } = rig(
		2,
		null,
		new Promise((resolve) => {
			go = resolve;
		}),
	);
	reloading.look();
	await turns(20);
	assert.deepEqual(events, ["slice 1"]);
	go();
	await turns(3);
	assert.deepEqual(events, ["slice 1", "slice 2"]);
});

test("a preparation that takes long is given up at the third look, which reloads", async () => {
	const { reloading, events } = rig(100);
	reloading.look();
	for (const count of [1, 2]) {
		await turns(1);
		reloading.look();
		assert.ok(!events.includes("reload"), `${count} looks meanwhile`);
	}
	await turns(1);
	reloading.look();
	assert.equal(events.at(-1), "reload");
	await turns(10);
	assert.equal(reloading.isPreparing, false);
	assert.ok(events.length < 10, "the rest is not prepared");
	assert.equal(events.filter((event) => event === "reload").length, 1);
});

test("a fault of the preparation, at once or later, is told, and the reload follows", async () => {
	const atOnce = rig(0, new Error("no folder"));
	atOnce.reloading.look();
	assert.deepEqual(atOnce.events, ["Error: no folder", "reload"]);
	const later = rig(1, new Error("no folder"));
	later.reloading.look();
	await turns(3);
	assert.deepEqual(later.events, ["slice 1", "Error: no folder", "reload"]);
	assert.equal(later.reloading.isPreparing, false);
});

test("nothing follows the end of the thread", async () => {
	const made = rig(3);
	made.reloading.look();
	made.isOver = true;
	await turns(5);
	assert.ok(!made.events.includes("slice 3") && !made.events.includes("reload"));
});
