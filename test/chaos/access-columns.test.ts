/**
 * No oracle on an ungranted column, for each column of the table and every endpoint: two data sets that
 * differ in that column alone give a key without it the same bytes.
 *
 * Left out: `id` and `snapshot`, which every key reads; `country` and `state`, which decide where a row is
 * and so its id; the groups, which follow from status and type.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DIMENSION_NAMES, dimensionColumn } from "../../engine/index.js";
import { COLUMNS, type Column, type ColumnName, FILTERS } from "../../formats/index.js";
import { OPERATIONS } from "../../server/api/operation-table.js";
import { type DropRow, monthRows } from "../http/drop-rows.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { type Ask, answerTo } from "./access/asks.js";
import { compare, type Month, openSide } from "./access/sides.js";

const FIXED: readonly ColumnName[] = [
	"id",
	"snapshot",
	"country",
	"state",
	"license_status_group",
	"member_type_group",
];
/** Columns computed from another, which are hidden with it. */
const DERIVED: Partial<Record<ColumnName, readonly ColumnName[]>> = {
	office_name: ["agent_count"],
	member_license_status: ["license_status_group"],
	member_type: ["member_type_group"],
};
/** Columns that order the rows of a state: their values change without changing that order, so ids do not change. */
const ORDERING: readonly ColumnName[] = [
	"member_last_name",
	"member_first_name",
	"member_state_license_number",
];
const VARIED = COLUMNS.filter((column) => !FIXED.includes(column.name));
const TRIES = Math.ceil(fuzzRuns(300) / VARIED.length);

/** Parameters that an operation requires, beside those under test. */
const REQUIRED: Readonly<Record<string, string>> = {
	"/v1/suggest": "field=last_name&q=sm",
	"/v1/aggregate": "by=state",
	"/v1/verify": "license=TX:TX-1&license=CA:ca0012",
	"/v1/licenses/history": "state=TX&license_number=TX-1",
};

/** Requests for offices, and licenses to verify, by a column that they read. */
const OFFICE_REQUESTS: Partial<Record<ColumnName, readonly string[]>> = {
	office_name: ["", "office_name=ot", "name=other", "state=TX"],
	member_city: ["city=Other"],
};
const VERIFY_REQUESTS: Partial<Record<ColumnName, readonly string[]>> = {
	member_state_license_number: ["TX:TX-1", "TX:none"],
	member_last_name: ["TX:TX-1:Smith"],
	member_first_name: ["TX:TX-1:Smith:Given1"],
};

/** Another value in `column`, other in every month. */
function otherValue({ name, kind }: Column, row: DropRow, i: number, month: Month): string {
	const value = row[name] ?? "";
	// An exclamation mark sorts before letters and digits, so no value overtakes one that it is a prefix of.
	if (ORDERING.includes(name)) return value === "" ? "" : `${value}!${month}`;
	if (kind === "date") return i % 3 === 0 ? "" : `2019-0${1 + (month.charCodeAt(6) % 9)}-${10 + (i % 9)}`;
	if (kind === "int") return String(i % 9);
	return i % 3 === 0 ? "" : `Other ${i % 5} ${month}`;
}

function otherwise(column: Column) {
	return (rows: readonly DropRow[], month: Month): DropRow[] =>
		rows.map((row, i) => ({ ...row, [column.name]: otherValue(column, row, i, month) }));
}

function get(path: string): Ask {
	return { path, method: "GET" };
}

/** Requests that name `column`, each in every way that an endpoint has: all are outside the grant. */
function askingFor(column: Column): Ask[] {
	const value = column.kind === "date" ? "2019-01-11" : "Other";
	const filters = FILTERS.filter((filter) => filter.column === column.name);
	const queries = [
		...filters.flatMap(({ param, aliases }) => [param, ...aliases].map((name) => `${name}=${value}`)),
		`present=${column.name}`,
		`missing=${column.name}`,
		`fields=id,${column.name}`,
		...(column.sortable ? [`sort=${column.name}`] : []),
	];
	return [
		...queries.map((query) => get(`/v1/licenses?${query}`)),
		get(`/v1/licenses/32200000101?fields=${column.name}`),
		get(`/v1/licenses/history?state=TX&license_number=TX-1&fields=${column.name}`),
		...(column.suggest === null ? [] : [get(`/v1/suggest?field=${column.suggest}&q=ot`)]),
		...DIMENSION_NAMES.filter((name) => dimensionColumn(name) === column.name).map((name) =>
			get(`/v1/aggregate?by=state,${name}`),
		),
		...queries
			.filter((query) => !/^(fields|sort)=/.test(query))
			.map((query) => get(`/v1/aggregate?by=country&${query}`)),
		...(OFFICE_REQUESTS[column.name] ?? []).map((query) => get(`/v1/offices?${query}`)),
		...(VERIFY_REQUESTS[column.name] ?? []).map((license) => get(`/v1/verify?license=${license}`)),
	];
}

/** Every operation, and history by id of licenses that change, with what the key may ask. */
function everyEndpoint(): Ask[] {
	const paths = OPERATIONS.map(({ endpoint }) => {
		const path = endpoint.replace("{id}", "32200000101").replace("{snapshot}/{file}", "2026-11/CA.parquet");
		return `${path}${REQUIRED[endpoint] === undefined ? "" : `?${REQUIRED[endpoint]}`}`;
	});
	const ids = Array.from({ length: 20 }, (_, i) => 32_200_000_001 + i * 14);
	return [...paths, ...ids.map((id) => `/v1/licenses/history?id=${id}`)].map(get);
}

function grantWithout(column: Column): ColumnName[] {
	const hidden = [column.name, ...(DERIVED[column.name] ?? [])];
	return COLUMNS.map((c) => c.name).filter((name) => !hidden.includes(name));
}

describe("nothing shows of the ungranted column", () => {
	for (const column of VARIED)
		test(column.name, (t) => {
			const scope = { columns: grantWithout(column) };
			const directed = [...everyEndpoint(), ...askingFor(column)];
			return compare(t, { scope }, otherwise(column), TRIES, directed);
		});
});

test(`every request that names an ungranted column is scope_denied, over ${ANY_TRANSPORT}`, async (t) => {
	const { served } = await openSide(t, monthRows, {});
	for (const column of VARIED) {
		const key = await served.key({ scope: { columns: grantWithout(column) } });
		for (const ask of askingFor(column)) {
			const { status, text } = await answerTo(served, key, ask);
			assert.equal(status, 403, `${ask.path}: ${text.slice(0, 200)}`);
			assert.equal(JSON.parse(text).error.code, "scope_denied", ask.path);
		}
	}
});
