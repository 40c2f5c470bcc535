/**
 * Counts of frequent values along sort orders: pages of a status or type in every order are those of a month without them, and
 * are read at their own positions alone.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DEFAULT_QUERY, type Query } from "../../engine/index.js";
import type { Filters } from "../../engine/query.js";
import {
	type ColumnName,
	columnNamed,
	ORDER_COUNT_POSITIONS,
	SORTABLE_COLUMNS,
	snapshotFolder,
} from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { compileRows } from "./compiled-month.js";
import { EngineUnderTest, type Executed } from "./tunable/engine-under-test.js";

const MONTH = "2026-11";
/** As many as a month with counts has; the last block is not full. */
const ROWS = 66_000;
const STATES = ["AZ", "CA", "NY", "TX"];
/** The last is as rare as those that are not counted. */
const STATUSES = ["Active", "ACTIVE", "Expired", "", "Revoked"];
const TYPES = ["Broker", "Salesperson", "Appraiser", ""];
const RARE_ROWS = 200;

/** Rows some of which have no date, office or status. */
function rawRows() {
	const draw = new Draw(8);
	return Array.from({ length: ROWS }, (_, i) => ({
		state: STATES[draw.below(STATES.length)],
		member_last_name: `Name ${draw.below(9000)}`,
		member_full_name: `${draw.pick(["Ann", "Bo", "Cy"])} ${draw.below(30_000)}`,
		office_name: draw.oneIn(3) ? "" : `Office ${draw.below(500)}`,
		member_license_expires: draw.oneIn(4) ? "" : `2027-0${1 + draw.below(9)}-1${draw.below(9)}`,
		member_license_status: i < RARE_ROWS ? "Revoked" : STATUSES[draw.below(4)],
		member_type: TYPES[draw.below(TYPES.length)],
	}));
}

const FILTERS = [
	{ license_status: ["Active"] },
	{ license_status: ["ACTIVE", "Expired"] },
	{ status_group: ["active"] },
	{ status_not: ["Active", "ACTIVE", "Revoked"] },
	{ missing: ["member_license_status"] },
	{ member_type: ["Salesperson"] },
	{ type_group: ["broker"] },
] as unknown as Filters[];

const ORDERS = SORTABLE_COLUMNS.map(({ name }) => name).filter((name) => name !== "id");

