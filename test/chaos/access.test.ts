/**
 * No oracle across a grant: two data sets that differ only in what a key may not read give it the same
 * bytes, over random requests of every kind: in rows outside its geography, in columns outside its
 * grant, and behind the masks of demo and trial keys. Response times must not reveal it either.
 *
 * The two data sets have as many rows in each state: ids are dense, and an id without a row is answered
 * otherwise than one of a row outside the geography (SECURITY.md, "What a key can learn, by design").
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Geography } from "../../engine/index.js";
import { COLUMNS, type ColumnName } from "../../formats/index.js";
import { createKeyText } from "../../server/keys/key-text.js";
import { type DropRow, monthRows } from "../http/drop-rows.js";
import { fuzzRuns } from "../oracle/seeded.js";
import type { STATES } from "./access/asks.js";
import { compare, type Month, openSide, visible } from "./access/sides.js";
import { medianRatio } from "./access/timing.js";

const COUNTRY_OF = { ON: "CA", QC: "CA", CA: "US", NY: "US", TX: "US" } as const;

const GRANTS: readonly Geography[] = [
	{ countries: [], states: ["ON"] },
	{ countries: ["CA"], states: [] },
	{ countries: [], states: ["NY", "QC"] },
	{ countries: ["CA"], states: ["CA"] },
];
/** Comparisons that share the random requests. */
const TRIES = Math.ceil(fuzzRuns(700) / (GRANTS.length + 4));

function isGranted(grant: Geography, state: (typeof STATES)[number]): boolean {
	return grant.states.includes(state) || grant.countries.includes(COUNTRY_OF[state]);
}

/** The same rows within `grant`; outside, as many other people. */
function otherwiseOutside(rows: readonly DropRow[], grant: Geography): DropRow[] {
	return rows.map((row, i) => {
		const state = row.state as (typeof STATES)[number];
		if (isGranted(grant, state)) return row;
		return {
			...row,
			member_full_name: `Sam Smithers ${i}`,
			member_first_name: "Sam",
			member_last_name: i % 2 === 0 ? "Smithers" : "Aaron",
			member_type: `Kind ${i % 5}`,
			member_city: `Austin ${i % 3}`,
			office_name: `Smart House ${i % 4}`,
			member_state_license_number: `${state}-${i * 3}`,
			member_license_status: `State ${i % 4}`,
			member_license_expires: "",
			member_email: "",
			last_refreshed: "2026-11-09",
		};
	});
}

/** Values of columns that do not decide the order of rows, other in every month. */
const OTHER_VALUES = {
	member_type: (i, month) => `Kind ${(i + month.charCodeAt(6)) % 5}`,
	member_city: (i) => `Austin ${i % 3}`,
	member_address: (i, month) => `${i} ${month} Street`,
	member_postal_code: (i) => `${i % 7}`,
	office_name: (i) => `Smart House ${i % 4}`,
	member_license_status: (i) => `State ${i % 4}`,
	member_license_issued: (i) => `2019-01-${10 + (i % 9)}`,
	member_license_expires: (i) => (i % 2 === 0 ? "" : `2029-01-${10 + (i % 9)}`),
	member_license_first_issued: () => "",
	member_email: (i, month) => (i % 2 === 0 ? "" : `x${i}@${month}.example`),
	member_preferred_phone: () => "",
	last_refreshed: () => "2026-11-09",
} as const satisfies Partial<Record<ColumnName, (i: number, month: Month) => string>>;
type Varied = keyof typeof OTHER_VALUES;

function otherwiseIn(columns: readonly Varied[]) {
	return (rows: readonly DropRow[], month: Month): DropRow[] =>
		rows.map((row, i) => ({
			...row,
			...Object.fromEntries(columns.map((column) => [column, OTHER_VALUES[column](i, month)])),
		}));
}

/** Values with the same first letters, last labels and last digits; the rest differs in every month. */
function otherwiseMasked(rows: readonly DropRow[], month: Month): DropRow[] {
	const email = (text: string) => text.replace(/^(.)[^@]*@(.).*(\.\w+)$/, `$1ames${month}@$2any${month}$3`);
	const phone = (text: string) => text.replace(/^.*(\d\d)$/, `(777) ${month.replaceAll("-", "")}$1`);
	return rows.map((row) => ({
		...row,
		member_email: email(row.member_email ?? ""),
		matched_email: email(row.matched_email ?? ""),
		member_preferred_phone: phone(row.member_preferred_phone ?? ""),
		matched_phone: phone(row.matched_phone ?? ""),
	}));
}

describe("nothing shows of rows", () => {
	for (const grant of GRANTS)
		test(`outside [${[...grant.countries, ...grant.states]}]`, (t) =>
			compare(t, { scope: { geography: grant } }, (rows) => otherwiseOutside(rows, grant), TRIES));
});

describe("nothing shows of columns", () => {
	test("outside the grant, asked for or not, by filter, sort, suggestion, statistics or history", (t) => {
		const varied = Object.keys(OTHER_VALUES) as Varied[];
		// Derived from office, status and type, so hidden with them.
		const derived: readonly ColumnName[] = ["agent_count", "license_status_group", "member_type_group"];
		const hidden: readonly ColumnName[] = [...varied, ...derived];
		const columns = COLUMNS.map((c) => c.name).filter((name) => !hidden.includes(name));
		return compare(t, { scope: { columns } }, otherwiseIn(varied), TRIES);
	});

	test("that a demo key is not given", (t) =>
		compare(t, { tier: "demo" }, otherwiseIn(["member_address"]), TRIES));

	for (const tier of ["demo", "trial"] as const)
		test(`behind the masks of a ${tier} key`, (t) => compare(t, { tier }, otherwiseMasked, TRIES));
});

test("the comparison sees what differs inside the grant", async (t) => {
	const answers: string[] = [];
	const changes = [(row: DropRow) => row.state === "ON", (row: DropRow) => row.state === "QC"];
	for (const changed of changes) {
		const rowsOf = (month: Month) =>
			monthRows(month).map((row) => (changed(row) ? { ...row, member_city: "Elsewhere" } : row));
		const side = await openSide(t, rowsOf, { scope: { geography: GRANTS[0] } });
		answers.push(visible(side, await side.served.request("/v1/licenses", side.key)));
	}
	assert.notEqual(answers[0], answers[1]);
});

test("wrong keys cannot be distinguished by response time", async (t) => {
	const side = await openSide(t, monthRows, { scope: { geography: GRANTS[0] } });
	const { served, key } = side;
	const stranger = createKeyText();
	const pairs = {
		"wrong keys": [
			{ path: "/v1/me", key: stranger },
			{ path: "/v1/me", key: `${key.slice(0, 30)}${createKeyText().slice(30)}` },
		],
	} as const;
	for (const [name, [a, b]] of Object.entries(pairs)) {
		const texts = await Promise.all([a, b].map((ask) => served.request(ask.path, ask.key)));
		const told = texts.map(({ status, text }) => `${status} ${text.replace(/\d{9,}/, "ID")}`);
		assert.equal(told[0], told[1], name);
		const ratio = await medianRatio(served.port, a, b);
		t.diagnostic(`${name}: medians' ratio ${ratio.toFixed(3)}`);
		assert.ok(ratio > 0.8 && ratio < 1.25, `${name}: ${ratio}`);
	}
});
