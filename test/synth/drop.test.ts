/** The content of one synthetic drop: shape, sizes, distributions and oddities. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SYNTH_COLUMNS } from "../../builder/synth/index.js";
import { findJurisdiction, INPUT_COLUMNS, isIsoDate } from "../../formats/index.js";
import { dropBytes, licenseKey, parseCsv, type Row, rowsOf } from "./drops.js";

const ROWS = 60_000;
const [BYTES] = await dropBytes({ rows: ROWS, months: ["2026-11"], seed: 7 });
const DROP = rowsOf(BYTES);
const UNITED_STATES = DROP.filter((row) => row.country === "US");

function share(rows: readonly Row[], holds: (row: Row) => boolean): number {
	return rows.filter(holds).length / rows.length;
}

/** Counts rows by a value. */
function groups(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
	const grouped = new Map<string, Row[]>();
	for (const row of rows) {
		const group = grouped.get(keyOf(row)) ?? [];
		group.push(row);
		grouped.set(keyOf(row), group);
	}
	return grouped;
}

const BY_STATE = groups(DROP, (row) => row.state);

test("a drop has the stored columns, in their order", () => {
	assert.deepEqual(
		SYNTH_COLUMNS,
		INPUT_COLUMNS.map((column) => column.name),
	);
});

test("a drop is UTF-8 with exactly the requested rows, each with every column", () => {
	const text = new TextDecoder("utf-8", { fatal: true }).decode(BYTES);
	const records = parseCsv(text);
	assert.equal(records.length, ROWS + 1);
	for (const record of records) assert.equal(record.length, SYNTH_COLUMNS.length, record.join());
	assert.equal(text.split("\n").length, ROWS + 2, "no line break within a cell");
});

test("all 62 jurisdictions occur, each under its country, by size", () => {
	assert.equal(BY_STATE.size, 62);
	for (const [state, rows] of BY_STATE) {
		const jurisdiction = findJurisdiction(state);
		assert.ok(jurisdiction !== undefined, state);
		for (const row of rows) assert.equal(row.country, jurisdiction.country);
	}
	const sizes = [...BY_STATE].sort((a, b) => b[1].length - a[1].length).map(([state]) => state);
	assert.deepEqual(sizes.slice(0, 5), ["CA", "FL", "TX", "NY", "GA"]);
	assert.ok(sizes.indexOf("ON") < sizes.indexOf("PE"));
});

test("about 76 % of the US rows have a matched e-mail address, and no Canadian row", () => {
	const matched = share(UNITED_STATES, (row) => row.matched_email !== "");
	assert.ok(matched > 0.72 && matched < 0.8, `${matched}`);
	const canada = DROP.filter((row) => row.country === "CA");
	assert.ok(canada.length > 1000);
	for (const row of canada) assert.equal(`${row.matched_email}${row.matched_phone}${row.agent_count}`, "");
});

test("contacts are unreachable: reserved mail domains, the unassigned exchange 555", () => {
	for (const row of DROP) {
		for (const email of [row.member_email, row.matched_email])
			if (email !== "") assert.match(email, /^[a-z0-9._]+@[a-z0-9]+\.example$/);
		for (const phone of [row.member_preferred_phone, row.matched_phone])
			if (phone !== "") assert.match(phone.replace(/\D/g, ""), /^1?\d{3}555(?!1212)\d{4}$/);
	}
});

test("some states publish e-mail addresses, phones, brokers or first issue dates, others never", () => {
	const columns = [
		"member_email",
		"member_preferred_phone",
		"office_broker_name",
		"member_license_first_issued",
		"member_address",
	] as const;
	for (const column of columns) {
		const publishing = [...BY_STATE.values()].filter((rows) => rows.some((row) => row[column] !== ""));
		assert.ok(publishing.length > 5 && publishing.length < 55, `${column}: ${publishing.length} states`);
	}
});

test("every nullable column but last_refreshed lacks a value somewhere", () => {
	const filled = INPUT_COLUMNS.filter(
		(column) => column.nullable && DROP.every((row) => row[column.name].trim() !== ""),
	);
	assert.deepEqual(
		filled.map((column) => column.name),
		["member_full_name", "last_refreshed"],
	);
});

test("dates are real, and none is issued before it was first issued or after it was read", () => {
	for (const row of DROP) {
		const { member_license_issued: issued, member_license_first_issued: firstIssued } = row;
		for (const date of [issued, firstIssued, row.member_license_expires, row.last_refreshed])
			if (date !== "") assert.ok(isIsoDate(date), date);
		if (issued !== "" && firstIssued !== "") assert.ok(issued >= firstIssued, `${issued} ${firstIssued}`);
		if (row.last_refreshed >= "2026-11") assert.ok(issued <= row.last_refreshed, issued);
		if (row.member_license_expires !== "") assert.ok(issued < row.member_license_expires);
	}
	const refreshed = new Set(DROP.map((row) => row.last_refreshed).filter((date) => date >= "2026-11"));
	assert.ok(refreshed.size >= 2 && refreshed.size <= 6);
});

