/** Peer groups of a sort order that is corrupt: no read leaves the bitmap. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import { PeerGroups } from "../../engine/order/bitmap/peer-groups.js";
import type { IndexScan } from "../../engine/order/index-scan.js";
import type { OrderPlan } from "../../engine/plan/plan.js";
import { Scratch } from "../../engine/scratch.js";
import { bitmapWords } from "../../formats/index.js";

const ROWS = 20_000;

for (const first of [ROWS, 2 ** 30, 2 ** 31 + 5])
	test(`contiguous rows past the last are not listed: from ${first}`, () => {
		const scratch = new Scratch();
		scratch.fit(ROWS);
		const rows = Uint32Array.from({ length: ROWS }, (_, position) => first + position);
		// What is read of a scan to list rows.
		const scan = { rows, row: (position: number) => rows[position] } as unknown as IndexScan;
		const peers = new PeerGroups({} as OrderPlan, null, {} as SnapshotColumns, scratch);
		const bits = { words: scratch.selected, from: 0, to: bitmapWords(ROWS), count: 0 };
		// The bitmap behind it in the same memory.
		scratch.predicate.fill(-1);
		assert.equal(peers.list(bits, scan, { from: 0, to: ROWS }, scratch.list), 0);
	});
