/** Months are prepared a slice at a time between other events, then changed in one step. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Reloading } from "../../server/months/reloading.js";

interface Rig {
	readonly events: string[];
	readonly reloading: Reloading;
	isOver: boolean;
}

function rig(slices: number, fault: Error | null = null): Rig {
	const events: string[] = [];
	const made: Rig = {
		events,
		isOver: false,
		reloading: new Reloading(
			{
				*prepareReload() {
					for (let i = 1; i <= slices; i++) {
						events.push(`slice ${i}`);
						yield;
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
	reloading.begin();
	assert.deepEqual(events, ["reload"]);
});

test("one slice a turn, and the reload after the last; what begins meanwhile does nothing", async () => {
	const { reloading, events } = rig(3);
	reloading.begin();
	reloading.begin();
	assert.deepEqual(events, ["slice 1"]);
	await turns(1);
	reloading.begin();
	assert.deepEqual(events, ["slice 1", "slice 2"]);
	await turns(4);
	assert.deepEqual(events, ["slice 1", "slice 2", "slice 3", "reload"]);
	reloading.begin();
	await turns(5);
	assert.equal(events.length, 8, "it begins again when it has ended");
});

test("a fault of the preparation is told, and the reload follows", async () => {
	const { reloading, events } = rig(1, new Error("no folder"));
	reloading.begin();
	await turns(3);
	assert.deepEqual(events, ["slice 1", "Error: no folder", "reload"]);
});

test("nothing follows the end of the thread", async () => {
	const made = rig(3);
	made.reloading.begin();
	made.isOver = true;
	await turns(5);
	assert.deepEqual(made.events, ["slice 1"]);
});
