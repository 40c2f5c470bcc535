/** The column table and the lists derived from it agree with docs/API.md §1.3. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	COLUMNS,
	CONTACT_COLUMNS,
	type Column,
	columnNamed,
	columnWithCode,
	DICTIONARY_COLUMNS,
	filtersOn,
	findColumn,
	InvariantError,
	REQUIRED_COLUMNS,
	SORTABLE_COLUMNS,
	STORED_COLUMNS,
	TEXT_COLUMNS,
} from "../../formats/index.js";

const names = (columns: readonly Column[]) => columns.map((c) => c.name);

test("names and codes are distinct, and both find their column", () => {
	assert.equal(new Set(names(COLUMNS)).size, COLUMNS.length);
	assert.equal(new Set(COLUMNS.map((c) => c.code)).size, COLUMNS.length);
	for (const column of COLUMNS) {
		assert.equal(findColumn(column.name), column);
		assert.equal(columnNamed(column.name), column);
		assert.equal(columnWithCode(column.code), column);
		assert.ok(
			column.code > 0 && column.code < 256,
			"a code fits the catalog's byte; 0 is the whole snapshot",
		);
	}
	assert.equal(findColumn("member_nickname"), undefined);
	assert.equal(findColumn("__proto__"), undefined);
	assert.equal(columnWithCode(0), undefined);
	assert.throws(() => columnNamed("member_nickname" as never), InvariantError);
});

test("the sort whitelist is that of the contract", () => {
	assert.deepEqual(
		[...names(SORTABLE_COLUMNS)].sort(),
		[
			"id",
			"state",
			"member_last_name",
			"member_first_name",
			"member_full_name",
			"member_state_license_number",
			"member_license_status",
			"member_license_issued",
			"member_license_expires",
			"member_license_first_issued",
			"office_name",
			"last_refreshed",
		].sort(),
	);
});

test("completed columns are last name, city and office", () => {
	assert.deepEqual(
		COLUMNS.filter((c) => c.suggest !== null).map((c) => [c.suggest, c.name]),
		[
			["last_name", "member_last_name"],
			["city", "member_city"],
			["office", "office_name"],
		],
	);
});

test("contact columns are the four, and none of them is tracked, sorted, filtered or completed", () => {
	assert.deepEqual(names(CONTACT_COLUMNS), [
		"member_email",
		"member_preferred_phone",
		"matched_email",
		"matched_phone",
	]);
	for (const c of CONTACT_COLUMNS) {
		assert.deepEqual([c.tracked, c.sortable, c.suggest], [false, false, null], c.name);
		assert.deepEqual(filtersOn(c.name), [], c.name);
	}
});

test("tracked fields are those of the contract", () => {
	assert.deepEqual(
		names(COLUMNS.filter((c) => c.tracked)).sort(),
		[
			"member_license_status",
			"member_type",
			"member_license_issued",
			"member_license_expires",
			"member_license_first_issued",
			"member_full_name",
			"member_last_name",
			"office_name",
			"office_broker_name",
			"member_city",
			"member_state_or_province",
			"member_postal_code",
		].sort(),
	);
});

test("stored columns are all but id and snapshot, each with a dictionary or text", () => {
	assert.equal(STORED_COLUMNS.length, COLUMNS.length - 2);
	assert.deepEqual(
		[...DICTIONARY_COLUMNS, ...TEXT_COLUMNS].sort((a, b) => a.code - b.code),
		STORED_COLUMNS,
	);
	for (const c of COLUMNS.filter((c) => filtersOn(c.name).length > 0 || c.sortable || c.suggest !== null)) {
		assert.notEqual(c.kind, "string", `${c.name} is searched, so it has a dictionary`);
	}
	for (const name of REQUIRED_COLUMNS) assert.ok(names(STORED_COLUMNS).includes(name));
});
