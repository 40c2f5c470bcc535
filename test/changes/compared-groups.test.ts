/** Groups compared over two months (docs/API.md §11.3), against a count of plain rows; and the merges that they keep. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Dimension } from "../../engine/aggregate/dimensions.js";
import {
	type ColumnPair,
	type MergedGroups,
	MergedGroupsCache,
} from "../../engine/aggregate/merged-groups.js";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import {
	type ComparedRequest,
	DIMENSION_NAMES,
	type Filters,
	GROUP_SORTS,
	type Library,
	openLibrary,
	type Snapshot,
} from "../../engine/index.js";
import type { Geography } from "../../engine/query.js";
import { finishWork, PendingWork, SLICE_SIZES } from "../../engine/sliced-work.js";
import { MERGED_AT_ONCE_MAX } from "../../engine/tuning.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { naiveCompared } from "../oracle/naive-aggregates.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows } from "../oracle/naive-rows.js";
import { randomMonth } from "../oracle/random-month.js";
import { randomGeography, randomQuery } from "../oracle/random-query.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { relatedDrops } from "./related-months.js";

const MONTHS = ["2026-08", "2026-09", "2026-11"];
const PAIRS = [
	[0, 1],
	[1, 2],
	[0, 2],
] as const;
/** Comparisons of each pair of months. */
const ASKS = 20;

/** The comparison, after whatever work comes before it. */
function compared(
	library: Library,
	older: Snapshot,
	newer: Snapshot,
	request: ComparedRequest,
	filters: Filters = {},
	geography: Geography | null = null,
) {
	const find = () => library.comparedGroupsInSlices(older, newer, request, filters, geography);
	let found = find();
	if (found instanceof PendingWork) {
		finishWork(found.work);
		found = find();
	}
	assert.ok(!(found instanceof PendingWork), "the work is done once");
	return found;
}

