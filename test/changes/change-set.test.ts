/** Queries of changes over random months, page by page, against a naive comparison. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangePosition } from "../../engine/index.js";
import { FILTER_NAMES } from "../../formats/index.js";
import type { NaiveRow } from "../oracle/naive-rows.js";
import { checkAsyncProperty, fuzzRuns } from "../oracle/seeded.js";
import { type Ask, expected, onPairs, randomAsk } from "./change-pairs.js";

/** Random months that are queried. */
const CASES = 60;
/** Queries of each pair of months: so many that every filter has entries in one of them. */
const ASKS = 24;

/** Names of the filters that have a value. */
function given(filters: Ask["filters"]): string[] {
	return Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

test("pages of changes equal those of a naive comparison, for any filters, grant, kinds and sizes", async (t) => {
	/** Filters that were asked and had entries. */
	const asked = new Set<string>();
	const property = onPairs((pair, draw) => {
		for (let i = 0; i < ASKS; i++) {
			const ask = randomAsk(pair, draw);
			const all = expected(pair, ask);
			if (all.length > 0) for (const name of given(ask.filters)) asked.add(name);
			const totals = { new: 0, gone: 0, changed: 0 };
			for (const { kind } of all) totals[kind]++;
			const listed: unknown[] = [];
			let after: ChangePosition | null = null;
			for (let more = true; more; ) {
				const limit = 1 + draw.below(9);
				const page = pair.set.query({ ...ask, after, limit });
				assert.deepEqual(page.totals, totals);
				const rows = page.runs.flatMap(({ kind, rows }) => Array.from(rows, (row) => ({ kind, row })));
				listed.push(...rows);
				assert.ok(page.runs.every((run) => run.rows.length > 0));
				assert.deepEqual(page.last, rows.at(-1) ?? null, "where the next page begins");
				assert.equal(page.hasNext, listed.length < all.length);
				assert.equal(rows.length, page.hasNext ? limit : Math.min(limit, rows.length));
				more = page.hasNext;
				after = page.last;
			}
			assert.deepEqual(
				listed,
				all.map(({ kind, row, previous }) => ({
					kind,
					row:
						kind === "gone"
							? pair.from.rows.indexOf(previous as NaiveRow)
							: pair.to.rows.indexOf(row as NaiveRow),
				})),
			);
		}
	});
	await checkAsyncProperty(t, CASES, property);
	const missed = FILTER_NAMES.filter((name) => !asked.has(name));
	assert.deepEqual(fuzzRuns(CASES) < CASES ? [] : missed, [], "every filter is asked");
});
