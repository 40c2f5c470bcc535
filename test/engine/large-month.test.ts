/**
 * On a month large enough for every index, the engine answers random queries and the named shapes as the
 * naive scan does, and together they use every access path.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Filters, Plan, Query } from "../../engine/index.js";
import { DEFAULT_QUERY } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { LARGE_MONTH, largeRows } from "../oracle/large-month.js";
import { randomQuery } from "../oracle/random-query.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";
import { checkPage } from "./conformance.js";

/** Plans counted by the access path chosen. */
class Ways {
	private readonly seen = new Set<string>();

	note(plan: Plan): void {
		this.seen.add(`select ${plan.selection}`);
		this.seen.add(`index ${plan.order.scan.source}`);
		for (const predicate of plan.predicates) {
			this.seen.add(`slice ${predicate.slice.source}`);
			// On a month this large, a better path exists for nearly all queries that would be set row by row.
			if (plan.selection === "bitmap" && predicate.bitmap !== null)
				this.seen.add(`bitmap ${predicate.bitmap}`);
		}
	}

	list(): string[] {
		return [...this.seen].sort();
	}
}

const EVERY_WAY = [
	"bitmap code",
	"bitmap cumulative",
	"index byState",
	"index permutation",
	"index rows",
	"select bitmap",
	"select empty",
	"select list",
	"select merge",
	"select runs",
	"select scan",
	"select slice",
	"slice byState",
	"slice permutation",
	"slice postings",
];

interface Shape {
	readonly filters?: Filters;
	readonly sort?: readonly ColumnName[];
	/** Pages to ask for, 1-based. Default: the first. */
	readonly pages?: readonly number[];
	readonly limit?: number;
}

