/** Every codec: decode/ reads what encode/ writes, compared with plain JavaScript. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeBitmaps, encodeCumulativeBitmaps } from "../../formats/encode/bitmaps.js";
import { codeWidth, encodeCodes } from "../../formats/encode/codes.js";
import { encodeOrderBuckets } from "../../formats/encode/order-buckets.js";
import { encodePermutation, encodeStatePermutation } from "../../formats/encode/permutation.js";
import { encodePostings } from "../../formats/encode/postings.js";
import type { SectionData } from "../../formats/encode/section-file.js";
import { encodeStats } from "../../formats/encode/stats.js";
import {
	Bitmaps,
	bitmapWords,
	CumulativeBitmaps,
	decodeCodes,
	decodeStats,
	OrderBuckets,
	type StateRun,
	TextColumn,
} from "../../formats/index.js";
import { BITMAP_ROWS_PER_HIT, CUMULATIVE_BUCKETS, ORDER_BUCKETS_MAX } from "../../formats/layout.js";
import { checkProperty } from "../oracle/seeded.js";
import { anyText } from "../oracle/tricky-text.js";
import { encodeText } from "./text-heap.js";

/** Codes of some rows over `distinct` values; `distinct` itself is null. */
function codesOver(
	distinctMax: number,
	rowsMax: number,
): fc.Arbitrary<{ distinct: number; codes: Uint32Array }> {
	return fc
		.integer({ min: 0, max: distinctMax })
		.chain((distinct) =>
			fc
				.array(fc.integer({ min: 0, max: distinct }), { maxLength: rowsMax })
				.map((codes) => ({ distinct, codes: Uint32Array.from(codes) })),
		);
}

