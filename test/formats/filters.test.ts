/** The table of filters: names, columns, and the rules on several filters together. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	columnNamed,
	DATE_RANGES,
	FILTER_NAMES,
	FILTERS,
	FILTERS_BY_NAME,
	filterFault,
	filtersOn,
	REPEATABLE_FILTERS,
} from "../../formats/index.js";

test("the filters of the list endpoint, their columns and kinds", () => {
	assert.deepEqual(
		FILTERS.map(({ param, column, kind }) => [param, column, kind]),
		[
			["country", "country", "country"],
			["state", "state", "state"],
			["name", "member_full_name", "name"],
			["first_name", "member_first_name", "prefix"],
			["last_name", "member_last_name", "prefix"],
			["member_type", "member_type", "exact"],
			["type_not", "member_type", "not"],
			["city", "member_city", "exact"],
			["city_not", "member_city", "not"],
			["postal_code", "member_postal_code", "exact"],
			["postal_prefix", "member_postal_code", "prefix"],
			["office_name", "office_name", "prefix"],
			["office_name_is", "office_name", "fold"],
			["license_number", "member_state_license_number", "exact"],
			["license_status", "member_license_status", "exact"],
			["status_not", "member_license_status", "not"],
			["issued_after", "member_license_issued", "from"],
			["issued_before", "member_license_issued", "to"],
			["expires_after", "member_license_expires", "from"],
			["expires_before", "member_license_expires", "to"],
			["first_issued_after", "member_license_first_issued", "from"],
			["first_issued_before", "member_license_first_issued", "to"],
			["status_group", "license_status_group", "group"],
			["type_group", "member_type_group", "group"],
			["present", null, "present"],
			["missing", null, "missing"],
		],
	);
});

test("every name occurs once, and filters are in the order of the column table", () => {
	const names = FILTERS.flatMap(({ param, aliases }) => [param, ...aliases]);
	assert.equal(new Set(names).size, names.length);
	assert.deepEqual([...FILTERS_BY_NAME.keys()], names);
	const codes = FILTERS.flatMap(({ column }) => (column === null ? [] : [columnNamed(column).code]));
	assert.deepEqual(
		codes,
		codes.toSorted((a, b) => a - b),
	);
	assert.equal(FILTERS_BY_NAME.get("zip")?.param, "postal_code");
});

test("filters that may be repeated take any of several values, or with `_not` none", () => {
	assert.deepEqual(
		[...REPEATABLE_FILTERS],
		[
			...["state", "last_name", "member_type", "type_not", "city", "city_not", "postal_code", "zip"],
			...["office_name", "license_number", "license_status", "status_not", "status_group", "type_group"],
			...["present", "missing"],
		],
	);
});

test("filters fit the bits of a set of them", () => {
	assert.ok(FILTER_NAMES.length <= 32);
});

test("date bounds come in pairs on date columns", () => {
	assert.deepEqual(
		DATE_RANGES.map(({ from, to }) => [from, to]),
		[
			["issued_after", "issued_before"],
			["expires_after", "expires_before"],
			["first_issued_after", "first_issued_before"],
		],
	);
	for (const { column } of DATE_RANGES) assert.equal(columnNamed(column).kind, "date");
	for (const { column, kind } of FILTERS) {
		if (kind !== "from" && kind !== "to") continue;
		assert.ok(column !== null);
		assert.equal(filtersOn(column).length, 2, column);
	}
});

test("rules on several filters together name the parameter at fault", () => {
	assert.equal(filterFault({}), null);
	assert.equal(filterFault({ issued_after: "2026-01-01", issued_before: "2026-01-01", zip: "1" }), null);
	assert.deepEqual(filterFault({ zip: "1", postal_code: "1" }), {
		param: "zip",
		message: "zip and postal_code are the same filter; give one of them",
	});
	assert.deepEqual(filterFault({ expires_after: "2026-02-01", expires_before: "2026-01-31" }), {
		param: "expires_after",
		message: "expires_after 2026-02-01 is later than expires_before 2026-01-31",
	});
});
