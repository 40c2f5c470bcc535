/**
 * Pages of the offices of whole states, ranked ahead and the largest read ahead: those found by reading rows, at any position,
 * after any office.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { LARGE_ROWS_MIN } from "../../engine/aggregate/large-offices.js";
import type { OfficesRequest, Snapshot } from "../../engine/index.js";
import type { Filters } from "../../engine/query.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { compileRows, openMonth } from "./compiled-month.js";

const ROWS = 60_000;
/** The first state has more offices than are sorted at once. */
const STATES = ["CA", "CA", "CA", "NY", "ON", "RI"];
const OFFICES = 12_000;
const ASKS = 300;

/** As many as a request may have, of a hundred offices each at most, and one of many more. */
const HUNDRED_PREFIXES = [...Array.from({ length: 99 }, (_, i) => `office ${101 + 2 * i}`), "office 3"];

const ASKED: readonly Filters[] = [
	{},
	{ country: "US" },
	{ state: ["CA"] },
	{ state: ["NY", "RI"] },
	{ state: ["CA", "ON"] },
	{ state: ["TX"] },
	{ city: ["City 7"] },
	{ state: ["CA"], city: ["City 7", "City 8"] },
	{ office_name: "office" },
	{ office_name: "office 1" },
	// Few of the offices of a piece, beside many.
	{ state: ["CA", "RI"], office_name: ["office 2", "office 499"] },
	{ office_name: "office 77" },
	{ office_name: HUNDRED_PREFIXES },
] as Filters[];

function rawRows() {
	const draw = new Draw(23);
	const states = Array.from({ length: ROWS }, () => draw.pick(STATES));
	return states.map((state, i) => ({
		state,
		member_last_name: `Name ${i}`,
		member_license_status: draw.pick(["Active", "Expired"]),
		member_city: `City ${draw.below(50)}`,
		// Some have hundreds of rows, most a few; those of other states are also the first state's.
		office_name: draw.oneIn(9)
			? ""
			: `Office ${draw.below(draw.oneIn(5) ? 10 : state === "CA" ? OFFICES : OFFICES / 40)}`,
		office_broker_name: `Broker ${draw.below(9)}`,
	}));
}

describe("ranked offices", () => {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-offices-"));
	let read: Snapshot;
	let ranked: Snapshot;
	before(async () => {
		await compileRows(rawRows(), "2026-11", folder, false, new Draw(1));
		read = openMonth(folder, "mmap");
		ranked = openMonth(folder, "mmap");
		for (const _ of ranked.groups.prepare());
	});
	after(() => rmSync(folder, { recursive: true }));

	const ask = (month: Snapshot, request: OfficesRequest, filters: Filters) =>
		month.groups.offices(request, filters, null);

	test("are those found by reading rows", () => {
		const draw = new Draw(5);
		for (let i = 0; i < ASKS; i++) {
			const filters = draw.pick(ASKED);
			const like = draw.oneIn(6) ? [`office ${draw.below(30)}`] : null;
			const sort = draw.pick(["rows", "office_name"] as const);
			const limit = draw.pick([1, 7, 200]);
			const offset = draw.oneIn(3) ? 0 : draw.below(draw.pick([10, 1_000, 20_000]));
			const request = { like, sort, offset, limit };
			const expected = ask(read, request, filters);
			const asked = JSON.stringify({ request, filters });
			assert.deepEqual(ask(ranked, request, filters), expected, asked);
			if (expected.next === null) continue;
			const following = { ...request, offset: draw.oneIn(3) ? 2 : 0, after: expected.next };
			assert.deepEqual(ask(ranked, following, filters), ask(read, following, filters), `after ${asked}`);
		}
	});

	test("need no row to be counted, unless a filter leaves rows of a state out", () => {
		const request = { like: null, sort: "rows", offset: 0, limit: 1 } as const;
		const elements = (month: Snapshot, filters: Filters) => {
			month.work.reset();
			ask(month, request, filters);
			return month.work.elements;
		};
		assert.equal(elements(ranked, { state: ["CA"] }), 0);
		assert.equal(elements(ranked, { office_name: "office 1" } as Filters), 0);
		assert.ok(elements(read, { state: ["CA"] }) > 0);
		assert.ok(elements(ranked, { state: ["CA"], city: "City 7" } as Filters) > 0);
	});

	test("are found at any position in about the time of the first, by a hundred prefixes too", () => {
		const filters = { office_name: HUNDRED_PREFIXES } as Filters;
		const leastMs = (offset: number) => {
			const times = Array.from({ length: 40 }, () => {
				const from = performance.now();
				ask(ranked, { like: null, sort: "rows", offset, limit: 1 }, filters);
				return performance.now() - from;
			});
			return Math.min(...times);
		};
		leastMs(0);
		const [first, deep] = [leastMs(0), leastMs(300)];
		assert.ok(deep < 1.7 * first, `${deep} ms at the 300th, ${first} at the first`);
	});

	test("are read ahead where they have many rows, of all cities", () => {
		const [request, filters] = [
			{ like: null, sort: "rows", offset: 0, limit: 200 } as const,
			{ state: ["CA"] },
		];
		const page = (month: Snapshot, city = {}) =>
			ask(month, request, { ...filters, ...city } as Filters).offices;
		const [first, again] = [page(ranked), page(ranked)];
		const kept = first.filter((office, i) => office === again[i]);
		assert.deepEqual(
			kept,
			first.filter(({ licenses }) => licenses >= LARGE_ROWS_MIN),
		);
		assert.ok(kept.length > 5 && kept.length < first.length, `${kept.length} kept`);
		const [ofCity] = page(ranked, { city: ["City 7"] });
		assert.deepEqual(ofCity.cities, ["City 7"]);
		assert.notEqual(page(read)[0], page(read)[0]);
	});

	test("are not used before those of all states are ranked", () => {
		for (const offset of [0, 300]) {
			const month = openMonth(folder, "mmap");
			const request = { like: null, sort: "rows", offset, limit: 3 } as const;
			const expected = ask(read, request, { state: ["RI"] });
			for (const _ of month.groups.prepare())
				assert.deepEqual(ask(month, request, { state: ["RI"] }), expected);
		}
	});
});
