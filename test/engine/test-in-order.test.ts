/** Pages of rows that are counted but not found, in runs longer than a block and in shorter ones, in either order. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import { testInOrder } from "../../engine/order/test-in-order.js";
import type { Plan } from "../../engine/plan/plan.js";
import { Scratch } from "../../engine/scratch.js";
import { PROBE_BLOCK } from "../../engine/tuning.js";
import type { Range } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";

const ROWS = 10 * PROBE_BLOCK;
const ASKED = { from: 2, to: 4 };

/** Two runs longer than a block, and one shorter, with room between them. */
const RUNS: readonly Range[] = [
	{ from: 5, to: 4 * PROBE_BLOCK },
	{ from: 4 * PROBE_BLOCK + 9, to: 4 * PROBE_BLOCK + 50 },
	{ from: 5 * PROBE_BLOCK + 1, to: ROWS - 3 },
];

test("pages of rows tested in their order are those of a loop, from either end", () => {
	const draw = new Draw(5);
	const codes = Uint8Array.from({ length: ROWS }, () => draw.below(6));
	const columns = { codes: { get: () => codes } } as unknown as SnapshotColumns;
	const scratch = new Scratch();
	scratch.list = new Uint32Array(ROWS);
	const matchesOf = ({ from, to }: Range) =>
		Array.from({ length: to - from }, (_, i) => from + i).filter(
			(row) => codes[row] >= ASKED.from && codes[row] < ASKED.to,
		);
	const matches = RUNS.flatMap(matchesOf);
	const states = RUNS.map(({ from, to }) => ({ first: from, rows: to - from }));
	const parts = RUNS.map((run) => ({ from: 0, to: matchesOf(run).length }));
	for (const order of ["asc", "desc"] as const)
		for (const ofStates of [
			{ states: [], parts: [{ from: 0, to: matches.length }] },
			{ states, parts },
		])
			for (let offset = 0; offset + 20 <= matches.length; offset += 37) {
				const plan = {
					predicates: [{ column: "member_license_status", negated: false, terms: [{ codes: ASKED }] }],
					order: { order },
					runs: RUNS,
					...ofStates,
				} as unknown as Plan;
				const ordered = order === "asc" ? matches : [...matches].reverse();
				const taken = testInOrder({ plan, offset, limit: 20, columns, scratch }, matches.length);
				assert.deepEqual(
					[taken, [...scratch.page.subarray(0, 20)]],
					[20, ordered.slice(offset, offset + 20)],
					`${order} from ${offset}, ${ofStates.states.length} states`,
				);
			}
});
