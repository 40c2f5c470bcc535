/**
 * Months of 300,000 rows, which have every index: random queries and the named shapes are answered as by the naive
 * scan, and each query also in every way that the planner did not choose.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { compileMonth } from "../../../builder/compile/compile-month.js";
import { DIMENSION_NAMES, type DimensionName, type Snapshot } from "../../../engine/index.js";
import type { Plan } from "../../../engine/plan/plan.js";
import { DEFAULT_QUERY, type Filters, type Geography, type Query } from "../../../engine/query.js";
import { snapshotFolder } from "../../../formats/index.js";
import { ColumnMonth, type ColumnMonthShape } from "../../oracle/column-month.js";
import { Draw } from "../../oracle/draw.js";
import { columnAggregate } from "../../oracle/naive-aggregates.js";
import { fuzzRuns, SEED, tellSeed } from "../../oracle/seeded.js";
import { openMonth, runHere } from "../compiled-month.js";
import type { Shape } from "../large-shapes.js";
import { EngineUnderTest, otherPlans } from "./engine-under-test.js";
import { drawQueries } from "./large-queries.js";
import { PATH_PROFILES, type PathProfile, usePaths } from "./tuning-profiles.js";
import type { Ways } from "./ways.js";

const MONTH = "2026-11";
const ROWS = 300_000;
/** Ways to order a bitmap that are tried for one query, at most. */
const PROFILES_PER_QUERY = 5;

export const FEW_STATES: ColumnMonthShape = { rows: ROWS, states: "few" };
export const MANY_STATES: ColumnMonthShape = { rows: ROWS, states: "many" };

/** A month to query and its naive scan. */
export interface LargeMonth {
	readonly engine: EngineUnderTest;
	readonly snapshot: Snapshot;
	readonly naive: ColumnMonth;
	remove(): void;
}

export async function buildLargeMonth(shape: ColumnMonthShape): Promise<LargeMonth> {
	const data = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	const remove = () => rmSync(data, { recursive: true, force: true });
	try {
		const naive = new ColumnMonth(SEED, MONTH, shape);
		const folder = snapshotFolder(data, MONTH);
		mkdirSync(folder, { recursive: true });
		await compileMonth(naive.parsed, { month: MONTH, folder, run: runHere });
		return { engine: new EngineUnderTest(folder), snapshot: openMonth(data, "mmap"), naive, remove };
	} catch (error) {
		remove();
		throw error;
	}
}

/** The pages of a named shape, in both orders. */
export function checkShape({ engine, naive }: LargeMonth, { filters, sort, pages, limit }: Shape): void {
	for (const order of ["asc", "desc"] as const) {
		for (const page of pages ?? [1]) {
			const query: Query = {
				...DEFAULT_QUERY,
				filters: filters ?? {},
				sort: sort ?? DEFAULT_QUERY.sort,
				order,
				page,
				limit: limit ?? 100,
			};
			checkPlan(engine, naive.places(query), query, engine.plan(query));
		}
	}
}

/** Dimensions whose groups are few, many, or more in pairs than are counted in an array. */
const PAIRS: readonly (readonly DimensionName[])[] = [
	["issued_year", "state"],
	["office_name", "member_city"],
	["member_postal_code", "office_name"],
	["status_group", "license_status"],
	["state", "office_name"],
	["expires_month", "member_city"],
	["issued_month", "issued_year"],
];

/** Aggregates of one dimension and two, of all rows, of few, and of most; `brief`: of half as many selections. */
export function checkAggregates({ snapshot, naive }: LargeMonth, brief = false): void {
	const filters: readonly Filters[] = [
		{},
		{ license_status: "Active" },
		{ state: ["TX", "ON"], status_not: "Active" },
		{ status_not: "Probation", present: ["member_city"] },
		{ last_name: "mc" },
	];
	const asks: readonly (readonly [Filters, Geography | null])[] = [
		...filters.map((each) => [each, null] as const),
		...filters.slice(0, 2).map((each) => [each, { countries: ["CA"], states: ["WY"] }] as const),
	];
	for (const [each, geography] of asks.filter((_, at) => !brief || at % 2 === 1)) {
		const places = naive.matching(each, geography);
		for (const by of [...DIMENSION_NAMES.map((name) => [name]), ...PAIRS]) {
			const request = { by, top: 50, minCount: 1 };
			const { next: _, ...found } = snapshot.groups.aggregate(request, each, geography);
			assert.deepEqual(
				found,
				columnAggregate(naive.columns, places, request),
				JSON.stringify({ by, each, geography }),
			);
		}
	}
}

