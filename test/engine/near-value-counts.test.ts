/** Values near one that a state does not have are ordered by their rows in that state, each spelling by its own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Snapshot } from "../../engine/index.js";
import { matchValues } from "../../engine/names/value-search.js";
import { Scratch } from "../../engine/scratch.js";
import { COUNTED_VALUE_ROWS } from "../../engine/tuning.js";
import { columnNamed } from "../../formats/index.js";
import type { DropRow } from "../http/drop-rows.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";

const COLUMNS = ["member_last_name", "member_city", "office_name", "member_first_name"] as const;

/** Rows of each spelling by state, beside other names. */
const ROWS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
	TX: { SMITH: 2, Smith: 5, smith: 3 },
	CA: { SMITH: 9, Smith: 1, Smyth: 4 },
};

function rowsOf(others: number): DropRow[] {
	const rows: DropRow[] = [];
	for (const [state, names] of Object.entries(ROWS)) {
		const add = (name: string, count: number) => {
			for (let i = 0; i < count; i++)
				rows.push({
					country: "US",
					state,
					member_state_license_number: `${state}-${rows.length}`,
					member_first_name: name,
					member_last_name: name,
					member_city: name,
					office_name: name,
				});
		};
		for (const [name, count] of Object.entries(names)) add(name, count);
		add("Quvenzhane", others);
	}
	return rows;
}

for (const others of [1, 10 * COUNTED_VALUE_ROWS]) {
	test(`near values are counted in a state of ${others} other rows`, async () => {
		await withTwins(rowsOf(others), "2026-11", { rowStore: false }, ({ mapped }) => {
			for (const column of COLUMNS) {
				const near = (state: string) => mapped.looseValues(column, "smith", { state: [state] }, null, 9);
				assert.deepEqual(near("TX"), ["Smith", "smith", "SMITH"], column);
				assert.deepEqual(near("CA").slice(0, 2), ["SMITH", "Smith"], column);
				assert.ok(!near("TX").includes("Smyth"), column);
			}
		});
	});
}

const STATES = ["AK", "CA", "NY", "TX", "WY"];
const NAMES = [
	"Smith",
	"SMITH",
	"smith",
	"Smyth",
	"Smythe",
	"Smithe",
	"Smit",
	"Smitt",
	"Smiths",
	"Schmitt",
	"Schmid",
];

/** Random rows: names like one another, in some states more of them, and others. */
function randomRows(count: number, draw: Draw): DropRow[] {
	return Array.from({ length: count }, (_, i) => {
		const name = () => {
			if (draw.oneIn(3)) return `Other${draw.below(40)}`;
			return NAMES[draw.below(1 + draw.below(NAMES.length))];
		};
		return {
			country: "US",
			state: draw.pick(STATES),
			member_state_license_number: `N${i}`,
			member_first_name: name(),
			member_last_name: name(),
			member_city: name(),
			office_name: name(),
		};
	});
}

/** The values near to one in some states, by counting the rows of each. */
function nearValues(
	snapshot: Snapshot,
	rows: readonly DropRow[],
	name: (typeof COLUMNS)[number],
	text: string,
	states: readonly string[],
): string[] {
	const { columns } = snapshot.comparable;
	const column = columnNamed(name);
	const scratch = new Scratch();
	scratch.fit(snapshot.rows);
	const matched = matchValues(column, text, null, columns, scratch);
	assert.ok(matched !== null);
	const { codes, costs, wordCounts } = matched;
	const values = Array.from(codes, (code) => {
		const value = columns.dictionary.get(column).value(code) as string;
		const count = rows.filter((row) => states.includes(String(row.state)) && row[name] === value).length;
		return { code, value, count, rank: costs[code] * 256 + wordCounts[code] };
	});
	return values
		.filter(({ count }) => count > 0)
		.sort((a, b) => a.rank - b.rank || b.count - a.count || a.code - b.code)
		.map(({ value }) => value);
}

test("near values are the best of all, counted one by one or together", async (t) => {
	const runs = fuzzRuns(6);
	tellSeed(t, runs);
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, run);
		const rows = randomRows(draw.pick([40, 3_000]), draw);
		await withTwins(rows, "2026-11", { rowStore: false }, ({ mapped }) => {
			for (let asked = 0; asked < 40; asked++) {
				const column = draw.pick(COLUMNS);
				const text = draw.pick(["smith", "smyth", "schmit", "smi", "other1"]);
				const states = STATES.filter(() => draw.oneIn(2));
				const state = states.length === 0 ? STATES : states;
				const limit = 1 + draw.below(9);
				assert.deepEqual(
					mapped.looseValues(column, text, { state }, null, limit),
					nearValues(mapped, rows, column, text, state).slice(0, limit),
				);
			}
		});
	}
});
