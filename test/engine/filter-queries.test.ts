/** A count of ranges of one column is planned in the order of that column, in which it is the length of a slice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { countingQuery } from "../../engine/plan/filter-queries.js";
import { DEFAULT_QUERY, type Filters } from "../../engine/query.js";

test("filters that take ranges of one column are counted in its order, all others by id", () => {
	const geography = { countries: [], states: ["TX"] };
	for (const [filters, column] of [
		[{ last_name: "sm" }, "member_last_name"],
		[{ state: ["TX", "CA"], country: "US", office_name: ["a", "b"] }, "office_name"],
		[{ office_name_is: "acme" }, "office_name"],
		[{ expires_after: "2026-01-01", expires_before: "2026-02-01" }, "member_license_expires"],
		[{ last_name: "sm", city: undefined }, "member_last_name"],
		[{}, "id"],
		[{ state: ["TX"] }, "id"],
		[{ city: "Austin" }, "id"],
		[{ postal_prefix: "787" }, "id"],
		[{ last_name: "sm", city: "Austin" }, "id"],
		[{ last_name: "sm", first_name: "jo" }, "id"],
		[{ name: "jo sm" }, "id"],
		[{ present: ["office_name"], office_name: "a" }, "id"],
	] as readonly [Filters, string][])
		for (const grant of [null, geography])
			assert.deepEqual(
				countingQuery(filters, grant),
				{ ...DEFAULT_QUERY, filters, sort: [column], geography: grant },
				JSON.stringify(filters),
			);
});
