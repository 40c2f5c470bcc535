/** Servers are loaded by turns: one at a time, each as often and as early as the others. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compareServers, ordersOf } from "../../bench/http/compare-servers.js";
import { loadObstacle } from "../../bench/http/load.js";
import { byTurns, type HaltedLoad, TURN_MS } from "../../bench/http/turns.js";
import { whyNotOver } from "../http/transports.js";

test("one load runs at a time, and only its server's time in its own turns is counted", async () => {
	const [SIDES, TURNS] = [3, 6];
	const running = new Set<number>();
	const turns = Array.from({ length: SIDES }, () => 0);
	/** Microseconds: one a millisecond for what runs besides, and more while it is loaded. */
	const usedUs = Array.from({ length: SIDES }, () => 0);
	const loads = usedUs.map(
		(_, i): HaltedLoad => ({
			resume: () => {
				running.add(i);
				turns[i]++;
			},
			halt: () => void running.delete(i),
			cpuUs: () => usedUs[i],
		}),
	);
	const pass = async (ms: number) => {
		assert.ok(running.size <= 1, "two at a time");
		for (const i of usedUs.keys()) usedUs[i] += ms * (running.has(i) ? 100 * (i + 1) : 1);
	};
	const counted = await byTurns(loads, ordersOf(SIDES, TURNS, 1), pass);
	assert.deepEqual(turns, [TURNS, TURNS, TURNS]);
	assert.equal(running.size, 0, "all are halted");
	for (const [i, us] of counted.entries()) {
		const loadedUs = TURNS * TURN_MS * 100 * (i + 1);
		assert.ok(us >= loadedUs && us < loadedUs * 1.01, `${us} of side ${i}, ${loadedUs} while loaded`);
	}
});

test("each side has every position equally often", () => {
	for (const seed of [1, 2, 3]) {
		const orders = ordersOf(3, 9, seed);
		for (const place of [0, 1, 2])
			for (const side of [0, 1, 2])
				assert.equal(orders.filter((order) => order[place] === side).length, 3, `seed ${seed}`);
	}
});

test("a server that answers by more bytes costs more a request", {
	skip: loadObstacle() ?? whyNotOver("uws"),
}, async () => {
	const side = { node: process.execPath, library: "uws", threads: 1, core: null } as const;
	const sides = [
		{ ...side, name: "small", bytes: 100 },
		{ ...side, name: "large", bytes: 1_000_000 },
	];
	const [compared] = await compareServers(sides, new Map([["any", ["/any"]]]), { rounds: 1, seconds: 0.5 });
	const [small, large] = compared.perCpuSecond;
	assert.ok(large > 0 && large < small / 2, `${large} and ${small} a second`);
});