/** The shapes that published figures are given for, and their harder variants. */
const SHAPES: Readonly<Record<string, Shape>> = {
	"first page": {},
	"state by last name": { filters: { state: ["TX"] }, sort: ["member_last_name"], pages: [1, 2, 400] },
	"last-name prefix": { filters: { last_name: "mc" } },
	"state, name and status": { filters: { state: ["TX"], last_name: "b", license_status: "Expired" } },
	"license number": { filters: { license_number: "T1234" } },
	"office prefix by expiry": {
		filters: { office_name: "a" },
		sort: ["member_license_expires"],
		pages: [1, 7],
	},
	city: { filters: { city: "aville10" } },
	"postal code": { filters: { postal_code: "10123" } },
	"expiry window over three states": {
		filters: { state: ["CA", "NY", "ON"], expires_after: "2026-01-01", expires_before: "2026-12-31" },
		sort: ["member_license_expires"],
	},
	"status and type, deep": {
		filters: { license_status: "Active", member_type: "Salesperson" },
		pages: [1, 100, 250],
	},
	"country and issue date by office, last name": {
		filters: { country: "US", issued_after: "2005-01-01" },
		sort: ["office_name", "member_last_name"],
		pages: [1, 300],
	},
	"deep by full name": { sort: ["member_full_name"], pages: [1, 500, 800, 801] },
	"three date bounds": {
		filters: { issued_after: "2001-06-01", expires_before: "2027-06-01", first_issued_after: "2003-01-01" },
		sort: ["member_license_first_issued"],
	},
	"two letters of a last name by another column": {
		filters: { last_name: "as" },
		sort: ["member_license_issued"],
	},
	"many states and a rare status": {
		filters: { state: ["CA", "NY", "FL", "WY", "ON", "QC", "AB"], license_status: "Probation" },
		sort: ["office_name"],
	},
	"weak filter by an unrelated column, deep": {
		filters: { country: "US" },
		sort: ["member_license_issued"],
		pages: [1, 500],
	},
	"a column with many nulls": { sort: ["member_license_expires"], pages: [1, 500, 700, 800] },
	"no hits": { filters: { last_name: "qqqq" }, sort: ["office_name"] },
	"columns with huge groups": {
		sort: ["last_refreshed", "member_license_status", "state", "member_license_expires"],
		pages: [1, 2, 600, 799, 800],
	},
	"huge groups under a filter": {
		filters: { issued_after: "1999-05-05" },
		sort: ["state", "last_refreshed", "member_first_name"],
		pages: [1, 300, 500],
	},
	"one state's whole answer in one page": {
		filters: { state: ["TX"], member_type: "Broker" },
		sort: ["member_license_status"],
		limit: 1000,
		pages: [1, 5, 10],
	},
	"pages as large as the answer": {
		filters: { member_type: "Broker", issued_after: "2001-01-01" },
		sort: ["member_license_status", "member_full_name"],
		limit: 30_000,
		pages: [1, 2],
	},
	"a type by a column of few values, deep": {
		filters: { member_type: "Salesperson" },
		sort: ["member_license_status"],
		pages: [1, 200, 400],
	},
	"a weak filter along dates, deep": {
		filters: { office_name: "a" },
		sort: ["member_license_issued"],
		pages: [2, 10, 30, 50, 80],
	},
	"an uneven filter along dates, deep": {
		filters: { issued_after: "2010-01-01", license_status: "Active" },
		sort: ["member_license_first_issued"],
		pages: [20, 60, 100, 150, 200],
	},
	"a few states by any column": {
		filters: { state: ["CA", "NY", "TX"] },
		sort: ["office_name"],
		pages: [1, 2, 50, 400],
	},
	"a few states by a column with many nulls": {
		filters: { state: ["CA", "TX", "ON"] },
		sort: ["member_license_expires"],
		pages: [1, 300, 600, 700],
	},
	"a few states' last names": {
		filters: { state: ["NY", "TX", "ON"], last_name: "b" },
		sort: ["member_last_name"],
		pages: [1, 3],
	},
	"one state under a filter, by the order of its rows": {
		filters: { state: ["TX"], license_status: "Active" },
		sort: ["member_last_name"],
		pages: [1, 300, 700],
	},
	"one state under a filter, by the order of its rows and more": {
		filters: { state: ["TX"], license_status: "Active" },
		sort: ["member_last_name", "member_license_issued"],
		pages: [1, 300],
	},
	"one state that is one huge group": {
		filters: { state: ["TX"], license_status: "Active" },
		sort: ["state", "office_name"],
		pages: [1, 300],
	},
	"a huge group of nulls": {
		filters: { license_status: "Active" },
		sort: ["member_first_name", "member_license_expires"],
		pages: [1, 60, 200, 700],
	},
	"a quarter of the rows by an unrelated column, deep": {
		filters: { issued_after: "2018-06-01", first_issued_before: "9999-12-31" },
		sort: ["office_name", "member_last_name"],
		pages: [1, 190],
	},
	"a bound before nearly all dates": {
		filters: { issued_before: "2000-02-20", expires_after: "2025-11-01" },
		sort: ["member_full_name"],
	},
	"a bound before all dates": { filters: { issued_before: "1999-12-31" } },
	"a type of one state": { filters: { member_type: "Sales Agent" }, pages: [1, 200] },
	"a type of one state by three columns": {
		filters: { member_type: "Sales Agent", issued_after: "2003-01-01" },
		sort: ["state", "member_license_expires", "member_full_name"],
		pages: [1, 20, 150],
	},
	"a type of three states": { filters: { member_type: "Sales Associate" }, pages: [1, 60, 61] },
	"a type of three states under a filter": {
		filters: { member_type: "Sales Associate", expires_after: "2026-01-01", country: "US" },
		sort: ["state", "office_name"],
		pages: [1, 30],
	},
	"a type of three states by another column": {
		filters: { member_type: "Sales Associate" },
		sort: ["member_state_license_number"],
		pages: [1, 30, 61],
	},
	"a type where it does not lie": { filters: { member_type: "Sales Agent", state: ["NY", "WY"] } },
	"one value by its own column and another": {
		filters: { license_status: "Active", issued_after: "2003-01-01" },
		sort: ["member_license_status", "member_license_expires", "member_full_name"],
		pages: [1, 10, 300],
	},
	"all rows by two columns of dates": {
		sort: ["member_license_first_issued", "member_license_expires"],
		pages: [1, 300, 750, 800],
	},
	"a weak filter along two columns of dates, deep": {
		filters: { office_name: "a" },
		sort: ["member_license_expires", "member_license_first_issued"],
		pages: [2, 10, 30, 50, 80],
	},
	"everything at once": {
		filters: {
			state: ["TX", "CA"],
			country: "US",
			last_name: "a",
			office_name: "b",
			license_status: "Active",
			member_type: "Salesperson",
			issued_after: "2000-01-01",
			expires_before: "2028-01-01",
			first_issued_before: "2020-01-01",
		},
		sort: ["member_last_name", "member_first_name", "member_license_issued"],
	},
};

function queriesOf({ filters, sort, pages, limit }: Shape): Query[] {
	return (pages ?? [1]).flatMap((page) =>
		(["asc", "desc"] as const).map((order) => ({
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
			await t.test("every access path was used", () => assert.deepEqual(ways.list(), EVERY_WAY));
		},
	);
});
