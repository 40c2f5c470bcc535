/** The pages of groups and of offices after each page's last one are the whole answer, for random requests of random months. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CountedGroup, DIMENSION_NAMES, OFFICE_SORTS } from "../../engine/index.js";
import { withTwins } from "../engine/compiled-month.js";
import { Draw } from "../oracle/draw.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { randomQuery } from "../oracle/random-query.js";
import { checkAsyncProperty } from "../oracle/seeded.js";

/** Every entry of the pages that `page` gives, each of the size drawn, until none follows. */
function walk<Entry>(
	draw: Draw,
	page: (size: number, after?: CountedGroup) => { entries: readonly Entry[]; next: CountedGroup | null },
): Entry[] {
	const walked: Entry[] = [];
	let after: CountedGroup | undefined;
	for (;;) {
		const size = 1 + draw.below(9);
		const { entries, next } = page(size, after);
		assert.ok(entries.length <= size);
		walked.push(...entries);
		if (next === null) return walked;
		assert.equal(entries.length, size, "a page is full where more follows");
		after = next;
	}
}

test("walking by the last group of each page gives every group once, in order", async (t) => {
	const property = fc.asyncProperty(randomMonth(200), fc.nat(), async (month, seed) => {
		await withTwins(rawRows(month), month.month, { rowStore: false }, ({ mapped, naive }) => {
			const draw = new Draw(seed);
			for (let i = 0; i < 12; i++) {
				const { filters, geography } = randomQuery(naive, draw, { oneFilterIn: 12, limitMax: 9 });
				const by = draw.some(DIMENSION_NAMES, 2);
				const request = { by: by.length === 0 ? (["state"] as const) : by, minCount: draw.pick([1, 1, 2]) };
				const whole = mapped.groups.aggregate({ ...request, top: 1_000_000 }, filters, geography);
				const groups = walk(draw, (top, after) => {
					const found = mapped.groups.aggregate({ ...request, top, after }, filters, geography);
					assert.deepEqual([found.rows, found.groupCount], [whole.rows, whole.groupCount]);
					return { entries: found.groups, next: found.next };
				});
				assert.deepEqual(groups, whole.groups, JSON.stringify({ request, filters, geography }));

				const { state, city, office_name } = filters;
				const given = Object.entries({ state, city, office_name }).filter(([, value]) => value !== undefined);
				const narrowed = Object.fromEntries(given);
				const like = draw.oneIn(3) ? ["realty"] : null;
				const sort = like === null ? draw.pick(OFFICE_SORTS) : ("match" as const);
				const asked = { like, sort, offset: 0 };
				const all = mapped.groups.offices({ ...asked, limit: 1_000_000 }, narrowed, geography);
				const offices = walk(draw, (limit, after) => {
					const found = mapped.groups.offices({ ...asked, limit, after }, narrowed, geography);
					assert.equal(found.total, all.total);
					return { entries: found.offices, next: found.next };
				});
				assert.deepEqual(offices, all.offices, JSON.stringify({ asked, narrowed, geography }));
			}
		});
	});
	await checkAsyncProperty(t, 25, property);
});
