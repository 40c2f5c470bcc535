/** Hints where no row of the states that are asked has a value in a column at all (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { licensesResponse, suggestResponse } from "../../server/api/schemas/endpoint-responses.js";
import { officesResponse } from "../../server/api/schemas/offices-response.js";
import { monthRows, STATE_ROWS } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** What rows of Texas have none of, as in states that do not publish it. */
const UNPUBLISHED = {
	member_last_name: "",
	member_license_status: "",
	office_name: "",
	member_postal_code: "",
};

test("say where no row has a last name, a status or a postal code, and that name takes whole names", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) => (row.state === "TX" ? { ...row, ...UNPUBLISHED } : row));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const hintOf = async (query: string) => {
		const { data, meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		assert.deepEqual(data, [], query);
		return meta.hints?.[0] ?? { message: "", nearest: null };
	};
	const cases: readonly (readonly [query: string, message: RegExp])[] = [
		["last_name=Garcia", /; no row there has a member_last_name; name takes whole names$/],
		["license_status=Active", /; no row there has a member_license_status$/],
		["status_group=active", /; no row there has a member_license_status$/],
		["office_name=Smart", /; no row there has an office_name$/],
		["postal_code=77002", /; no row there has a member_postal_code$/],
		["postal_prefix=77", /; no row there has a member_postal_code$/],
	];
	for (const [query, expected] of cases) {
		const { message, nearest } = await hintOf(`state=TX&${query}`);
		assert.match(message, expected, query);
		assert.deepEqual(nearest, [], query);
	}
	for (const query of ["last_name=Qqqq", "postal_code=Q0Q"])
		assert.doesNotMatch((await hintOf(`state=CA&${query}`)).message, /no row there/, query);
});

test("say so of dates, of suggestions and of offices too, where the states asked for have none", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) => ({
		...row,
		member_license_first_issued: "",
		...(row.state === "TX"
			? { member_license_issued: "", member_city: "", member_last_name: "", office_name: "" }
			: {}),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const list = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, key)).meta.hints?.[0].message ?? "";
	assert.match(await list("state=TX&issued_after=2020-01-01"), /; no row there has a member_license_issued$/);
	assert.match(
		await list("first_issued_after=2020-01-01"),
		/; no row has a member_license_first_issued; issued_after reads member_license_issued, which rows have$/,
	);
	assert.match(
		await list("country=US&first_issued_after=2020-01-01"),
		/; no row there has a member_license_first_issued; issued_after reads/,
	);
	const suggested = async (query: string) =>
		(await served.ok(suggestResponse, `/v1/suggest?${query}`, key)).meta.hints?.map(({ message }) => message);
	assert.deepEqual(await suggested("field=city&q=Austin&state=TX"), [
		'no city in TX starts with "Austin": no row there has a member_city',
	]);
	assert.deepEqual(await suggested("field=last_name&q=Smith&state=TX"), [
		'no last_name in TX starts with "Smith": no row there has a member_last_name; name takes whole names',
	]);
	assert.deepEqual(await suggested("field=city&q=Qqqq&state=CA"), ['no city in CA starts with "Qqqq"']);
	const without = (column: string, effect: string) => `no row of TX has a value in ${column}${effect}`;
	assert.deepEqual(await suggested("field=city&q=Qqqq"), [
		'no city in this snapshot starts with "Qqqq"',
		`${without("member_city", "")}: suggestions leave out ${STATE_ROWS.TX} rows there`,
	]);
	const listed = async (query: string, by = key) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints?.map(
			({ message }) => message,
		);
	const leavesOut = (param: string, rest = "") =>
		without(`member_${param}`, `, so ${param} leaves out all ${STATE_ROWS.TX} rows there${rest}`);
	for (const place of ["", "&country=US", "&state=CA,TX"]) {
		const [none, ...others] = (await listed(`last_name=Qqqq&city=Qqqq${place}`)) ?? [];
		assert.match(none, /has last_name "Qqqq"$/);
		assert.match(others.shift() ?? "", /has city "Qqqq"/);
		assert.deepEqual(
			others,
			[leavesOut("last_name", "; name searches full names"), leavesOut("city")],
			`a row of TX may be meant${place}`,
		);
	}
	assert.equal((await listed("last_name=Qqqq&state=CA"))?.length, 1);
	const unread = await served.key({ scope: { columns: ["id", "member_last_name"] } });
	assert.equal((await listed("last_name=Qqqq&fields=id", unread))?.length, 1);
	const bare = rows.filter(({ state }) => state !== "NY").map((row) => ({ ...row, member_last_name: "" }));
	await publish(served.dataFolder, "2027-01", bare);
	await served.reload();
	assert.deepEqual(await suggested("field=last_name&q=Smith"), [
		'no last_name in this snapshot starts with "Smith": no row there has a member_last_name; name takes whole names',
	]);
	assert.deepEqual(await suggested("field=city&q=Austin&state=NY"), [
		"no row that this key reads is of state NY",
	]);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["NY"] } } });
	const outside = await served.ok(suggestResponse, "/v1/suggest?field=city&q=Austin", narrow);
	assert.equal(outside.meta.hints?.[0].message, "no row of 2027-01 is in this key's geography");
	const offices = async (query: string) =>
		(await served.ok(officesResponse, `/v1/offices?${query}`, key)).meta.hints?.map(({ message }) => message);
	assert.deepEqual(await offices("state=TX"), [
		"no row that matches has an office: no row of TX has an office_name",
	]);
	assert.deepEqual(await offices("state=TX&name=smart"), [
		'no office in TX has a name like "smart": no row of TX has an office_name; without state, 3 offices match',
	]);
	assert.deepEqual(await offices("name=qqqqq&state=TX,CA"), ['no office in TX, CA has a name like "qqqqq"']);
	assert.deepEqual(await offices("name=smart&office_name=acme&state=CA"), [
		'no office in CA with this office_name has a name like "smart"; without state and office_name, 3 offices match',
	]);
	assert.deepEqual(await offices("name=qqqqq"), ['no office in this snapshot has a name like "qqqqq"']);
});