test("groups of two months are those of a full join of both, in the order asked for", async (t) => {
	const seen = new Set<string>();
	const property = fc.asyncProperty(randomMonth(150), randomMonth(60), fc.nat(), async (one, other, seed) => {
		const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-compared-"));
		try {
			const draw = new Draw(seed);
			const naive: NaiveMonth[] = [];
			for (const [i, drop] of relatedDrops(one, other, MONTHS.length, draw).entries()) {
				await compileRows(drop, MONTHS[i], folder, false, draw);
				naive.push(new NaiveMonth(MONTHS[i], makeRows(drop, MONTHS[i])));
			}
			const library = openLibrary({ dataFolder: folder });
			for (const [from, to] of PAIRS) {
				const months = [library.find(MONTHS[from]), library.find(MONTHS[to])] as [Snapshot, Snapshot];
				for (let i = 0; i < ASKS; i++) {
					const source = naive[draw.oneIn(2) ? from : to];
					const { filters } = randomQuery(source, draw, {
						oneFilterIn: draw.pick([12, 40, 400]),
						limitMax: 9,
					});
					const geography = draw.oneIn(3) ? randomGeography(source, draw) : null;
					const request = {
						by: draw.pick(DIMENSION_NAMES),
						sort: draw.pick(GROUP_SORTS),
						top: draw.pick([1, 2, 5, 1000]),
						minCount: draw.pick([1, 1, 1, 2, 4]),
					};
					const found = compared(library, ...months, request, filters, geography);
					const expected = naiveCompared(naive[from], naive[to], request, filters, geography);
					assert.deepEqual(found, expected, JSON.stringify({ from, to, request, filters, geography }));
					if (found.groups.length > 1) seen.add(`${request.by} ${request.sort}`);
				}
			}
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
	await checkAsyncProperty(t, 40, property);
	assert.ok(seen.size > 30, `${seen.size} dimensions and sorts had several groups`);
});

/** The dimension of a month whose values are numbers of a fixed width, which begin at `first`. */
function dimensionOf(name: string, first: number, count: number): Dimension {
	const encoder = new TextEncoder();
	const texts = Array.from({ length: count }, (_, i) => String(first + i).padStart(8, "0"));
	const values = {
		distinct: count,
		heap: encoder.encode(texts.join("")),
		offsets: Uint32Array.from({ length: count + 1 }, (_, i) => 8 * i),
	};
	return { column: { name }, groupCount: count + 1, values } as unknown as Dimension;
}

const month = () => ({}) as SnapshotColumns;

/** The merge of `count` values with as many of which half are the same, and the slices that it took. */
function merge(cache: MergedGroupsCache, months: ColumnPair, column: string, count: number) {
	const [older, newer] = [dimensionOf(column, 0, count), dimensionOf(column, count / 2, count)];
	const found = cache.find(months, older, newer);
	if (!(found instanceof PendingWork)) return { merged: found, slices: 0 };
	const again = cache.find(months, older, newer);
	assert.ok(again instanceof PendingWork && again.name === found.name, "the same work for the same question");
	let slices = 0;
	for (;;) {
		const { done, value } = found.work.next();
		slices++;
		if (done) return { merged: value as MergedGroups, slices };
	}
}

test("large dictionaries are merged in slices, once, and small ones at once", () => {
	const cache = new MergedGroupsCache();
	const months = [month(), month()] as const;
	const count = 4 * SLICE_SIZES.rows;
	const { merged, slices } = merge(cache, months, "office_name", count);
	assert.ok(slices >= (1.5 * count) / SLICE_SIZES.rows, `${slices} slices`);
	assert.equal(merged.count, 1.5 * count + 1);
	assert.deepEqual([merged.older[7], merged.newer[7], merged.older[count]], [7, count / 2 + 7, 1.5 * count]);
	assert.deepEqual(
		[merged.older[count / 2], merged.newer[0]],
		[count / 2, count / 2],
		"values of both months",
	);
	assert.equal(merged.newer[count], merged.older[count], "rows without a value are one group");
	assert.equal(merge(cache, months, "office_name", count).merged, merged, "kept");
	assert.equal(merge(cache, [months[1], months[0]], "office_name", count).slices > 0, true, "other months");
	const few = merge(cache, months, "state", MERGED_AT_ONCE_MAX / 2 - 2);
	assert.equal(few.slices, 0);
	assert.equal(merge(cache, months, "state", MERGED_AT_ONCE_MAX / 2 - 2).merged, few.merged, "kept, too");
	assert.ok(merge(cache, months, "member_city", MERGED_AT_ONCE_MAX).slices > 0);
});

test("no slice takes more values than others where one month has far fewer", () => {
	const months = [month(), month()] as const;
	const [few, many] = [dimensionOf("a", 0, 10), dimensionOf("a", 0, 8 * SLICE_SIZES.rows)];
	for (const [older, newer] of [
		[few, many],
		[many, few],
	]) {
		const found = new MergedGroupsCache().find(months, older, newer);
		assert.ok(found instanceof PendingWork);
		let slices = 0;
		while (found.work.next().done !== true) slices++;
		assert.equal(slices, 8);
	}
});

test("merges are kept within their bound, those used last, and released with either of their months", () => {
	const count = 4 * MERGED_AT_ONCE_MAX;
	const bytes = 8 * (count + 1);
	const cache = new MergedGroupsCache(3 * bytes);
	const [a, b, c] = [month(), month(), month()];
	const first = merge(cache, [a, b], "office_name", count).merged;
	for (const column of ["member_city", "member_postal_code"]) merge(cache, [a, b], column, count);
	assert.equal(cache.keptBytes, 3 * bytes);
	assert.equal(merge(cache, [a, b], "office_name", count).merged, first, "used again");
	merge(cache, [b, c], "office_name", count);
	assert.equal(cache.keptBytes, 3 * bytes);
	assert.equal(merge(cache, [a, b], "office_name", count).slices, 0, "used after the others");
	assert.ok(merge(cache, [a, b], "member_city", count).slices > 0, "the one used longest ago was dropped");
	cache.keepOnly([b, c]);
	assert.equal(cache.keptBytes, bytes, "that of the two months that are left");
	assert.equal(merge(cache, [b, c], "office_name", count).slices, 0);
	const found = cache.find(
		[b, c],
		dimensionOf("member_city", 0, count),
		dimensionOf("member_city", 1, count),
	);
	cache.keepOnly([c]);
	assert.ok(found instanceof PendingWork);
	finishWork(found.work);
	assert.equal(cache.keptBytes, 0, "nor is what was under way kept");
	const large = new MergedGroupsCache(1);
	merge(large, [a, b], "office_name", count);
	assert.equal(merge(large, [a, b], "office_name", count).slices, 0, "one that is larger is kept alone");
});
