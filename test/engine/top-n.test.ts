/**
 * Top-N selection gives the page that sorting everything gives, on columns made by hand: folds of several
 * values, rows without one, and buckets that hold anything from one fold to all, as only months of millions of
 * rows have otherwise.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import type { Order } from "../../engine/index.js";
import { TopN } from "../../engine/order/top-n.js";
import { RowArena, Work } from "../../engine/scratch.js";
import { type Column, type ColumnName, Dictionary, OrderBuckets } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

const SORT: readonly ColumnName[] = ["member_last_name", "office_name"];

/** A column of `rows` rows: `folds` folds of up to `spellings` values, in `buckets` buckets. */
interface MadeColumn {
	readonly codes: Uint32Array;
	readonly dictionary: Dictionary;
	readonly orderBuckets: OrderBuckets;
}

function makeColumn(draw: Draw, rows: number, folds: number, spellings: number, buckets: number): MadeColumn {
	const ranks: number[] = [];
	for (let rank = 0; rank < folds; rank++) for (let i = 0; i <= draw.below(spellings); i++) ranks.push(rank);
	const distinct = ranks.length;
	const codes = Uint32Array.from({ length: rows }, () =>
		draw.oneIn(20) ? distinct : draw.oneIn(3) ? draw.below(Math.min(distinct, 3)) : draw.below(distinct),
	);
	const foldRanks = distinct === folds ? null : Uint32Array.from(ranks);
	const dictionary = new Dictionary(new Uint32Array(distinct + 1), new Uint8Array(0), foldRanks, folds);
	const count = Math.min(buckets, folds);
	const firstRanks = Uint32Array.from({ length: count + 1 }, (_, i) => Math.floor((i * folds) / count));
	const bucketOf = (code: number) =>
		code === distinct ? count : firstRanks.findLastIndex((first) => first <= dictionary.rank(code));
	return {
		codes,
		dictionary,
		orderBuckets: new OrderBuckets(Uint8Array.from(codes, bucketOf), firstRanks, folds),
	};
}

/** What top-N selection reads of a snapshot. */
function columnsOf(made: ReadonlyMap<ColumnName, MadeColumn>): SnapshotColumns {
	const cache = <K extends keyof MadeColumn>(kind: K) => ({
		get: ({ name }: Column) => made.get(name as ColumnName)?.[kind],
	});
	return {
		codes: cache("codes"),
		dictionary: cache("dictionary"),
		orderBuckets: cache("orderBuckets"),
	} as unknown as SnapshotColumns;
}

/** The rows in order: by fold, rows without a value last, then by row. */
function sorted(list: readonly number[], made: readonly MadeColumn[], order: Order): number[] {
	const sign = order === "desc" ? -1 : 1;
	return [...list].sort((a, b) => {
		for (const { codes, dictionary } of made) {
			const [one, other] = [dictionary.rank(codes[a]), dictionary.rank(codes[b])];
			if (one === other) continue;
			if (one === dictionary.folds || other === dictionary.folds) return one - other;
			return sign * (one - other);
		}
		return sign * (a - b);
	});
}

test("any page of any list is the one that sorting gives", (t) => {
	const runs = Math.ceil(fuzzRuns(120));
	tellSeed(t, runs);
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, run);
		const rows = 1 + draw.below(draw.pick([50, 1500, 6000]));
		const folds = () => 1 + draw.below(draw.pick([1, 8, 3000]));
		const shape = () => [folds(), draw.pick([1, 3, 40]), draw.pick([1, 2, 255])] as const;
		const made = SORT.map(() => makeColumn(draw, rows, ...shape()));
		const columns = columnsOf(new Map(SORT.map((name, i) => [name, made[i]])));
		const list = Array.from({ length: rows }, (_, row) => row).filter(() => !draw.oneIn(4));
		// A list from postings does not ascend.
		if (draw.oneIn(2)) list.reverse();
		for (const order of ["asc", "desc"] as const) {
			const expected = sorted(list, made, order);
			for (const limit of [1, 100, 1 + draw.below(rows)]) {
				const offset = draw.below(Math.max(1, list.length));
				const out = new Uint32Array(rows + 8);
				const topN = new TopN(SORT, order, columns, new RowArena(), new Work());
				const end = topN.select(Uint32Array.from(list), 0, { offset, limit }, out, 5);
				assert.deepEqual(
					[...out.subarray(5, end)],
					expected.slice(offset, offset + limit),
					`run ${run}: ${list.length} rows, ${order}, ${offset}, ${limit}`,
				);
			}
		}
	}
});

test("rows of a fold that goes on in a bucket without rows are not lost before the last value", () => {
	const others = 10;
	// Codes 1 and 2 fold alike. No row of the list has code 2, and more than are sorted whole have code 1.
	const rowsOfCode = [others, 1500, 0, others];
	const codes = Uint32Array.from(rowsOfCode.flatMap((rows, code) => Array(rows).fill(code)));
	const dictionary = new Dictionary(new Uint32Array(5), new Uint8Array(0), Uint32Array.of(0, 1, 1, 2), 3);
	const orderBuckets = new OrderBuckets(new Uint8Array(codes.length), Uint32Array.of(0, 3), 3);
	const columns = columnsOf(new Map([[SORT[0], { codes, dictionary, orderBuckets }]]));
	for (const order of ["asc", "desc"] as const) {
		const rows = [...codes.keys()];
		const out = new Uint32Array(codes.length);
		const topN = new TopN(SORT.slice(0, 1), order, columns, new RowArena(), new Work());
		const end = topN.select(Uint32Array.from(rows), 0, { offset: 0, limit: rows.length }, out, 0);
		assert.equal(end, rows.length, order);
		assert.deepEqual([...out], order === "asc" ? rows : rows.reverse(), order);
	}
});
