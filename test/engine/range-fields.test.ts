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
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../../bench/data/bench-month.js";
import { respond } from "../../bench/measure/respond.js";
import { allShapes } from "../../bench/shapes/index.js";
import { ByteSink } from "../../engine/index.js";

const OBJECTS = 10_000;
const DRAWS = 8;

/** Bytes that each of many objects takes: the median, since a collection in between falsifies the difference. */
function bytesEach(make: (i: number) => object): number {
	const measured = Array.from({ length: 9 }, () => {
		const kept = new Array<object>(OBJECTS);
		const before = process.memoryUsage().heapUsed;
		for (let i = 0; i < OBJECTS; i++) kept[i] = make(i);
		return (process.memoryUsage().heapUsed - before) / kept.length;
	});
	return measured.sort((a, b) => a - b)[4];
}

const rangeBytes = () => bytesEach((i) => ({ from: i, to: i + 1 }));

test("no question makes a range of fractions", async () => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	try {
		const data = await prepareData({ work, rows: 5000, seed: 3, months: [DEFAULT_MONTH] }, () => {});
		const snapshot = openSnapshot(data);
		const sink = new ByteSink();
		for (const shape of allShapes(snapshot, 3))
			for (let i = 0; i < DRAWS; i++) respond(snapshot, shape.draw(), sink);
		const pairBytes = bytesEach((i) => ({ before: i, after: i + 1 }));
		assert.ok(Math.abs(rangeBytes() - pairBytes) < 8, `${rangeBytes()} bytes a range, ${pairBytes} a pair`);
	} finally {
		rmSync(work, { recursive: true });
	}
});

test("a range of fractions is noticed", () => {
	const pairBytes = bytesEach((i) => ({ first: i, second: i + 1 }));
	const fraction = { first: 0.5, second: 0.25 };
	assert.ok(fraction.first > 0);
	const fractionBytes = bytesEach((i) => ({ first: i, second: i + 1 }));
	assert.ok(fractionBytes > pairBytes + 16, `${fractionBytes} bytes, ${pairBytes} before`);
});
