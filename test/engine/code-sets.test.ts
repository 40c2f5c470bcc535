/** The set of the codes of some rows is that which a look at each row gives, whatever the codes' size and the rows' number. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, packedCodesOfRows } from "../../engine/kernels/code-sets.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Around the fewest rows that the module looks at, and the 8,192 that it looks at a time. */
const SIZES = [0, 1, 1023, 1024, 1025, 8191, 8192, 8193, 20_000];

test("a set has the codes of its rows, and codes that it has no bit for are passed over", (t) => {
	const runs = fuzzRuns(60);
	tellSeed(t, runs);
	const draw = new Draw(SEED);
	for (let run = 0; run < runs; run++) {
		const rows = draw.oneIn(2) ? draw.pick(SIZES) : draw.below(3000);
		const Kind = draw.pick([Uint8Array, Uint16Array, Uint32Array] as const);
		const distinct = draw.pick([1, 31, 32, 33, 200, 40_000, 300_000]);
		const before = draw.below(40);
		const codes = new Kind(before + rows + 7).map(() =>
			// As a corrupt month may have.
			draw.oneIn(500) ? 0xffff_fff0 : draw.below(distinct + 5),
		);
		const length = (distinct >>> 5) + 1;
		const part = codes.subarray(before, before + rows);
		const expected = new Uint32Array(length);
		for (const code of part) if (code < 32 * length) expected[code >>> 5] |= 1 << (code & 31);
		const places = Array.from(expected.keys()).filter((place) => expected[place] !== 0);
		const words = places.map((place) => expected[place]);
		const made = packedCodesOfRows(length, codes, { from: before, to: before + rows });
		const context = `run ${run}: ${rows} rows of ${Kind.name}, ${distinct} codes`;
		assert.deepEqual([[...made.places], [...made.words]], [places, words], context);
		const again = packed(expected);
		assert.deepEqual([[...again.places], [...again.words]], [places, words], context);
	}
});