test("expiry dates cluster by state", () => {
	const expiries = (state: string) =>
		(BY_STATE.get(state) ?? []).map((row) => row.member_license_expires).filter((date) => date !== "");
	const monthDays = (state: string) => new Set(expiries(state).map((date) => date.slice(5)));
	assert.deepEqual([...monthDays("AL")], ["09-30"]);
	assert.deepEqual([...monthDays("FL")].filter((day) => day !== "12-31").sort(), ["03-31", "09-30"]);
	assert.ok([...monthDays("TX")].every((day) => /-(28|29|30|31)$/.test(day)));
	assert.ok(monthDays("CA").size > 300);
});

test("statuses, types and license numbers differ by state", () => {
	const words = (state: string, column: "member_license_status" | "member_type") =>
		[...groups(BY_STATE.get(state) ?? [], (row) => row[column])]
			.sort((a, b) => b[1].length - a[1].length)
			.map(([word]) => word);
	assert.equal(words("CA", "member_license_status")[0], "LICENSED");
	assert.equal(words("FL", "member_license_status")[0], "Current,Active");
	assert.equal(words("MO", "member_license_status")[0], "Actv");
	assert.equal(words("QC", "member_license_status")[0], "En vigueur");
	assert.equal(words("TX", "member_type")[0], "Sales Agent");
	assert.ok(groups(DROP, (row) => row.member_license_status).size > 50);
	assert.ok(groups(DROP, (row) => row.member_type).size > 40);
	const shapes: Record<string, RegExp> = {
		CA: /^0\d{7}$/,
		FL: /^(SL|BK|CQ)\d{7}$/,
		TX: /^\d{6}-SA$|^\d{6}-BB?$|^9\d{6}-BLLC$/,
		IL: /^47[158]\.\d{6}$/,
		QC: /^[GHJA]\d{4}$/,
	};
	for (const [state, shape] of Object.entries(shapes)) {
		for (const row of BY_STATE.get(state) ?? [])
			assert.match(row.member_state_license_number, new RegExp(`${shape.source}|^$`));
	}
});

test("a license number identifies one license of a state, except a few repeated rows", () => {
	const numbered = DROP.filter((row) => row.member_state_license_number !== "");
	const repeated = numbered.length - groups(numbered, licenseKey).size;
	assert.ok(repeated > 0 && repeated < ROWS * 0.004, `${repeated} repeated`);
});

test("names and offices are skewed: a few are common, most are rare", () => {
	for (const column of ["member_last_name", "office_name"] as const) {
		const sizes = [...groups(UNITED_STATES, (row) => row[column].toUpperCase())]
			.filter(([value]) => value.trim() !== "")
			.map(([, rows]) => rows.length)
			.sort((a, b) => b - a);
		assert.ok(sizes[0] > 30 * sizes[Math.floor(sizes.length / 2)], `${column}: ${sizes.slice(0, 3)}`);
		assert.ok(sizes[0] < UNITED_STATES.length / 20);
		assert.ok(sizes.length > 5000, `${column}: ${sizes.length} distinct`);
	}
});

test("postal codes have the shapes of their country", () => {
	for (const row of DROP) {
		const shape = row.country === "US" ? /^\d{5}(-?\d{4})?$|^$/ : /^[A-Z]\d[A-Z] ?\d[A-Z]\d$|^$/;
		assert.match(row.member_postal_code, shape);
	}
	const lengths = new Set(DROP.map((row) => row.member_postal_code.length));
	assert.deepEqual([...lengths].sort(), [0, 10, 5, 6, 7, 9]);
});

test("agent counts are the licenses under the office's name in the state", () => {
	const key = (row: Row) => `${row.state} ${row.office_name.trim()}`;
	const offices = groups(UNITED_STATES, key);
	for (const row of UNITED_STATES) {
		const expected = row.office_name.trim() === "" ? "" : String(offices.get(key(row))?.length);
		assert.equal(row.agent_count, expected);
	}
});

test("the oddities of real drops occur", () => {
	const values = (column: keyof Row) => DROP.map((row) => row[column]);
	const everything = SYNTH_COLUMNS.flatMap(values);
	const odd: Record<string, (value: string) => boolean> = {
		"a comma": (value) => value.includes(","),
		"a quote": (value) => value.includes('"'),
		"a leading =": (value) => value.startsWith("="),
		"a leading +": (value) => value.startsWith("+"),
		"a leading -": (value) => value.startsWith("-"),
		"a leading @": (value) => value.startsWith("@"),
		"a backslash": (value) => value.includes("\\"),
		"an accent": (value) => /[À-ÿ]/.test(value),
		"a combining accent": (value) => value !== value.normalize("NFC"),
		"blanks around": (value) => value !== value.trim(),
		"blanks alone": (value) => value !== "" && value.trim() === "",
	};
	for (const [what, holds] of Object.entries(odd)) assert.ok(everything.some(holds), `no cell with ${what}`);
	const names = (state: string) => (BY_STATE.get(state) ?? []).map((row) => row.member_last_name);
	assert.ok(names("FL").every((name) => name === name.toUpperCase()));
	assert.ok(names("TN").every((name) => /^[^a-z]*$/.test(name)));
	assert.ok(names("QC").some((name) => /[éèôÉ]/.test(name)));
	assert.ok(names("KY").some((name) => /^[A-Z]{3,}$/.test(name)));
	assert.ok(names("KY").some((name) => /[a-z]{3,}$/.test(name)));
});
