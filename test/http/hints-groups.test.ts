/** Hints for groups by names and by postal codes, and for codes that longer ones begin with, whose numbers are those of a count of the rows (docs/API.md §11.3). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const CODES = [
	"06880",
	"06880-1234",
	"06880-5678",
	"068801111",
	"06881",
	"33101-0001",
	"33101-0002",
	"06880",
];
const CITIES = ["Montreal", "Montréal", "MONTREAL"];

let rows: DropRow[];
let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	rows = monthRows("2026-11").map((row, i) => ({
		...row,
		member_postal_code: CODES[i % CODES.length],
		member_city: row.state === "QC" || row.state === "ON" ? CITIES[i % CITIES.length] : "Waco",
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

async function hintsOf(query: string, by = key) {
	return (await served.ok(aggregateResponse, `/v1/aggregate?${query}`, by)).meta.hints ?? [];
}

/** Rows of these states whose column has one of the values, or begins with `prefix`. */
function naiveCount(column: "member_city" | "member_postal_code", states: string, prefix: string): number {
	const isMeant = (value: string | undefined) =>
		column === "member_city" ? value === prefix : value?.startsWith(prefix) === true;
	return rows.filter((row) => (states === "" || states.includes(row.state ?? "?")) && isMeant(row[column]))
		.length;
}

test("groups by postal code tell how many rows have codes that begin with a ZIP code", async () => {
	const texan = await served.key({ scope: { geography: { countries: [], states: ["TX", "CA"] } } });
	for (const [query, states, by] of [
		["by=member_postal_code", "", key],
		["by=member_postal_code&state=TX", "TX", key],
		["by=member_postal_code&postal_prefix=0688", "", key],
		["by=member_postal_code", "TX,CA", texan],
		["by=state,member_postal_code&state=NY", "NY", key],
	] as const) {
		const [hint, ...others] = await hintsOf(query, by);
		assert.deepEqual([hint.param, hint.value, others], ["by", "member_postal_code", []], query);
		const told = hint.message.matchAll(
			/postal_prefix (\d{5})(?: of NY)? has (\d+) rows, (\d+) more than the group "([-\d]+)"/g,
		);
		const found = [...told].map(([, zip, all, more, group]) => {
			const total = naiveCount("member_postal_code", states, zip);
			const own = rows.filter(
				(row) => row.member_postal_code === group && (states === "" || states.includes(row.state ?? "?")),
			).length;
			assert.deepEqual([Number(all), Number(more)], [total, total - own], `${query}: ${hint.message}`);
			return zip;
		});
		const expected = query.includes("prefix") ? ["06880"] : ["06880", "33101"];
		assert.deepEqual([...found].sort(), expected, hint.message);
		assert.deepEqual([...hint.nearest].sort(), expected);
	}
	for (const query of [
		"by=member_postal_code&postal_code=06880&postal_code=06881",
		"by=member_postal_code&postal_prefix=06880-",
		"by=member_postal_code&postal_prefix=06881",
		"by=member_postal_code,status_group",
	])
		assert.ok(!(await hintsOf(query)).some(({ param }) => param === "by"), query);
});

test("a ZIP code that only longer codes begin with is told with the rows that its prefix has", async () => {
	const hintOf = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, key)).meta.hints?.[0];
	for (const [query, states] of [
		["postal_code=33101", ""],
		["zip=33101&state=TX", "TX"],
	]) {
		const total = naiveCount("member_postal_code", states, "33101");
		const note = `some begin with 33101: postal_prefix 33101 has all ${total}`;
		assert.ok((await hintOf(query))?.message.endsWith(`; ${note}`), (await hintOf(query))?.message);
	}
	assert.match((await hintOf("postal_code=33109"))?.message ?? "", /; some begin with 3310$/);
});

test("a ZIP code without its zero in front is told with it", async () => {
	for (const query of ["postal_code=6880", "zip=6880&country=US", "postal_prefix=6880"]) {
		const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		assert.match(meta.hints?.[0].message ?? "", /; some begin with 06880$/, query);
		assert.ok(meta.hints?.[0].nearest.includes("06880"), query);
	}
	const { meta } = await served.ok(licensesResponse, "/v1/licenses?postal_code=3310", key);
	assert.match(meta.hints?.[0].message ?? "", /; some begin with 3310: postal_prefix 3310 has all /);
});

test("groups by city and state tell the other spellings within the state", async () => {
	const [hint, ...others] = await hintsOf("by=member_city,state");
	assert.deepEqual([hint.value, others], ["member_city", []]);
	const told = [
		...hint.message.matchAll(/beside "([^"]+)" of ([A-Z]{2}) (\d+) more rows? (?:is|are) of "([^"]+)"/g),
	];
	assert.equal(told.length, 3, hint.message);
	for (const [, group, state, count, other] of told) {
		assert.notEqual(group, other);
		assert.equal(Number(count), naiveCount("member_city", state, other), hint.message);
	}
	assert.deepEqual(await hintsOf("by=member_city,member_type&state=QC"), []);
});

test("spellings of rows that a key does not read take no place of those that it reads", async () => {
	/** All before `montreaL` in the order of values, and more than are counted. */
	const elsewhere = Array.from({ length: 32 }, (_, bits) =>
		[..."montreal"].map((c, i) => (i === 0 || (bits >> (i - 1)) & 1 ? c.toUpperCase() : c)).join(""),
	);
	const cities = monthRows("2026-11").map((row, i) => ({
		...row,
		member_city:
			row.state === "ON" ? (i % 3 === 0 ? "montreaL" : "montreal") : elsewhere[i % elsewhere.length],
	}));
	await publish(served.dataFolder, "2027-01", cities);
	await served.reload();
	const ontarian = await served.key({ scope: { geography: { countries: [], states: ["ON"] } } });
	const [hint] = await hintsOf("by=member_city", ontarian);
	const count = cities.filter(({ member_city }) => member_city === "montreaL").length;
	assert.match(hint?.message ?? "", new RegExp(`beside "montreal" ${count} more rows are of "montreaL"`));
});
