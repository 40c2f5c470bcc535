/** The groups of states, once counted: what whole states are grouped by without reading their rows, and nothing else. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DIMENSION_NAMES, type DimensionName, type Snapshot } from "../../engine/index.js";
import type { Filters } from "../../engine/query.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { compileRows, openMonth } from "./compiled-month.js";

const ROWS = 20_000;
const STATES = ["AK", "CA", "NY", "ON", "RI"];
/** Two of three rows have an office of their own: these are too many groups to keep. */
const OWN_OFFICES = 2 / 3;

function rawRows() {
	const draw = new Draw(11);
	return Array.from({ length: ROWS }, (_, i) => ({
		state: draw.oneIn(40) ? "RI" : STATES[draw.below(4)],
		member_last_name: `Name ${i}`,
		member_license_status: draw.pick(["Active", "Expired", ""]),
		member_city: draw.oneIn(9) ? "" : `City ${draw.below(50)}`,
		member_license_issued: draw.oneIn(5) ? "" : `20${10 + draw.below(9)}-0${1 + draw.below(9)}-15`,
		office_name: i < ROWS * OWN_OFFICES ? `Office ${i}` : "",
	}));
}

const ASKED: readonly Filters[] = [
	{ state: ["RI"] },
	{ state: ["CA", "ON"] },
	{ country: "US" },
	{},
	{ state: ["TX"] },
	// Rows of a state are in the order of last names: these are parts of states.
	{ last_name: "Name 1" },
	{ state: ["RI"], last_name: "Name" },
	{ state: ["CA"], last_name: "Name 19" },
	// The first part of a state, of either without row 0 from its first row on, and the last, to its last row.
	{ state: ["CA"], last_name: "Name 1" },
	{ state: ["NY"], last_name: "Name 1" },
	{ state: ["CA"], last_name: "Name 9" },
] as Filters[];

/** One dimension, and two of which one is that of states. */
const GROUPED: readonly DimensionName[][] = DIMENSION_NAMES.flatMap((name) =>
	name === "state" ? [[name]] : [[name], [name, "state"], ["state", name]],
);

describe("the groups of states", () => {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-groups-"));
	let read: Snapshot;
	let counted: Snapshot;
	before(async () => {
		await compileRows(rawRows(), "2026-11", folder, false, new Draw(1));
		read = openMonth(folder, "mmap");
		counted = openMonth(folder, "mmap");
		for (const _ of counted.precompute());
	});
	after(() => rmSync(folder, { recursive: true }));

	const ask = (month: Snapshot, by: readonly DimensionName[], filters: Filters, minCount = 1) =>
		month.groups.aggregate({ by, top: 25, minCount }, filters, null);

	test("are those found by reading rows, by any dimensions", () => {
		for (const filters of ASKED)
			for (const by of GROUPED)
				for (const minCount of [1, 30])
					assert.deepEqual(
						ask(counted, by, filters, minCount),
						ask(read, by, filters, minCount),
						`${JSON.stringify(filters)} by ${by} of at least ${minCount}`,
					);
	});

	test("go on after any of them", () => {
		const request = { by: ["member_city", "state"], top: 7, minCount: 1 } as const;
		let after: ReturnType<typeof ask>["next"] = null;
		const pages: string[] = [];
		do {
			const asked = after === null ? request : { ...request, after };
			const page = counted.groups.aggregate(asked, {}, null);
			pages.push(...page.groups.map((group) => JSON.stringify(group)));
			after = page.next;
		} while (after !== null);
		const all = read.groups.aggregate({ ...request, top: 1_000 }, {}, null).groups;
		assert.deepEqual(
			pages,
			all.map((group) => JSON.stringify(group)),
		);
	});

	test("need no row to be read, unless another filter leaves rows out or they are too many to keep", () => {
		const elements = (by: readonly DimensionName[], filters: Filters) => {
			counted.work.reset();
			ask(counted, by, filters);
			return counted.work.elements;
		};
		assert.equal(elements(["member_city"], { state: ["CA"] }), 0);
		assert.equal(elements(["issued_year"], { state: ["CA", "NY"] }), 0);
		assert.equal(elements(["state", "license_status"], {}), 0);
		assert.ok(elements(["office_name"], { state: ["CA"] }) > 0);
		assert.ok(elements(["member_city"], { state: ["CA"], license_status: "Active" } as Filters) > 0);
	});

	test("are not used before those of all states are counted", () => {
		const month = openMonth(folder, "mmap");
		const expected = ask(read, ["member_city"], { state: ["RI"] });
		for (const _ of month.groups.prepare())
			assert.deepEqual(ask(month, ["member_city"], { state: ["RI"] }), expected);
	});
});
