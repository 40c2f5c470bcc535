/**
 * Ranges stay pairs of small integers. V8 keeps a field's representation for all objects of one shape: once any
 * `{ from, to }` has had a fraction, each range is allocated with two boxed numbers, and loops between its ends
 * run on floating-point numbers, at two thirds of their speed.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../../bench/data/bench-month.js";
import { respond } from "../../bench/measure/respond.js";
import { allShapes } from "../../bench/shapes/index.js";
import { ByteSink } from "../../engine/index.js";

// Optimised code leaves out 16 bytes of each object, by which V8 learns how long objects live.
for (const tier of ["opt", "maglev", "sparkplug"]) setFlagsFromString(`--no-${tier}`);

const OBJECTS = 5_000;
const MEASURED = 41;
/** What one boxed number takes at least, and more than measurements differ by. */
const BOXED_BYTES_MIN = 12;
const DRAWS = 8;

/** Bytes that each of many objects takes: the median, since a collection in between falsifies a difference. */
function bytesEach(make: (i: number) => object): number {
	const measured = Array.from({ length: MEASURED }, () => {
		const kept = new Array<object>(OBJECTS);
		const before = process.memoryUsage().heapUsed;
		for (let i = 0; i < OBJECTS; i++) kept[i] = make(i);
		return (process.memoryUsage().heapUsed - before) / kept.length;
	});
	return measured.sort((a, b) => a - b)[MEASURED >> 1];
}

const rangeBytes = () => bytesEach((i) => ({ from: i, to: i }));

test("no question makes a range of fractions", async () => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	try {
		const data = await prepareData({ work, rows: 5000, seed: 3, months: [DEFAULT_MONTH] }, () => {});
		const snapshot = openSnapshot(data);
		const sink = new ByteSink();
		for (const shape of allShapes(snapshot, 3))
			for (let i = 0; i < DRAWS; i++) respond(snapshot, shape.draw(), sink);
		const pairBytes = bytesEach((i) => ({ before: i, after: i }));
		const range = rangeBytes();
		assert.ok(Math.abs(range - pairBytes) < BOXED_BYTES_MIN, `${range} bytes a range, ${pairBytes} a pair`);
	} finally {
		rmSync(work, { recursive: true });
	}
});

test("a range of fractions is noticed", () => {
	const pairBytes = bytesEach((i) => ({ first: i, second: i }));
	const fraction = { first: 0.5, second: 0.25 };
	assert.ok(fraction.first > 0);
	const fractionBytes = bytesEach((i) => ({ first: i, second: i }));
	assert.ok(fractionBytes > pairBytes + BOXED_BYTES_MIN, `${fractionBytes} bytes, ${pairBytes} before`);
});
