/** The pages after each page's last row are the whole answer, in its order, for random queries of random months. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Query } from "../../engine/index.js";
import { SORTABLE_COLUMNS } from "../../formats/index.js";
import { withTwins } from "../engine/compiled-month.js";
import { Draw } from "../oracle/draw.js";
import type { NaiveMonth } from "../oracle/naive-query.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { randomQuery } from "../oracle/random-query.js";
import { checkAsyncProperty } from "../oracle/seeded.js";

const SORTS = SORTABLE_COLUMNS.map((c) => c.name);

/** A random query: by id, by columns, or by best match of a name. */
function walkedQuery(naive: NaiveMonth, draw: Draw): Query {
	const drawn = randomQuery(naive, draw, { oneFilterIn: draw.pick([2, 8, 1000]), limitMax: 9 });
	const sort = draw.oneIn(2) ? [draw.pick(SORTS)] : drawn.sort;
	const isByMatch = drawn.filters.name !== undefined && draw.oneIn(2);
	const ordered = sort.length === 0 ? (["id"] as const) : sort;
	return { ...drawn, sort: isByMatch ? [] : ordered, page: 1, count: draw.oneIn(2) };
}

test("walking by the last row of each page gives every row once, in order, with the exact total", async (t) => {
	const property = fc.asyncProperty(randomMonth(200), fc.nat(), async (month, seed) => {
		await withTwins(rawRows(month), month.month, { rowStore: false }, ({ mapped, naive }) => {
			const draw = new Draw(seed);
			// As streams give it back: with rows of other pages.
			const memory = new Uint32Array(41).fill(0xffff_ffff);
			for (let i = 0; i < 25; i++) {
				const query = walkedQuery(naive, draw);
				const whole = naive.query({ ...query, limit: 1_000_000 }).rows;
				const walked: number[] = [];
				let after: number | null = null;
				for (let more = true; more; ) {
					const limit = 1 + draw.below(40);
					const page = mapped.queryAfter(
						{ ...query, limit },
						after,
						walked.length,
						draw.oneIn(2) ? memory : undefined,
					);
					assert.equal(page.total, query.count ? whole.length : null);
					walked.push(...page.rows);
					assert.equal(page.hasNext, walked.length < whole.length);
					more = page.hasNext;
					after = page.rows[page.rows.length - 1] ?? null;
				}
				assert.deepEqual(
					walked,
					whole.map((row) => naive.rows.indexOf(row)),
					JSON.stringify(query),
				);
			}
		});
	});
	await checkAsyncProperty(t, 40, property);
});