/** As inspectors whose roster has no places, beside brokers of the same state whose roster has. */
test("say where none of the rows that match without a filter has a value in its column", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const [row] = monthRows("2026-11");
	const rows = [
		["Broker", "Houston", "Active"],
		["Inspector", "", ""],
		["Inspector", "", ""],
		["Appraiser", "", "Active"],
		["Appraiser", "Dallas", "Active"],
	].map(([member_type, member_city, member_license_status], i) => {
		const own = { member_type, member_city, member_license_status };
		return { ...row, state: "TX", ...own, member_state_license_number: String(i) };
	});
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const messages = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?state=TX&${query}`, key)).meta.hints?.map(
			({ message }) => message,
		);
	assert.deepEqual(await messages("city=Houston&type_group=inspector"), [
		"without city, 2 rows match, none of which has a member_city",
		"without type_group, 1 row matches",
	]);
	assert.deepEqual(await messages("city=Houston&type_group=appraiser"), [
		"without city, 2 rows match",
		"without type_group, 1 row matches",
	]);
	assert.deepEqual(await messages("city=Houston&type_group=inspector&missing=member_license_status"), [
		"without city, 2 rows match, none of which has a member_city",
	]);
	assert.deepEqual(await messages("status_group=active&license_number=1"), [
		"without license_number, 3 rows match",
		"without status_group, 1 row matches, which has no member_license_status",
	]);
});

test("a name's particles stay with the word after them where a word is left out", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const [row] = monthRows("2026-11");
	const names = ["Ana De la Cruz", "Eva De la Cruz", "Maria Delagarza", "Maria Adams", "Maria Baker"];
	const rows = names.map((member_full_name, i) => ({
		...row,
		member_full_name,
		member_state_license_number: String(i),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const { meta } = await served.ok(
		licensesResponse,
		"/v1/licenses?name=Maria De la Cruz",
		await served.key(),
	);
	assert.deepEqual([...(meta.hints?.[0].nearest ?? [])].sort(), ["Ana De la Cruz", "Eva De la Cruz"]);
});
