/** Rendering alone is of the pages that the questions are answered by, as many as there are, and of rows alone. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type BenchData, DEFAULT_MONTH, openSnapshot, prepareData } from "../../bench/data/bench-month.js";
import { Rendering } from "../../bench/measure/rendering.js";
import { respond } from "../../bench/measure/respond.js";
import { runShape } from "../../bench/measure/run-shape.js";
import { shapeTable } from "../../bench/report/table.js";
import { allShapes } from "../../bench/shapes/index.js";
import { ByteSink, type Snapshot } from "../../engine/index.js";

const SEED = 5;

describe("rendering alone", () => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	let data: BenchData;
	let snapshot: Snapshot;
	before(async () => {
		data = await prepareData({ work, rows: 500, seed: SEED, months: [DEFAULT_MONTH] }, () => {});
		snapshot = openSnapshot(data);
	});
	after(() => rmSync(work, { recursive: true }));

	test("writes the response of each question that has rows", () => {
		const sink = new ByteSink();
		const expected = new ByteSink();
		const rendering = new Rendering(snapshot, sink);
		let rendered = 0;
		for (const shape of allShapes(snapshot, SEED)) {
			const [question, other] = [shape.draw(), shape.draw()];
			const times = rendering.times([question], [other], 0);
			const isOfRows = question.kind === "list" || question.kind === "row";
			assert.equal(times.length, +isOfRows, shape.name);
			if (!isOfRows) continue;
			respond(snapshot, question, expected);
			assert.deepEqual(sink.bytes.subarray(0, sink.length), expected.bytes.subarray(0, expected.length));
			rendered += sink.length;
		}
		assert.ok(rendered > 100_000, `${rendered} bytes`);
	});

	test("is measured for every draw of a shape with rows, and told", async () => {
		const options = { draws: 45, peerSeconds: 5, rendering: new Rendering(snapshot) };
		const figuresOf = async (name: string) => {
			const [shape] = allShapes(snapshot, SEED, [name]);
			return await runShape(shape, snapshot, () => openSnapshot(data), [], options);
		};
		const [rows, stats] = [await figuresOf("row by id"), await figuresOf("stats")];
		assert.equal(rows.rendering?.n, options.draws);
		assert.equal(stats.rendering, null);
		assert.match(shapeTable([rows]).split("\n")[0], /rendering p50\/p99/);
	});
});
