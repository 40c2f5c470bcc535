/** Pages of walks that are found in slices are those that are found at once, for random queries of random months. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { finishWork, PendingWork, type Query, type Snapshot } from "../../engine/index.js";
import { SORTABLE_COLUMNS } from "../../formats/index.js";
import { WalkPages } from "../../server/api/bulk/walk-pages.js";
import { withTwins } from "../engine/compiled-month.js";
import { Draw } from "../oracle/draw.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { randomQuery } from "../oracle/random-query.js";
import { checkAsyncProperty } from "../oracle/seeded.js";

const SORTS = SORTABLE_COLUMNS.map((c) => c.name);

/** The page after a row, found at once, and whether slices of `sliceRows` rows give the same. */
function checkPage(snapshot: Snapshot, pages: WalkPages, query: Query, after: number | null, passed: number) {
	const whole = snapshot.queryAfter(query, after, passed);
	const place = { snapshot, after, passed };
	const find = () => pages.find(place, query, whole.rows.length);
	const first = find();
	let isSliced = false;
	if (first instanceof PendingWork) {
		isSliced = true;
		finishWork(first.work);
	}
	const found = first instanceof PendingWork ? find() : first;
	assert.ok(!(found instanceof PendingWork), "it is found once its work is done");
	assert.deepEqual({ ...found.page, rows: [...found.page.rows] }, { ...whole, rows: [...whole.rows] });
	pages.giveBack(found);
	return { last: whole.rows[whole.rows.length - 1] ?? null, isSliced };
}

test("a page in slices is the page at once", async (t) => {
	let sliced = 0;
	const property = fc.asyncProperty(randomMonth(200), fc.nat(), async (month, seed) => {
		await withTwins(rawRows(month), month.month, { rowStore: false }, ({ mapped, naive }) => {
			const draw = new Draw(seed);
			const pages = new WalkPages(60, 1 + draw.below(9));
			for (let i = 0; i < 20; i++) {
				const drawn = randomQuery(naive, draw, { oneFilterIn: draw.pick([8, 1000]), limitMax: 9 });
				const sort = [draw.pick(SORTS), ...(draw.oneIn(2) ? [draw.pick(SORTS)] : [])];
				const query = { ...drawn, sort, page: 1, limit: 1 + draw.below(60), count: draw.oneIn(2) };
				const { last, isSliced } = checkPage(mapped, pages, query, null, 0);
				if (isSliced) sliced++;
				if (last !== null) checkPage(mapped, pages, query, last, query.limit);
			}
		});
	});
	await checkAsyncProperty(t, 40, property);
	assert.ok(sliced > 100, `${sliced} pages were found in slices`);
});

test("pages that were taken or that nobody takes, and work that is given up, are not found again", async () => {
	const months = fc.sample(randomMonth(200), { seed: 1, numRuns: 50 });
	const month = months.reduce((a, b) => (rawRows(b).length > rawRows(a).length ? b : a));
	await withTwins(rawRows(month), month.month, { rowStore: false }, ({ mapped }) => {
		const pages = new WalkPages(9, 2);
		const query: Query = {
			filters: {},
			sort: ["member_last_name"],
			order: "asc",
			page: 1,
			limit: 9,
			count: true,
			geography: null,
		};
		const ask = (passed: number) => {
			const found = pages.find({ snapshot: mapped, after: null, passed }, query, 9);
			assert.ok(found instanceof PendingWork, `page after ${passed}`);
			return found.work;
		};
		for (let passed = 0; passed < 5; passed++) finishWork(ask(passed));
		// The oldest of five made room.
		ask(0);
		const givenUp = ask(9);
		givenUp.next();
		givenUp.return(undefined);
		ask(9);
		const anew = { month: mapped.month, digest: "00000000" } as Snapshot;
		assert.ok(pages.find({ snapshot: anew, after: null, passed: 4 }, query, 9) instanceof PendingWork);
		assert.ok(!(pages.find({ snapshot: mapped, after: null, passed: 4 }, query, 9) instanceof PendingWork));
		// Its list belongs to who took it.
		ask(4);
	});
});