function bytesOf(view: SectionData): Uint8Array {
	return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Rows whose bit is set. */
function rowsOf(words: Uint32Array, rows: number): number[] {
	const set: number[] = [];
	for (let row = 0; row < words.length * 32; row++) {
		if (((words[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		assert.ok(row < rows, "bits past the last row are clear");
		set.push(row);
	}
	return set;
}

test("codes take the narrowest width that holds every value and null", () => {
	assert.deepEqual([0, 1, 255, 256, 65_535, 65_536, 2 ** 31].map(codeWidth), [1, 1, 1, 2, 2, 4, 4]);
});

test("codes read back as written, at every width", (t) => {
	const distincts = fc.constantFrom(0, 1, 255, 256, 65_535, 65_536, 3_000_000);
	checkProperty(
		t,
		500,
		fc.property(distincts, fc.array(fc.nat(), { maxLength: 50 }), (distinct, seeds) => {
			const codes = Uint32Array.from([...seeds.map((s) => s % (distinct + 1)), distinct, 0]);
			const encoded = encodeCodes(codes, distinct);
			const decoded = decodeCodes(bytesOf(encoded), codeWidth(distinct));
			assert.deepEqual([...decoded], [...codes]);
		}),
	);
});

test("text reads back as written; the empty string is null", (t) => {
	const values = fc.array(fc.oneof(fc.constant(null), fc.constant(""), anyText()), { maxLength: 40 });
	checkProperty(
		t,
		1000,
		fc.property(values, (texts) => {
			const { offsets, heap } = encodeText(texts);
			const column = new TextColumn(offsets, heap);
			texts.forEach((text, row) => {
				assert.equal(column.value(row), text === "" ? null : text);
			});
			assert.equal(offsets[texts.length], heap.length);
		}),
	);
});

test("postings list each code's rows in ascending order and leave nulls out", (t) => {
	checkProperty(
		t,
		1000,
		fc.property(codesOver(20, 100), ({ distinct, codes }) => {
			const { offsets, rows } = encodePostings(codes, distinct);
			assert.equal(offsets.length, distinct + 1);
			for (let code = 0; code < distinct; code++) {
				const expected = [...codes.keys()].filter((row) => codes[row] === code);
				assert.deepEqual([...rows.subarray(offsets[code], offsets[code + 1])], expected);
			}
			assert.equal(rows.length, [...codes].filter((code) => code < distinct).length);
		}),
	);
});

test("a permutation orders rows by rank, then row, nulls last, and says where each rank begins", (t) => {
	checkProperty(
		t,
		1000,
		fc.property(codesOver(20, 100), ({ distinct: folds, codes: ranks }) => {
			const { permutation, offsets } = encodePermutation(ranks, folds);
			const expected = [...ranks.keys()].sort((a, b) => ranks[a] - ranks[b] || a - b);
			assert.deepEqual([...permutation], expected);
			assert.equal(offsets.length, folds + 1);
			for (let rank = 0; rank <= folds; rank++) {
				assert.equal(offsets[rank], [...ranks].filter((r) => r < rank).length);
			}
		}),
	);
});

test("a state permutation keeps the order and stays within each state's run", (t) => {
	const runs = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 8 });
	checkProperty(
		t,
		1000,
		fc.property(runs, fc.infiniteStream(fc.nat(5)), (lengths, draws) => {
			let first = 0;
			const states: StateRun[] = lengths.map((rows) => {
				const run = { country: "US", state: "XX", first, rows };
				first += rows;
				return run;
			});
			const ranks = Uint32Array.from({ length: first }, () => draws.next().value as number);
			const { permutation } = encodePermutation(ranks, 5);
			const grouped = encodeStatePermutation(permutation, states);
			const expected = states.flatMap((s) =>
				[...permutation].filter((row) => row >= s.first && row < s.first + s.rows),
			);
			assert.deepEqual([...grouped], expected);
		}),
	);
});

test("a frequent code has a bitmap of its rows and a rare one has none", (t) => {
	checkProperty(
		t,
		500,
		fc.property(codesOver(6, 700), ({ distinct, codes }) => {
			const counts = new Uint32Array(distinct);
			for (const code of codes) if (code < distinct) counts[code]++;
			const encoded = encodeBitmaps(codes, counts);
			const bitmaps = new Bitmaps(encoded.codes, encoded.words, codes.length);
			for (let code = 0; code <= distinct; code++) {
				const bitmap = bitmaps.find(code);
				const frequent = code < distinct && counts[code] * BITMAP_ROWS_PER_HIT > codes.length;
				assert.equal(bitmap !== null, frequent);
				if (bitmap === null) continue;
				assert.equal(bitmap.length, bitmapWords(codes.length));
				assert.deepEqual(
					rowsOf(bitmap, codes.length),
					[...codes.keys()].filter((row) => codes[row] === code),
				);
			}
		}),
	);
});

test("cumulative bitmaps hold the rows before their bound, and the nearest bound is found", (t) => {
	checkProperty(
		t,
		200,
		fc.property(codesOver(9, 400), fc.nat(400), ({ distinct: folds, codes: ranks }, position) => {
			const { permutation, offsets } = encodePermutation(ranks, folds);
			const valued = offsets[folds];
			const encoded = encodeCumulativeBitmaps({ rows: permutation, offsets }, ranks.length);
			const cumulative = new CumulativeBitmaps(encoded.bounds, encoded.words, ranks.length);
			const { bounds } = cumulative;
			assert.ok(bounds.length > 0 && bounds.length < 2 * CUMULATIVE_BUCKETS);
			assert.equal(bounds[bounds.length - 1], valued);
			bounds.forEach((bound, i) => {
				assert.ok(i === 0 || bounds[i - 1] < bound, "bounds ascend");
				assert.ok(offsets.includes(bound), "a bound is where a rank ends");
				assert.equal(cumulative.nearest(bound), bound === 0 ? -1 : i);
			});
			for (let rank = 0; rank < folds; rank++) {
				const isLarge = (offsets[rank + 1] - offsets[rank]) * CUMULATIVE_BUCKETS > 2 * valued;
				const isBounded = rank === 0 || offsets[rank] === 0 || bounds.includes(offsets[rank]);
				if (isLarge) assert.ok(isBounded && bounds.includes(offsets[rank + 1]), `rank ${rank} is bounded`);
			}
			for (let bucket = 0; bucket < bounds.length; bucket++) {
				const before = [...permutation.subarray(0, cumulative.bounds[bucket])].sort((a, b) => a - b);
				assert.deepEqual(rowsOf(cumulative.bitmap(bucket), ranks.length), before);
			}
			const distance = (bucket: number) =>
				Math.abs((bucket === -1 ? 0 : cumulative.bounds[bucket]) - position);
			const nearest = cumulative.nearest(position);
			for (let bucket = -1; bucket < bounds.length; bucket++) {
				assert.ok(distance(nearest) <= distance(bucket), `bucket ${bucket} is nearer to ${position}`);
			}
		}),
	);
});

test("order buckets follow the order, keep a fold together, and are of about one depth", (t) => {
	checkProperty(
		t,
		200,
		fc.property(codesOver(600, 2000), fc.nat(5), ({ distinct, codes }, folding) => {
			const foldRanks = Uint32Array.from({ length: distinct }, (_, code) => Math.floor(code / (folding + 1)));
			const folds = distinct === 0 ? 0 : foldRanks[distinct - 1] + 1;
			const rankOf = (code: number) => (code === distinct ? folds : foldRanks[code]);
			const { offsets } = encodePermutation(codes.map(rankOf), folds);
			const { buckets, firstRanks } = encodeOrderBuckets(codes, foldRanks, offsets);
			const decoded = new OrderBuckets(buckets, firstRanks, folds);
			assert.ok(decoded.count <= ORDER_BUCKETS_MAX);
			codes.forEach((code, row) => {
				const bucket = buckets[row];
				if (code === distinct) assert.equal(bucket, decoded.count);
				else assert.ok(firstRanks[bucket] <= rankOf(code) && rankOf(code) < firstRanks[bucket + 1]);
			});
			const depth = Math.ceil((2 * offsets[folds]) / ORDER_BUCKETS_MAX);
			for (let bucket = 0; bucket < decoded.count; bucket++) {
				const rows = offsets[firstRanks[bucket + 1]] - offsets[firstRanks[bucket]];
				assert.equal(decoded.isOneFold(bucket), firstRanks[bucket + 1] - firstRanks[bucket] === 1);
				assert.ok(rows <= depth || decoded.isOneFold(bucket), `bucket ${bucket} has ${rows} rows`);
			}
		}),
	);
});

test("a bitmap's words fill whole cache lines", () => {
	assert.deepEqual([0, 1, 512, 513, 2_500_000].map(bitmapWords), [0, 16, 16, 32, 78_128]);
});

test("statistics read back as written, the same statistics as the same bytes", (t) => {
	const counts = fc.record({ codes: fc.array(fc.nat()), rows: fc.array(fc.nat()) });
	const state = fc.record({
		license_status: counts,
		member_type: counts,
		coverage: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
		expiration: fc.array(fc.nat(), { minLength: 7, maxLength: 7 }),
	});
	checkProperty(
		t,
		300,
		fc.property(fc.record({ states: fc.array(state, { maxLength: 5 }) }), (stats) => {
			assert.deepEqual(decodeStats(encodeStats(stats)), structuredClone(stats));
			assert.deepEqual(encodeStats(stats), encodeStats(structuredClone(stats)));
		}),
	);
});
