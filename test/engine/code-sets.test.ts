/** The set of the codes of some rows is that which a look at each row gives, whatever the codes' size and the rows' number. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { addCodesOfRows, packed, packedCodesOfRows } from "../../engine/kernels/code-sets.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Around the fewest rows that the module looks at, and the 8,192 that it looks at a time. */
const SIZES = [0, 1, 1023, 1024, 1025, 8191, 8192, 8193, 20_000];

test("codes are added to those that are in the set, and codes that it has no bit for are passed over", (t) => {
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
		const set = new Uint32Array((distinct >>> 5) + 1);
		const bits = set.length * 32;
		const held = draw.below(distinct);
		set[held >>> 5] = 2 ** (held & 31);
		const expected = new Set([held, ...codes.subarray(before, before + rows)].filter((code) => code < bits));
		addCodesOfRows(set, codes, { from: before, to: before + rows });
		const found = Array.from({ length: bits }, (_, code) => code).filter(
			(code) => (set[code >>> 5] >>> (code & 31)) & 1,
		);
		assert.deepEqual(
			found,
			[...expected].sort((a, b) => a - b),
			`run ${run}: ${rows} rows of ${Kind.name}, ${distinct} codes`,
		);
		const fresh = new Uint32Array(set.length);
		for (const code of codes.subarray(before, before + rows))
			if (code < bits) fresh[code >>> 5] |= 1 << (code & 31);
		const places = Array.from(fresh.keys()).filter((place) => fresh[place] !== 0);
		const words = places.map((place) => fresh[place]);
		for (const made of [
			packedCodesOfRows(set.length, codes, { from: before, to: before + rows }),
			packed(fresh),
		])
			assert.deepEqual([[...made.places], [...made.words]], [places, words], `run ${run}: packed`);
	}
});