/**
 * Random queries, each as planned and in every other way: `usual` of them, and more until every way was taken often
 * enough, up to eight times as many. Counts the ways taken.
 */
export function checkRandomQueries(
	t: TestContext,
	{ engine, snapshot, naive }: LargeMonth,
	usual: number,
	ways: Ways,
	isEnough: () => boolean,
): void {
	const queries = fuzzRuns(usual);
	tellSeed(t, queries);
	for (let asked = 0, i = 0; asked < queries || (asked < 8 * usual && !isEnough()); i++) {
		const draw = new Draw(SEED, 10_000 + i);
		for (const query of drawQueries(naive, draw)) {
			const places = naive.places(query);
			checkEveryWay(engine, places, query, draw, ways);
			checkAfter(snapshot, places, query, draw);
			assert.equal(snapshot.count(query.filters, query.geography), places.length, JSON.stringify(query));
			asked++;
		}
	}
}

function checkEveryWay(
	engine: EngineUnderTest,
	places: Uint32Array,
	query: Query,
	draw: Draw,
	ways: Ways,
): void {
	const planned = engine.plan(query);
	for (const plan of [planned, ...someOf(otherPlans(planned, engine.context), draw)]) {
		const profiles = profilesFor(plan, draw);
		ways.note(plan, checkPlan(engine, places, query, plan));
		for (const [name, profile] of profiles) {
			usePaths(profile);
			try {
				ways.note(plan, checkPlan(engine, places, query, plan));
			} catch (error) {
				throw new Error(`paths: ${name}`, { cause: error });
			} finally {
				usePaths(PATH_PROFILES["as shipped"]);
			}
		}
	}
}

/** The rows after one of the answer's, as a cursor asks for them: those that follow it among the places of the naive scan. */
function checkAfter(snapshot: Snapshot, places: Uint32Array, query: Query, draw: Draw): void {
	const passed = draw.oneIn(8) ? 0 : draw.below(places.length + 1);
	const page = snapshot.queryAfter(query, passed === 0 ? null : places[passed - 1], passed);
	const expected = [...places.subarray(passed, passed + query.limit)];
	assert.deepEqual(
		{ rows: [...page.rows], hasNext: page.hasNext },
		{ rows: expected, hasNext: passed + expected.length < places.length },
		JSON.stringify({ query, passed }),
	);
}

/** Values of the constants to execute a plan under, besides those shipped: its rows are then ordered by another path. */
function profilesFor({ selection }: Plan, draw: Draw): [string, PathProfile][] {
	if (selection === "counted") return [["tests in order given up", PATH_PROFILES["tests in order given up"]]];
	// The others are ordered by one path.
	if (selection !== "bitmap" && selection !== "runs") return [];
	return draw.some(Object.entries(PATH_PROFILES), PROFILES_PER_QUERY);
}

/** All plans but scans, which read every row; of those one. */
function someOf(plans: readonly Plan[], draw: Draw): Plan[] {
	const scans = plans.filter(({ selection }) => selection === "scan");
	return [...plans.filter(({ selection }) => selection !== "scan"), ...draw.some(scans, 1)];
}

/** Executes a plan and compares its page and total with the places of the naive scan; returns the steps taken. */
function checkPlan(engine: EngineUnderTest, places: Uint32Array, query: Query, plan: Plan) {
	const { rows, total, steps } = engine.run(plan, query);
	const from = (query.page - 1) * query.limit;
	const expected = places.subarray(from, from + query.limit);
	const isEqual =
		total === places.length && rows.length === expected.length && rows.every((row, i) => row === expected[i]);
	if (!isEqual) {
		const { selection } = plan;
		assert.deepEqual(
			{ total, rows: [...rows] },
			{ total: places.length, rows: [...expected] },
			JSON.stringify({ query, selection, steps }),
		);
	}
	return steps;
}
