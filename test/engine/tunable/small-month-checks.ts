/**
 * Small months with every section that large ones have, asked under random tuning constants: each query as planned
 * and in every other way, against the naive scan.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { DIMENSION_NAMES, OFFICE_SORTS, type Snapshot } from "../../../engine/index.js";
import type { Query } from "../../../engine/query.js";
import { askedNameFault, nameCompounds, snapshotFolder } from "../../../formats/index.js";
import { MEMORY_FOLDER } from "../../memory-folder.js";
import { Draw } from "../../oracle/draw.js";
import { NaiveMonth } from "../../oracle/naive-query.js";
import { makeRows } from "../../oracle/naive-rows.js";
import { randomMonth, rawRows } from "../../oracle/random-month.js";
import { randomQuery } from "../../oracle/random-query.js";
import { checkAsyncProperty, SEED } from "../../oracle/seeded.js";
import { compileRows, openMonth } from "../compiled-month.js";
import { checkAggregate, checkOffices } from "../conformance.js";
import { EngineUnderTest, otherPlans } from "./engine-under-test.js";
import { buildLargeSections, PATH_PROFILES, usePaths, useRandomProfile } from "./tuning-profiles.js";
import type { Ways } from "./ways.js";

/** Queries per month: compiling a month costs as much as this many. */
const QUERIES_PER_MONTH = 60;

/** At most so many times the usual months are asked until each way was taken often. */
const ROUNDS_MAX = 4;

/**
 * Random months, each with queries of its own; counts the ways taken. While `isEnough` is false, as many months are
 * asked again under the next seed, four times at most.
 */
export async function checkSmallMonths(
	t: TestContext,
	usualMonths: number,
	ways: Ways,
	isEnough: () => boolean,
): Promise<void> {
	const seeds = fc.uint32Array({ minLength: QUERIES_PER_MONTH, maxLength: QUERIES_PER_MONTH });
	const property = fc.asyncProperty(randomMonth(), seeds, async (month, querySeeds) => {
		const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-test-"));
		buildLargeSections(true);
		try {
			const raw = rawRows(month);
			await compileRows(raw, month.month, data, false, new Draw(raw.length, 7));
			const naive = new NaiveMonth(month.month, makeRows(raw, month.month));
			checkMonth(data, naive, querySeeds, ways);
		} finally {
			usePaths(PATH_PROFILES["as shipped"]);
			buildLargeSections(false);
			rmSync(data, { recursive: true });
		}
	});
	for (let round = 0; round === 0 || (round < ROUNDS_MAX && !isEnough()); round++)
		await checkAsyncProperty(t, usualMonths, property, QUERIES_PER_MONTH, SEED + round);
}

function checkMonth(data: string, naive: NaiveMonth, querySeeds: Uint32Array, ways: Ways): void {
	const engine = new EngineUnderTest(snapshotFolder(data, naive.month));
	const snapshot = openMonth(data, "mmap");
	const firstId = Number(naive.rows[0]?.id);
	for (const seed of querySeeds) {
		const draw = new Draw(seed);
		const any = randomQuery(naive, draw);
		// Few random queries are of some states by one column, which are merged or divided, of a name, or of one range.
		const query = draw.oneIn(6)
			? { ...any, ...statesInOrder(naive, draw) }
			: draw.oneIn(8)
				? { ...any, ...someName(naive, draw) }
				: draw.oneIn(6)
					? { ...any, ...someRange(naive, draw) }
					: any;
		const expected = naive.query({ ...query, count: true });
		const ids = expected.rows.map(({ id }) => Number(id) - firstId);
		useRandomProfile(draw);
		if (draw.oneIn(QUERIES_PER_MONTH / 3)) {
			engine.countPairs();
			for (const _ of snapshot.groups.prepare());
		}
		assert.equal(snapshot.count(query.filters, query.geography), expected.total, JSON.stringify(query));
		const planned = engine.plan(query);
		for (const plan of [planned, ...otherPlans(planned, engine.context)]) {
			const { rows, total, steps } = engine.run(plan, query);
			assert.deepEqual({ total, rows: [...rows] }, { total: expected.total, rows: ids }, plan.selection);
			ways.note(plan, steps);
		}
		if (draw.oneIn(4)) checkGroups(snapshot, naive, query, draw);
	}
}

/** An aggregate and a page of offices under the filters of a query. */
function checkGroups(snapshot: Snapshot, naive: NaiveMonth, { filters, geography }: Query, draw: Draw): void {
	const by = draw.some(DIMENSION_NAMES, 2);
	if (by.length > 0) checkAggregate(snapshot, naive, { by, top: 5, minCount: 1 }, filters, geography);
	const { state, city, office_name } = filters;
	const given = Object.entries({ state, city, office_name }).filter(([, value]) => value !== undefined);
	const request = { like: null, sort: draw.pick(OFFICE_SORTS), offset: draw.below(3), limit: 3 };
	checkOffices(snapshot, naive, request, Object.fromEntries(given), geography);
}

/** Two or more states by one column. */
function statesInOrder(naive: NaiveMonth, draw: Draw): Pick<Query, "filters" | "sort" | "geography"> {
	const states = [...new Set(naive.rows.map(({ state }) => String(state)))].slice(0, -1);
	const sort = [draw.pick(["office_name", "member_license_expires", "member_last_name"] as const)];
	const filters = draw.oneIn(2) ? {} : { status_not: [String(draw.pick(naive.rows).member_license_status)] };
	return { filters: states.length === 0 ? filters : { ...filters, state: states }, sort, geography: null };
}

/** One range of an order, by id. */
function someRange(naive: NaiveMonth, draw: Draw): Partial<Query> {
	const row = draw.pick(naive.rows);
	const filters = draw.pick([
		{ expires_after: String(row.member_license_expires ?? "2026-01-01") },
		{ license_status: String(row.member_license_status) },
		{ last_name: Array.from(String(row.member_last_name ?? "a"))[0] },
	]);
	const state = draw.oneIn(2) ? {} : { state: [String(row.state)] };
	return { filters: { ...state, ...filters }, sort: [], geography: null };
}

/** The name of some row, best match first. */
function someName(naive: NaiveMonth, draw: Draw): Partial<Query> {
	const name = String(draw.pick(naive.rows).member_full_name ?? "");
	return askedNameFault(nameCompounds(name)) === null ? { filters: { name }, sort: [], geography: null } : {};
}