describe("counts along sort orders", () => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-orders-"));
	before(() => compileRows(rawRows(), MONTH, folder, false, new Draw(1)));
	after(() => rmSync(folder, { recursive: true }));

	const open = () => new EngineUnderTest(snapshotFolder(folder, MONTH));

	/** The month as one without counts answers. */
	function without(): EngineUnderTest {
		const engine = open();
		Object.defineProperty(engine.columns, "orderCounts", { value: { get: () => null } });
		return engine;
	}

	const isSought = ({ steps }: Executed) => steps.some(({ path }) => path === "seek positions");

	test("pages of every order, value and direction are those of a month without them", () => {
		const [counting, other] = [open(), without()];
		const draw = new Draw(3);
		let sought = 0;
		let asked = 0;
		for (const filters of FILTERS)
			for (const sort of ORDERS)
				for (const order of ["asc", "desc"] as const)
					for (const deep of [0, 0.5, 1]) {
						const query: Query = {
							...DEFAULT_QUERY,
							filters,
							sort: [sort],
							order,
							limit: 1 + draw.below(90),
						};
						const { total } = other.run(other.plan(query), query);
						const last = Math.max(1, Math.ceil(total / query.limit));
						const paged = { ...query, page: Math.min(last, 1 + Math.floor(deep * last)) };
						const expected = other.run(other.plan(paged), paged);
						const rows = Array.from(expected.rows);
						const found = counting.run(counting.plan(paged), paged);
						assert.equal(found.total, total, JSON.stringify(paged));
						assert.deepEqual(Array.from(found.rows), rows, JSON.stringify(paged));
						assert.ok(!isSought(expected));
						asked++;
						sought += +isSought(found);
					}
		assert.ok(sought > asked / 2, `${sought} of ${asked} pages sought`);
	});

	test("a page is read at its own positions, whatever its place", () => {
		const counting = open();
		for (const page of [1, 60, 150]) {
			const query: Query = {
				...DEFAULT_QUERY,
				filters: { license_status: ["Active"] },
				sort: ["member_full_name"],
				page,
				limit: 100,
			};
			const { steps, rows } = counting.run(counting.plan(query), query);
			assert.equal(rows.length, 100);
			assert.equal(steps.length, 1);
			assert.ok(steps[0].elements <= 2 * ORDER_COUNT_POSITIONS, `${steps[0].elements} positions`);
		}
	});

	test("what is not counted as a whole, or for one column, is found", () => {
		const counting = open();
		const active = { license_status: ["Active"] };
		const office: ColumnName[] = ["office_name"];
		const queries: Partial<Query>[] = [
			{ filters: { license_status: ["Active", "Revoked"] }, sort: office },
			{ filters: { ...active, state: ["CA"] }, sort: office },
			{ filters: { ...active, member_type: ["Broker"] }, sort: office },
			{ filters: { ...active, last_name: "name 1" }, sort: office },
			{ filters: active, sort: office, geography: { countries: [], states: ["CA", "NY"] } },
			{ filters: active, sort: ["office_name", "member_last_name"] },
			{ filters: { office_name: ["office 7"] }, sort: ["member_last_name"] },
		];
		for (const part of queries) {
			const query: Query = { ...DEFAULT_QUERY, ...part };
			const found = counting.run(counting.plan(query), query);
			assert.ok(!isSought(found), JSON.stringify(part));
			assert.ok(found.total > 0, JSON.stringify(part));
		}
	});

	test("a page that spreads over more positions than the selection has rows is selected from these", () => {
		const counting = open();
		const query: Query = {
			...DEFAULT_QUERY,
			filters: { license_status: ["Expired"] },
			sort: ["member_full_name"],
			limit: 1000,
		};
		const counts = counting.columns.orderCounts.get(columnNamed("member_full_name"));
		assert.ok(counts !== null);
		// As if its rows were at the end of the order.
		const place = counts.find(columnNamed("member_license_status").code, expiredCode(counting));
		const corrupt = Uint32Array.from(counts.counts);
		corrupt.fill(1, place * counts.blocks, (place + 1) * counts.blocks - 1);
		Object.defineProperty(counts, "counts", { value: corrupt });
		const { steps, rows } = counting.run(counting.plan(query), query);
		assert.deepEqual(
			[steps[0].path, steps[0].outcome],
			["seek positions", "given up"],
			"the first step is given up",
		);
		assert.equal(rows.length, 1000);
	});

	test("corrupt counts give rows of the selection, and end", () => {
		const counting = open();
		const counts = counting.columns.orderCounts.get(columnNamed("member_full_name"));
		assert.ok(counts !== null);
		const draw = new Draw(11);
		const sound = counts.counts;
		const corrupt = Uint32Array.from(sound);
		Object.defineProperty(counts, "counts", { value: corrupt });
		const status = columnNamed("member_license_status");
		const active = counting.columns.dictionary.get(status).find("Active");
		const codes = counting.columns.codes.get(status);
		// Rows of another status, which stay in memory.
		const expired: Query = {
			...DEFAULT_QUERY,
			filters: { license_status: ["Expired"] },
			sort: ["office_name"],
		};
		for (let times = 0; times < 300; times++) {
			// A little wrong, or wholly.
			const most = times % 2 === 0 ? 60 : ROWS;
			for (let i = 0; i < corrupt.length; i++) corrupt[i] = sound[i] + draw.below(most);
			counting.run(counting.plan(expired), expired);
			const query: Query = {
				...DEFAULT_QUERY,
				filters: { license_status: ["Active"] },
				sort: ["member_full_name"],
				order: draw.pick(["asc", "desc"]),
				page: 1 + draw.below(200),
			};
			const { rows } = counting.run(counting.plan(query), query);
			assert.ok(rows.length <= query.limit);
			for (const row of rows) assert.equal(codes[row], active, `row ${row} is of the selection`);
		}
	});
});

function expiredCode({ columns }: EngineUnderTest): number {
	return columns.dictionary.get(columnNamed("member_license_status")).find("Expired");
}
