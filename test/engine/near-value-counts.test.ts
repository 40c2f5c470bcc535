/** Values near one that a state does not have are ordered by their rows in that state, each spelling by its own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COUNTED_VALUE_ROWS } from "../../engine/tuning.js";
import type { DropRow } from "../http/drop-rows.js";
import { withTwins } from "./compiled-month.js";

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
			for (const column of ["member_last_name", "member_city", "office_name", "member_first_name"] as const) {
				const near = (state: string) => mapped.looseValues(column, "smith", { state: [state] }, null, 9);
				assert.deepEqual(near("TX"), ["Smith", "smith", "SMITH"], column);
				assert.deepEqual(near("CA").slice(0, 2), ["SMITH", "Smith"], column);
				assert.ok(!near("TX").includes("Smyth"), column);
			}
		});
	});
}
