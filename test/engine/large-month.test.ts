/**
 * On a month large enough for every index, the engine answers random queries and the named shapes as the
 * naive scan does, and together they use every access path.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DimensionName, Filters, OfficesRequest, Plan, Query } from "../../engine/index.js";
import { DEFAULT_QUERY } from "../../engine/index.js";
import { Draw } from "../oracle/draw.js";
import { LARGE_MONTH, largeRows } from "../oracle/large-month.js";
import { randomQuery } from "../oracle/random-query.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";
import { checkAggregate, checkOffices, checkPage } from "./conformance.js";
import { SHAPES, type Shape } from "./large-shapes.js";

/** Plans counted by the access path chosen. */
class Ways {
	private readonly seen = new Set<string>();

	note(plan: Plan): void {
		this.seen.add(`select ${plan.selection}`);
		this.seen.add(`index ${plan.order.scan.source}`);
		for (const predicate of plan.predicates) {
			if (predicate.negated) this.seen.add("complement");
			if (predicate.terms.length > 1) this.seen.add("union");
			for (const term of predicate.terms) this.seen.add(`slice ${term.slice.source}`);
			// On a month this large, a better path exists for nearly all queries that would be set row by row.
			if (plan.selection !== "bitmap") continue;
			for (const { bitmap } of predicate.terms) if (bitmap !== null) this.seen.add(`bitmap ${bitmap}`);
		}
	}

	list(): string[] {
		return [...this.seen].sort();
	}
}

const EVERY_WAY = [
	"bitmap code",
	"bitmap cumulative",
	"bitmap missing",
	"complement",
	"index byState",
	"index permutation",
	"index rows",
	"select bitmap",
	"select empty",
	"select list",
	"select merge",
	"select names",
	"select runs",
	"select scan",
	"select slice",
	"slice byState",
	"slice none",
	"slice permutation",
	"slice postings",
	"union",
];

const AGGREGATES: readonly (readonly DimensionName[])[] = [
	["office_name"],
	["expires_month"],
	["issued_year", "state"],
	["office_name", "member_city"],
	["member_postal_code", "office_name"],
	["status_group", "license_status"],
];

function queriesOf({ filters, sort, pages, limit }: Shape): Query[] {
	return (["asc", "desc"] as const).flatMap((order) =>
		(pages ?? [1]).map((page) => ({
			...DEFAULT_QUERY,
			filters: filters ?? {},
			sort: sort ?? DEFAULT_QUERY.sort,
			order,
			page,
			limit: limit ?? 100,
		})),
	);
}

test("a large month", async (t) => {
	await withTwins(
		largeRows(SEED),
		LARGE_MONTH,
		{ rowStore: true, large: true },
		async ({ mapped, shared, naive }) => {
			const ways = new Ways();
			const check = (query: Query) => {
				ways.note(mapped.explain(query));
				const expected = naive.query(query);
				checkPage(mapped, naive, query, expected);
				checkPage(shared, naive, query, expected);
			};
			for (const [name, shape] of Object.entries(SHAPES)) {
				await t.test(name, () => {
					for (const query of queriesOf(shape)) check(query);
				});
			}
			await t.test("random queries", (random) => {
				const queries = Math.ceil(fuzzRuns(3000) / 20);
				tellSeed(random, queries);
				for (let i = 0; i < queries; i++) {
					check(randomQuery(naive, new Draw(SEED, i), { oneFilterIn: 6, limitMax: 1000 }));
				}
			});
			await t.test("aggregates of one dimension and two, in arrays and in a table", () => {
				const filters = [{}, { license_status: "Active" }, { state: ["TX", "ON"], status_not: "Active" }];
				for (const by of AGGREGATES) {
					for (const each of filters) {
						const request = { by, top: 50, minCount: 1 };
						checkAggregate(mapped, naive, request, each, null);
						checkAggregate(mapped, naive, request, each, { countries: ["CA"], states: ["WY"] });
					}
				}
			});
			await t.test("offices by prefix, by words, by state and city", () => {
				const request = { like: null, sort: "rows", offset: 3, limit: 40 } as const;
				const asks: readonly (readonly [Partial<OfficesRequest>, Filters])[] = [
					[{}, {}],
					[{ sort: "office_name" }, { state: ["TX", "ON"], office_name: ["a", "mc"] }],
					[{}, { city: ["aville10", "AVILLE11", "ville20"] }],
					[{ like: ["reatly 17"], sort: "match" }, { state: ["CA"] }],
				];
				for (const [changes, filters] of asks) {
					for (const geography of [null, { countries: ["CA"], states: ["WY"] }] as const)
						checkOffices(mapped, naive, { ...request, ...changes }, filters, geography);
				}
			});
			await t.test("every access path was used", () => assert.deepEqual(ways.list(), EVERY_WAY));
		},
	);
});
