/** Bounds of a question's time: rendering is of the pages that it is answered by, and of rows alone. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type BenchData, DEFAULT_MONTH, openSnapshot, prepareData } from "../../bench/data/bench-month.js";
import { Bounds } from "../../bench/measure/bounds.js";
import { respond } from "../../bench/measure/respond.js";
import { runShape } from "../../bench/measure/run-shape.js";
import { shapeTable } from "../../bench/report/table.js";
import { allShapes } from "../../bench/shapes/index.js";
import { ByteSink, type Snapshot } from "../../engine/index.js";

const SEED = 5;

describe("bounds of a question's time", () => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	let data: BenchData;
	let snapshot: Snapshot;
	before(async () => {
		data = await prepareData({ work, rows: 500, seed: SEED, months: [DEFAULT_MONTH] }, () => {});
		snapshot = openSnapshot(data);
	});
	after(() => rmSync(work, { recursive: true }));

	test("rendering writes the response of each question that has rows", () => {
		const sink = new ByteSink();
		const expected = new ByteSink();
		const bounds = new Bounds(snapshot, sink);
		let rendered = 0;
		for (const shape of allShapes(snapshot, SEED)) {
			const question = shape.draw();
			const render = bounds.renderOf(question);
			const isOfRows = question.kind === "list" || question.kind === "row";
			assert.equal(render !== null, isOfRows, shape.name);
			if (render === null) continue;
			render();
			respond(snapshot, question, expected);
			assert.deepEqual(sink.bytes.subarray(0, sink.length), expected.bytes.subarray(0, expected.length));
			rendered += sink.length;
		}
		assert.ok(rendered > 100_000, `${rendered} bytes`);
	});

	test("are measured for every draw, and told", async () => {
		const options = { draws: 45, peerSeconds: 5, bounds: new Bounds(openSnapshot(data)) };
		const figuresOf = async (name: string) => {
			const [shape] = allShapes(snapshot, SEED, [name]);
			return await runShape(shape, snapshot, () => openSnapshot(data), [], options);
		};
		const [rows, stats] = [await figuresOf("row by id"), await figuresOf("stats")];
		assert.equal(rows.rendering?.n, options.draws);
		assert.equal(stats.rendering, null);
		assert.equal(stats.again?.n, options.draws);
		assert.ok(rows.again !== null && rows.again.p50 > 0);
		assert.match(shapeTable([rows]).split("\n")[0], /rendering p50\/p99 +again p50\/p99/);
	});
});
