/** Percentiles, and the exponent of a time's growth. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { exponentOf } from "../../bench/commands/scaling.js";
import { percentiles } from "../../bench/measure/samples.js";

test("percentiles are by nearest rank", () => {
	const samples = Array.from({ length: 200 }, (_, i) => 200 - i);
	assert.deepEqual(percentiles(samples), { n: 200, p50: 100, p99: 198, max: 200 });
	assert.deepEqual(percentiles([5]), { n: 1, p50: 5, p99: 5, max: 5 });
});

test("the exponent is that of the time's growth in the number of rows", () => {
	const rows = [1e5, 1e6, 1e7];
	for (const power of [0, 0.5, 1]) {
		const exponent = exponentOf(
			rows,
			rows.map((n) => 3 * n ** power),
		);
		assert.ok(Math.abs(exponent - power) < 1e-9);
	}
});
