/**
 * The engine answers as the naive scan does in every way that it has: on months of 300,000 rows, which have every
 * index, and on small ones whose thresholds are lowered. Each way is counted. `ROLLCALL_FUZZ_RUNS` (or
 * `npm test -- every-way --runs 100000`) asks more.
 */

import { register } from "node:module";
import { after, before, describe, test } from "node:test";
import { SHAPES } from "./large-shapes.js";

// Constants are made changeable before anything of the engine is loaded.
register("./tunable/constants-hook.js", import.meta.url);
const { buildLargeMonth, checkAggregates, checkRandomQueries, checkShape, FEW_STATES, MANY_STATES } =
	await import("./tunable/large-month-checks.js");
const { checkSmallMonths } = await import("./tunable/small-month-checks.js");
const { LOWERED_NAMES, TUNING_NAMES } = await import("./tunable/tuning-profiles.js");
const { Ways } = await import("./tunable/ways.js");

/** Random queries of each large month. */
const LARGE_QUERIES = 700;
const SMALL_MONTHS = 30;
/** Each way is taken at least so often. */
const TIMES_MIN = 100;
const SMALL_TIMES_MIN = 5;

const EVERY_WAY = [
	"best match",
	"bitmap code",
	"bitmap cumulative",
	"bitmap missing",
	"bitmap row by row",
	"complement",
	"count peers",
	"index byState",
	"index permutation",
	"index rows",
	"index scan",
	"index scan, given up",
	"merge states",
	"seek blocks",
	"seek cuts",
	"seek positions",
	"seek states",
	"select bitmap",
	"select counted",
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
	"take in order",
	"test in order",
	"test in order, given up",
	"top-N",
	"union",
];

/** Constants of rendering, of planning estimates, and of offices' hints, which change no path of a query. */
const NOT_LOWERED = [
	"CACHED_PROJECTIONS_MAX",
	"COST_NS",
	"CUTS_COUNTED",
	"CUT_SLICES_TAKEN",
	"READ_AHEAD_BLOCK_ROWS",
	"READ_AHEAD_DISTINCT_MIN",
	"READ_AHEAD_ROWS_MIN",
	"READ_AHEAD_VALUE_ROWS",
];

describe("months of 300,000 rows", () => {
	const ways = new Ways();
	for (const [shape, enough] of [
		[FEW_STATES, TIMES_MIN / 2],
		[MANY_STATES, TIMES_MIN],
	] as const) {
		describe(`of ${shape.states} states`, () => {
			let month: Awaited<ReturnType<typeof buildLargeMonth>>;
			before(async () => {
				month = await buildLargeMonth(shape);
			});
			after(() => month?.remove());
			if (shape === FEW_STATES) {
				test("answer the named shapes", () => {
					for (const each of Object.values(SHAPES)) checkShape(month, each);
				});
			}
			test("answer aggregates", () => checkAggregates(month, shape === MANY_STATES));
			test("answer random queries in every way", (t) =>
				checkRandomQueries(t, month, LARGE_QUERIES, ways, () => ways.have(EVERY_WAY, enough)));
		});
	}
	test("take every way often", (t) => {
		t.diagnostic(ways.toString());
		ways.check(EVERY_WAY, TIMES_MIN);
	});
});

test("small months answer random queries in every way, whatever the thresholds", async (t) => {
	const ways = new Ways();
	await checkSmallMonths(t, SMALL_MONTHS, ways, () => ways.have(EVERY_WAY, SMALL_TIMES_MIN));
	t.diagnostic(ways.toString());
	ways.check(EVERY_WAY, SMALL_TIMES_MIN);
});

test("every constant that bounds a size is lowered somewhere", () => {
	const names = [...LOWERED_NAMES, ...NOT_LOWERED].sort();
	if (names.join() !== [...TUNING_NAMES].sort().join())
		throw new Error(`constants of tuning: ${TUNING_NAMES}`);
});
