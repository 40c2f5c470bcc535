/** Stored rows are copied segment by segment: a page that goes on in the next segment is whole. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import { ByteSink } from "../../engine/index.js";
import { RowRenderer } from "../../engine/render/rows.js";
import { COLUMNS, ROWS_PER_SEGMENT, RowStore } from "../../formats/index.js";

const ROW_BYTES = 4;

/** Two full segments whose rows are their last three digits and a comma. */
function storeOfTwo(): RowStore {
	const segments = [0, 1].map((segment) => {
		const heap = Buffer.alloc(ROWS_PER_SEGMENT * ROW_BYTES);
		for (let i = 0; i < ROWS_PER_SEGMENT; i++)
			heap.write(textOf(segment * ROWS_PER_SEGMENT + i), i * ROW_BYTES);
		const offsets = Uint32Array.from({ length: ROWS_PER_SEGMENT + 1 }, (_, i) => i * ROW_BYTES);
		return { offsets, heap };
	});
	return new RowStore(segments);
}

function textOf(row: number): string {
	return `${String(row % 1000).padStart(3, "0")},`;
}

test("consecutive rows over the border of two segments are copied from both, with any separator", () => {
	const renderer = new RowRenderer({} as SnapshotColumns, "2026-11", storeOfTwo());
	const projection = { columns: COLUMNS.map(({ name }) => name), masked: false };
	const around = [-3, -2, -1, 0, 1, 2, 7].map((step) => ROWS_PER_SEGMENT + step);
	for (const rows of [around, around.toReversed(), [ROWS_PER_SEGMENT], [ROWS_PER_SEGMENT - 1, 0]]) {
		const bytesOf = (format: "json" | "ndjson") => {
			const sink = new ByteSink(16);
			renderer.rows(Uint32Array.from(rows), projection, format, sink);
			return sink.view().toString();
		};
		const texts = rows.map((row) => textOf(row).slice(0, -1));
		assert.equal(bytesOf("json"), texts.join(","));
		assert.equal(bytesOf("ndjson"), `${texts.join("\n")}\n`);
	}
});
