/**
 * The engine answers random queries on random months as the naive scan does, over mapped and over shared
 * memory. `npm run fuzz -- engine/queries` runs 100,000 queries.
 */

import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { type AggregateRequest, DIMENSION_NAMES, OFFICE_SORTS } from "../../engine/index.js";
import { askedNameFault, COLUMNS, nameCompounds } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import type { NaiveMonth } from "../oracle/naive-query.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { randomGeography, randomProjection, randomQuery } from "../oracle/random-query.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { type Twins, withTwins } from "./compiled-month.js";
import {
	checkAggregate,
	checkGrant,
	checkOffices,
	checkPage,
	checkPlan,
	checkRendering,
	checkRow,
	checkSuggest,
} from "./conformance.js";

/** Queries per month: compiling a month costs as much as this many. */
const QUERIES_PER_MONTH = 40;

const SUGGEST_COLUMNS = COLUMNS.filter((c) => c.suggest !== null).map((c) => c.name);

/** Runs `work` on random months, usually `usualMonths` of them, each with the seeds of its queries. */
async function onRandomMonths(
	t: TestContext,
	usualMonths: number,
	work: (twins: Twins, querySeeds: Uint32Array) => void,
): Promise<void> {
	const seeds = fc.uint32Array({ minLength: QUERIES_PER_MONTH, maxLength: QUERIES_PER_MONTH });
	const property = fc.asyncProperty(
		randomMonth(),
		fc.boolean(),
		seeds,
		async (month, rowStore, querySeeds) => {
			await withTwins(rawRows(month), month.month, { rowStore }, (twins) => work(twins, querySeeds));
		},
	);
	await checkAsyncProperty(t, usualMonths, property, QUERIES_PER_MONTH);
}

function suggestRequest(naive: NaiveMonth, draw: Draw) {
	const field = draw.pick(SUGGEST_COLUMNS);
	const value = String(draw.pick(naive.rows)[field] ?? "");
	return {
		field,
		prefix: Array.from(value).slice(0, draw.below(4)).join(""),
		state: draw.oneIn(2) ? String(draw.pick(naive.rows).state) : null,
		limit: draw.pick([1, 2, 5, 20]),
		geography: draw.oneIn(3) ? randomGeography(naive, draw) : null,
	};
}

test("rows, order, totals and pages of random queries are those of the naive scan", async (t) => {
	await onRandomMonths(t, 75, ({ mapped, shared, naive }, querySeeds) => {
		for (const seed of querySeeds) {
			const query = randomQuery(naive, new Draw(seed));
			checkPlan(mapped, query);
			const expected = naive.query(query);
			checkPage(mapped, naive, query, expected);
			checkPage(shared, naive, query, expected);
		}
	});
});

test("JSON, NDJSON, CSV and the whole document of random queries are those of the naive renderer", async (t) => {
	await onRandomMonths(t, 30, ({ mapped, shared, naive }, querySeeds) => {
		for (const seed of querySeeds) {
			const draw = new Draw(seed);
			const query = randomQuery(naive, draw, { oneFilterIn: 10, limitMax: 20 });
			const projection = randomProjection(draw);
			checkRendering(mapped, naive, query, projection);
			checkRendering(shared, naive, query, projection);
		}
	});
});

function aggregateRequest(draw: Draw): AggregateRequest {
	const first = draw.pick(DIMENSION_NAMES);
	const second = draw.pick(DIMENSION_NAMES);
	const by = first === second || draw.oneIn(2) ? [first] : [first, second];
	return { by, top: draw.pick([1, 2, 5, 1000]), minCount: draw.pick([1, 1, 2, 5]) };
}

test("aggregates of random queries are those of the naive scan", async (t) => {
	await onRandomMonths(t, 30, ({ mapped, shared, naive }, querySeeds) => {
		// One of the twins has the groups of its states counted.
		for (const _ of shared.precompute());
		for (const seed of querySeeds) {
			const draw = new Draw(seed, 2);
			const { filters, geography } = randomQuery(naive, draw, { oneFilterIn: 12, limitMax: 20 });
			const request = aggregateRequest(draw);
			checkAggregate(mapped, naive, request, filters, geography);
			checkAggregate(shared, naive, request, filters, geography);
		}
	});
});

/** A word or two of some office's name, perhaps with a letter left out. */
function askedOffice(naive: NaiveMonth, draw: Draw): string {
	const words = String(draw.pick(naive.rows).office_name ?? "Realty").split(" ");
	const text = draw.some(words, 2).join(" ") || "Realty";
	const at = draw.below(text.length);
	const asked = draw.oneIn(3) ? text.slice(0, at) + text.slice(at + 1) : text;
	return askedNameFault(nameCompounds(asked)) === null ? asked : "Realty";
}

test("offices of random queries are those of the naive scan", async (t) => {
	await onRandomMonths(t, 20, ({ mapped, shared, naive }, querySeeds) => {
		for (const _ of shared.precompute());
		for (const seed of querySeeds) {
			const draw = new Draw(seed, 3);
			const { filters, geography } = randomQuery(naive, draw, { oneFilterIn: 6, limitMax: 20 });
			const { state, city, office_name } = filters;
			const given = Object.entries({ state, city, office_name }).filter(([, value]) => value !== undefined);
			const like = draw.oneIn(2) ? null : [askedOffice(naive, draw)];
			const request = {
				like,
				sort: like !== null && draw.oneIn(2) ? ("match" as const) : draw.pick(OFFICE_SORTS),
				offset: draw.pick([0, 0, 1, 5]),
				limit: draw.pick([1, 3, 200]),
			};
			checkOffices(mapped, naive, request, Object.fromEntries(given), geography);
			checkOffices(shared, naive, request, Object.fromEntries(given), geography);
		}
	});
});

test("single rows, licenses, grants, statistics and suggestions are those of the naive scan", async (t) => {
	await onRandomMonths(t, 30, ({ mapped, naive }, querySeeds) => {
		for (const seed of querySeeds) {
			const draw = new Draw(seed);
			checkRow(mapped, naive, draw.below(naive.rows.length), randomProjection(draw));
			checkSuggest(mapped, naive, suggestRequest(naive, draw));
		}
		const draw = new Draw(querySeeds[0], 1);
		for (const geography of [null, randomGeography(naive, draw), randomGeography(naive, draw)]) {
			checkGrant(mapped, naive, geography);
		}
	});
});
