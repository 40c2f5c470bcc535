/**
 * The statements that peers are asked are those that an engineer who knows them would write: rows are not sorted in full,
 * and what a summary has is not counted from the rows.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pageTotal } from "../../bench/peers/peer.js";
import {
	aggregateStatement,
	countedIdsStatement,
	countStatement,
	csvCells,
	jsonObject,
	jsonPageStatement,
	pageStatement,
	rowsOfIdsStatement,
	STORED_ROW,
	statsStatements,
	suggestStatement,
	writtenPageStatement,
} from "../../bench/peers/sql.js";
import { DEFAULT_QUERY, type Query } from "../../engine/index.js";

const query = (asked: Partial<Query>): Query => ({ ...DEFAULT_QUERY, ...asked });
const BY_EXPIRY = query({ filters: { office_name: "co" }, sort: ["member_license_expires"] });

/** The part of a statement that sorts and limits, from its SELECT on. */
function sorting(text: string): string {
	const end = text.indexOf(" LIMIT ");
	return text.slice(text.lastIndexOf("SELECT", end), end);
}

test("a page in another order than that of ids sorts ids, and reads rows afterwards", () => {
	const named = { columns: ["id", "office_name"], masked: false } as const;
	const { text, values } = pageStatement(BY_EXPIRY, named, "2026-11");
	assert.match(text, /^SELECT id, office_name FROM licenses WHERE id IN \(SELECT id FROM licenses WHERE /);
	assert.deepEqual(values, ["co", "co\u{10ffff}", 100, 0]);
	const masked = { columns: ["id", "snapshot", "member_email"], masked: true } as const;
	const json = writtenPageStatement(BY_EXPIRY, jsonObject(masked, "2026-11"), ",").text;
	assert.match(
		json,
		/json_object\('id', id, 'snapshot', '2026-11', 'member_email', masked_member_email\), ','\)/,
	);
	assert.match(json, /CROSS JOIN licenses USING \(id\)$/);
	for (const statement of [text, json]) assert.match(sorting(statement), /^SELECT id FROM licenses /);
	assert.match(
		countedIdsStatement(BY_EXPIRY, "text").text,
		/^WITH found AS MATERIALIZED \(SELECT id, key_member_license_expires FROM licenses WHERE /,
	);
	const dates = countedIdsStatement({ ...BY_EXPIRY, order: "desc" }, "date").text;
	assert.match(dates, / ORDER BY member_license_expires DESC NULLS LAST, id DESC LIMIT /);
});

test("a first page in order of ids reads its rows at once, a deep one its ids first", () => {
	const ids = { columns: ["id"], masked: false } as const;
	const text = (page: number) => pageStatement(query({ page }), ids, "2026-11").text;
	assert.equal(text(10), "SELECT id FROM licenses ORDER BY id LIMIT ? OFFSET ?");
	assert.match(text(11), / WHERE id IN \(SELECT id FROM licenses ORDER BY id LIMIT /);
	const stored = (page: number) => [
		jsonPageStatement(query({ page })).text,
		writtenPageStatement(query({ page }), STORED_ROW, ",").text,
	];
	for (const json of stored(10)) assert.match(json, / FROM licenses_json ORDER BY id LIMIT /);
	for (const json of stored(11)) assert.match(json, /SELECT id FROM licenses ORDER BY id LIMIT /);
});

test("what a summary has is counted in it, and anything else in the rows", () => {
	const table = (filters: Query["filters"], geography: Query["geography"] = null) =>
		/ FROM (\w+)/.exec(countStatement(query({ filters, geography }))?.text ?? "")?.[1];
	assert.equal(table({}), undefined);
	assert.equal(table({ state: ["TX"] }), "licenses_by_status");
	assert.equal(table({}, { countries: [], states: ["TX"] }), "licenses_by_status");
	assert.equal(table({ license_status: "Active", country: "US" }), "licenses_by_status");
	assert.equal(table({ license_status: "Active", member_type: "Broker" }), "licenses_by_type");
	assert.equal(table({ state: ["TX"], city: "Austin" }), "licenses");
	assert.equal(table({ state: ["TX"], present: ["office_name"] }), "licenses");
	assert.equal(table({ state: ["TX"], issued_after: "2020-01-01" }), "licenses");
	const stats = statsStatements({ countries: ["CA"], states: ["TX"] });
	assert.match(stats.rows.text, / FROM licenses_by_status WHERE \(country IN \(\?\) OR state IN \(\?\)\)$/);
});

test("suggestions are read from the distinct values of their field", () => {
	const request = { field: "office_name", prefix: "co", state: null, limit: 20, geography: null } as const;
	const text = (asked: object) => suggestStatement({ ...request, ...asked }).text;
	assert.match(text({}), / FROM licenses_by_office_name WHERE (?!.*GROUP BY)/);
	assert.match(text({ state: "TX" }), / FROM licenses_by_state_and_office_name WHERE (?!.*GROUP BY)/);
	assert.match(
		text({ geography: { countries: [], states: ["TX", "CA"] } }),
		/sum\(total\).* FROM licenses_by_state_and_office_name WHERE .* GROUP BY /,
	);
});

test("a peer that keeps dates as such compares and groups them as such", () => {
	const filters = { issued_after: "2020-01-01" };
	const request = { by: ["issued_month"], top: 5, minCount: 1 } as const;
	const where = / WHERE member_license_issued >= CAST\(\? AS DATE\)/;
	assert.match(countStatement(query({ filters }), "date")?.text ?? "", new RegExp(`${where.source}$`));
	const { text } = aggregateStatement(request, filters, null, "date");
	assert.match(text, where);
	assert.match(
		text,
		/SELECT year\(member_license_issued\) \* 12 \+ month\(member_license_issued\) - 1 AS group_0/,
	);
});

test("what a spreadsheet would run, and what CSV quotes, is written by the database", () => {
	const { text } = csvCells({ columns: ["id", "member_email"], masked: true }, "2026-11");
	assert.match(text, /^ifnull\(id, ''\) \|\| ',' \|\| CASE WHEN masked_member_email IS NULL THEN '' WHEN /);
});

test("rows are read by a few sizes of lists of ids", () => {
	const ids = { columns: ["id"], masked: false } as const;
	const { text, values } = rowsOfIdsStatement([5, 6, 7], ids, "2026-11");
	assert.match(text, /IN \(\?, \?, \?, \?\)$/);
	assert.deepEqual(values, [5, 6, 7, 7]);
	assert.deepEqual(rowsOfIdsStatement([5], ids, "2026-11").values, [5]);
});

test("a page that is not full tells its total, unless it has no rows and is not the first", () => {
	const totals = [
		[1, 0],
		[1, 99],
		[1, 100],
		[3, 7],
		[3, 0],
	].map(([page, found]) => pageTotal(query({ page }), found));
	assert.deepEqual(totals, [0, 99, null, 207, null]);
});
