/**
 * Counts of statuses with types by block: pages and totals of every pair, in months of several blocks and states, are those of
 * a month without them, and take their rows from the counted blocks alone.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import { DEFAULT_QUERY, type Query } from "../../engine/index.js";
import type { Filters, Geography } from "../../engine/query.js";
import { SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { compileRows } from "./compiled-month.js";
import { EngineUnderTest } from "./tunable/engine-under-test.js";

const MONTH = "2026-11";
/** More than two blocks. */
const ROWS = 70_000;
const STATES = ["AZ", "CA", "NY", "TX"];
const STATUSES = ["Active", "ACTIVE", "Expired", "Revoked", ""];
const TYPES = ["Broker", "Salesperson", "Appraiser", ""];

/** Rows of which no appraiser has been revoked, and only those of one state have no type. */
function rawRows() {
	const draw = new Draw(5);
	return Array.from({ length: ROWS }, (_, i) => {
		const state = STATES[draw.below(STATES.length)];
		const type = TYPES[draw.below(state === "NY" ? 4 : 3)];
		const status = STATUSES[draw.below(type === "Appraiser" ? 3 : 5)];
		return { state, member_last_name: `Name ${i}`, member_license_status: status, member_type: type };
	});
}

/** Filters on a status and a type, each alike by its group. */
function askedFilters(): Filters[] {
	const statuses: Filters[] = [
		{ license_status: "Active" },
		{ license_status: "Revoked" },
		{ license_status: ["ACTIVE", "Expired"] },
		{ status_not: "Expired" },
		{ missing: ["member_license_status"] },
		{ status_group: "active" },
	] as Filters[];
	const types: Filters[] = [
		{ member_type: "Salesperson" },
		{ member_type: "Appraiser" },
		{ type_not: "Broker" },
		{ type_group: "broker" },
	] as Filters[];
	return statuses.flatMap((status) => types.map((type) => ({ ...status, ...type })));
}

const GRANTS: readonly (Geography | null)[] = [null, { countries: [], states: ["AZ", "NY"] }];

describe("counts of statuses with types", () => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-pairs-"));
	before(() => compileRows(rawRows(), MONTH, folder, false, new Draw(1)));
	after(() => rmSync(folder, { recursive: true }));

	const open = () => new EngineUnderTest(snapshotFolder(folder, MONTH));

	/** Asks every query of a month with counts and of one without; returns how many pages came from counted blocks. */
	function compareAll(queries: readonly Query[]): { readonly byBlock: number; readonly empty: number } {
		const counting = open();
		counting.countPairs();
		let byBlock = 0;
		let empty = 0;
		for (const query of queries) {
			const other = open();
			const expected = other.run(other.plan(query), query);
			const found = counting.run(counting.plan(query), query);
			assert.equal(found.total, expected.total, JSON.stringify(query.filters));
			assert.deepEqual(found.rows, expected.rows, JSON.stringify(query));
			byBlock += +found.steps.some(({ path }) => path === "seek blocks");
			empty += +(found.total === 0);
		}
		return { byBlock, empty };
	}

	test("pages and totals are those of a month without them", () => {
		const queries: Query[] = [];
		for (const filters of askedFilters())
			for (const geography of GRANTS)
				for (const state of [undefined, ["CA"], ["AZ", "TX"]])
					for (const [order, page] of [
						["asc", 3],
						["desc", 40],
					] as const)
						queries.push({
							...DEFAULT_QUERY,
							filters: state === undefined ? filters : { ...filters, state },
							geography,
							order,
							page,
							limit: 50,
						});
		const { byBlock, empty } = compareAll(queries);
		assert.ok(byBlock > queries.length / 3, `${byBlock} of ${queries.length} pages by block`);
		assert.ok(empty > 0);
	});

	test("runs that divide a state, and queries of other columns, are not counted by them", () => {
		const other = { license_status: "Active", member_type: "Broker" };
		const queries = [
			{ ...other, last_name: "name 1" },
			{ ...other, missing: ["member_city"] },
		].map((filters): Query => ({ ...DEFAULT_QUERY, filters: filters as Filters, limit: 50, page: 2 }));
		assert.equal(compareAll(queries).byBlock, 0);
	});

	test("a pair that no row has is answered without reading rows", () => {
		const counting = open();
		counting.countPairs();
		const query: Query = {
			...DEFAULT_QUERY,
			filters: { license_status: "Revoked", member_type: "Appraiser" },
			sort: ["office_name"],
		};
		const plan = counting.plan(query);
		assert.notEqual(plan.selection, "empty");
		const sealed = { get: () => assert.fail("rows are read") };
		for (const section of ["codes", "postings", "bitmaps", "cumulativeBitmaps"] as const)
			Object.defineProperty(counting.columns, section, { value: sealed });
		assert.equal(counting.run(plan, query).total, 0);
	});

	test("are not used before all rows are counted", () => {
		const columns = new SnapshotColumns(SnapshotFiles.open(snapshotFolder(folder, MONTH)));
		const { pairCounts } = columns;
		const [status, type] = [
			{ column: "member_license_status", codes: [{ from: 0, to: 1 }] },
			{ column: "member_type", codes: [{ from: 0, to: 1 }] },
		] as const;
		const all = [{ from: 0, to: ROWS }];
		let steps = 0;
		for (const _ of pairCounts.prepare(columns)) {
			steps++;
			assert.equal(pairCounts.get(status, type, all), null);
		}
		assert.ok(steps >= 4 * 6, `${steps} steps`);
		assert.notEqual(pairCounts.get(type, status, all), null);
		assert.equal(pairCounts.get(status, type, [{ from: 1, to: ROWS }]), null);
	});

	test("corrupt codes are passed over", () => {
		const columns = new SnapshotColumns(SnapshotFiles.open(snapshotFolder(folder, MONTH)));
		const corrupt = new Uint8Array(ROWS).fill(255);
		Object.defineProperty(columns, "codes", { value: { get: () => corrupt } });
		for (const _ of columns.pairCounts.prepare(columns));
		const status = { column: "member_license_status", codes: [{ from: 0, to: 1 }] } as const;
		const type = { column: "member_type", codes: [{ from: 0, to: 1 }] } as const;
		assert.equal(columns.pairCounts.get(status, type, [{ from: 0, to: ROWS }])?.before.at(-1), 0);
	});
});
