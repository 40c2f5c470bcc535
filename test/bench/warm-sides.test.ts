/** Before the first shape each side is asked questions of every shape, and the engine those of a snapshot apart. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../../bench/data/bench-month.js";
import { warmSides } from "../../bench/measure/warm-sides.js";
import type { Peer } from "../../bench/peers/peer.js";
import { allShapes, type Question } from "../../bench/shapes/index.js";

const SEED = 5;
const LEAST_MS = 200;

const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
after(() => rmSync(work, { recursive: true }));

/** Records the questions that it is asked. */
class AskedPeer implements Peer {
	readonly name = "asked";
	readonly version = "1";
	readonly asked: Question[] = [];

	async prepare(question: Question) {
		return async () => {
			this.asked.push(question);
			return { milliseconds: 0, answer: () => assert.fail("an answer is read") };
		};
	}

	async close() {}
}

test("questions of every shape but aggregates are asked of each side, for as long", async () => {
	const data = await prepareData({ work, rows: 500, seed: SEED, months: [DEFAULT_MONTH] }, () => {});
	const [fresh, measured] = [openSnapshot(data), openSnapshot(data)];
	const peers = [new AskedPeer(), new AskedPeer()];
	const from = performance.now();
	await warmSides(fresh, SEED, peers, LEAST_MS);
	assert.ok(performance.now() - from >= (1 + peers.length) * LEAST_MS);
	const shapes = allShapes(fresh, SEED).length;
	for (const { asked } of peers) {
		const kinds = new Set(asked.map(({ kind }) => kind));
		assert.deepEqual([...kinds].sort(), ["list", "row", "stats", "suggest"]);
		assert.ok(asked.length > shapes / 2, `${asked.length} questions`);
		assert.deepEqual(asked[0], peers[0].asked[0], "other questions");
	}
	assert.ok(fresh.work.elements > 0, "the engine is not asked");
	assert.equal(measured.work.elements, 0);
});
