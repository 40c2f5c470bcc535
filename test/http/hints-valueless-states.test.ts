/** Hints where rows match a filter on what some states do not publish: statuses, dates, parts of names, offices, places (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { officesResponse } from "../../server/api/schemas/offices-response.js";
import { monthRows, STATE_ROWS } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

test("states without any value of a filter's column are told with their rows, of the states asked for and the key's", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) => ({
		...row,
		...(row.state === "NY" || row.state === "ON" ? { member_license_status: "" } : {}),
		...(row.state === "NY" ? { member_license_expires: "" } : {}),
		...(row.state === "TX" && row.member_city === "Austin" ? { member_city: "AUSTIN" } : {}),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const hintsOf = async (query: string, by = key) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints;
	const told = (states: string, column: string, param: string, count: number, value: string) => ({
		param,
		value,
		message: `no row of ${states} has a value in ${column}, so ${param} leaves out all ${count} rows there`,
		nearest: [],
	});
	const both = told(
		"ON, NY",
		"license_status_group",
		"status_group",
		STATE_ROWS.NY + STATE_ROWS.ON,
		"active",
	);
	assert.deepEqual(await hintsOf("status_group=active"), [both]);
	assert.deepEqual(await hintsOf("status_group=active&state=NY,TX"), [
		told("NY", "license_status_group", "status_group", STATE_ROWS.NY, "active"),
	]);
	assert.deepEqual(await hintsOf("status_group=active&country=CA"), [
		told("ON", "license_status_group", "status_group", STATE_ROWS.ON, "active"),
	]);
	assert.deepEqual(await hintsOf("license_status=Active&license_status=Licensed&license_status=Actif"), [
		told("ON, NY", "member_license_status", "license_status", 70, "Active, Licensed, Actif"),
	]);
	assert.deepEqual(
		await hintsOf("expires_after=2020-01-01&expires_before=2040-01-01"),
		[told("NY", "member_license_expires", "expires_after", STATE_ROWS.NY, "2020-01-01")],
		"two bounds of one date",
	);
	for (const query of [
		"status_group=active&state=TX,CA",
		"status_not=Active&state=TX,NY",
		"missing=member_license_status",
		"type_group=broker",
		"issued_after=2020-01-01",
		"status_group=active&page=2&limit=5",
		"state=NY",
	])
		assert.equal(await hintsOf(query), undefined, query);
	const texan = await served.key({ scope: { geography: { countries: [], states: ["TX", "NY"] } } });
	assert.deepEqual(await hintsOf("status_group=active", texan), [
		told("NY", "license_status_group", "status_group", STATE_ROWS.NY, "active"),
	]);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["TX"] } } });
	assert.equal(
		await hintsOf("status_group=active", narrow),
		undefined,
		"rows outside of the grant are not told",
	);
	const groups = await served.ok(aggregateResponse, "/v1/aggregate?by=state&status_group=active", key);
	assert.deepEqual(groups.meta.hints, [both]);

	const offices = async (query: string, by = key) =>
		(await served.ok(officesResponse, `/v1/offices?${query}`, by)).meta.hints;
	const uncounted = (states: string) => ({
		param: "state",
		value: states.replaceAll(" ", ""),
		message: `no row of ${states} has a value in license_status_group, so active is 0 for all offices there`,
		nearest: [],
	});
	assert.deepEqual(await offices("limit=200"), [uncounted("ON, NY")]);
	assert.deepEqual(await offices("state=NY&page=2&limit=2"), [uncounted("NY")]);
	assert.equal(await offices("state=TX,CA"), undefined);
	const numbered = await served.key({ scope: { columns: ["state", "office_name"] } });
	assert.equal(await offices("state=NY", numbered), undefined, "no active is shown");

	// Of changes, the other letter cases of a city; in the newer month all Austin of TX is AUSTIN.
	const changes = await served.ok(changesResponse, "/v1/changes?city=AUSTIN&kind=changed", key);
	assert.ok((changes.meta.totals.changed ?? 0) > 0);
	assert.deepEqual(
		changes.meta.hints?.map(({ param, nearest }) => [param, ...nearest]),
		[["city", "Austin"]],
	);
});

test("states without any value of a sort column are told, since all their rows come last", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) => ({
		...row,
		...(row.state === "NY" || row.state === "ON" ? { member_license_first_issued: "" } : {}),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const hintsOf = async (query: string, by = key) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints;
	const told = (states: string) => ({
		param: "sort",
		value: "member_license_first_issued",
		message: `no row of ${states} has a value in member_license_first_issued, so sort puts all rows there last, in either order`,
		nearest: [],
	});
	const sort = "sort=member_license_first_issued";
	assert.deepEqual(await hintsOf(sort), [told("ON, NY")]);
	assert.deepEqual(await hintsOf("sort=state,member_license_first_issued&order=desc&state=NY"), [told("NY")]);
	const [out, ...others] = (await hintsOf(`${sort}&first_issued_before=2040-01-01`)) ?? [];
	assert.deepEqual([out.param, others], ["first_issued_before", []], "the filter's hint tells of them");
	const [without, ...rest] = (await hintsOf(`${sort}&present=member_license_first_issued`)) ?? [];
	assert.deepEqual([without.param, rest], ["present", []]);
	for (const query of [`${sort}&state=CA,TX`, `${sort}&page=2&limit=5`, "sort=member_license_expires"])
		assert.equal(await hintsOf(query), undefined, query);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["TX"] } } });
	assert.equal(await hintsOf(sort, narrow), undefined, "rows outside of the grant are not told");
});

test("states without any value of a column of present are told, which it leaves out", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) => ({
		...row,
		member_email: row.state === "NY" ? "" : "someone@example.com",
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const path = (query: string) => `/v1/licenses?limit=1&present=member_email${query}`;
	const hintsOf = async (query: string) => (await served.ok(licensesResponse, path(query), key)).meta.hints;
	const hint = {
		param: "present",
		value: "member_email",
		message: `no row of NY has a value in member_email, so present leaves out all ${STATE_ROWS.NY} rows there`,
		nearest: [],
	};
	assert.deepEqual(await hintsOf(""), [hint]);
	assert.equal(await hintsOf("&state=TX,CA"), undefined);
	const groups = await served.ok(aggregateResponse, "/v1/aggregate?by=state&present=member_email", key);
	assert.deepEqual(groups.meta.hints, [hint]);
});

test("at most five states are named, however many publish nothing and are asked for", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const [row] = monthRows("2026-11");
	const states = ["AK", "AL", "AR", "AZ", "CO", "CT", "DC", "TX"];
	await publish(
		served.dataFolder,
		"2026-12",
		states.map((state) => ({
			...row,
			state,
			member_license_status: state === "TX" ? "Active" : "",
			member_license_expires: state === "TX" ? "2030-01-01" : "",
		})),
	);
	await served.reload();
	const query =
		"status_group=active&license_status=Active&expires_after=2020-01-01&expires_before=2040-01-01";
	const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, await served.key());
	assert.deepEqual(
		meta.hints?.map(({ param, message }) => [param, message.slice(0, message.indexOf(" has "))]),
		["license_status", "expires_after", "status_group"].map((param) => [
			param,
			"no row of AK, AL, AR, AZ, CO and 2 more states",
		]),
	);
});

test("states without names, offices or places are told, and that names are in full names", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) => ({
		...row,
		...(row.state === "NY" || row.state === "QC" ? { member_last_name: "", member_first_name: "" } : {}),
		...(row.state === "TX" ? { member_city: "", member_postal_code: "" } : {}),
		...(row.state === "ON" ? { office_name: "" } : {}),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const told = async (query: string, by = key) =>
		((await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints ?? [])
			.filter(({ message }) => message.startsWith("no row of "))
			.map(({ param, message }) => `${param}: ${message}`);
	const out = (param: string, column: string, states: readonly (keyof typeof STATE_ROWS)[], more = "") => {
		const left = rows.filter(({ state }) => states.some((each) => each === state)).length;
		return `${param}: no row of ${states.join(", ")} has a value in ${column}, so ${param} leaves out all ${left} rows there${more}`;
	};
	const names = "; name searches full names";
	assert.deepEqual(await told("last_name=smith"), [
		out("last_name", "member_last_name", ["QC", "NY"], names),
	]);
	assert.deepEqual(await told("first_name=given1&state=NY,CA"), [
		out("first_name", "member_first_name", ["NY"], names),
	]);
	assert.deepEqual(await told("city=Springfield"), [out("city", "member_city", ["TX"])]);
	assert.deepEqual(await told("zip=90001&state=TX,CA"), [out("zip", "member_postal_code", ["TX"])]);
	assert.deepEqual(await told("postal_prefix=9&country=US"), [
		out("postal_prefix", "member_postal_code", ["TX"]),
	]);
	assert.deepEqual(await told("office_name=smart"), [out("office_name", "office_name", ["ON"])]);
	assert.deepEqual(await told("office_name=smart&office_name_is=smart homes"), [
		out("office_name", "office_name", ["ON"]),
	]);
	assert.deepEqual(await told("office_name_is=smart homes&country=CA"), [
		out("office_name_is", "office_name", ["ON"]),
	]);
	for (const query of [
		"last_name=smith&state=CA",
		"city=Springfield&state=CA,NY",
		"city_not=Springfield",
		"name=smith",
		"missing=member_city",
		"office_name=smart&country=US",
	])
		assert.deepEqual(await told(query), [], query);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA", "NY"] } } });
	assert.deepEqual(await told("city=Springfield", narrow), [], "rows outside of the grant are not told");
	assert.deepEqual(await told("last_name=smith", narrow), [
		out("last_name", "member_last_name", ["NY"], names),
	]);
});

test("states where most rows have no place, but not all, are told with how many have none", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const seen = new Map<string, number>();
	/** Of the rows of TX all but three have no city, of CA half, of NY one more than half. */
	const rows = monthRows("2026-11").map((row) => {
		const state = row.state ?? "";
		const place = seen.get(state) ?? 0;
		seen.set(state, place + 1);
		const total = STATE_ROWS[state as keyof typeof STATE_ROWS];
		const without = { TX: total - 3, CA: Math.floor(total / 2), NY: Math.floor(total / 2) + 1 }[state];
		return { ...row, member_city: without !== undefined && place < without ? "" : "Springfield" };
	});
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const told = async (path: string, by = key) =>
		((await served.ok(licensesResponse, `/v1/licenses?${path}`, by)).meta.hints ?? []).map(
			({ param, message }) => `${param}: ${message}`,
		);
	const out = (states: readonly ("TX" | "NY")[]) => {
		const all = states.reduce((sum, state) => sum + STATE_ROWS[state], 0);
		const missing = { TX: STATE_ROWS.TX - 3, NY: Math.floor(STATE_ROWS.NY / 2) + 1 };
		const none = states.reduce((sum, state) => sum + missing[state], 0);
		return `city: ${none} of the ${all} rows of ${states.join(", ")} have no member_city, so city leaves them out`;
	};
	assert.deepEqual(await told("city=Springfield"), [out(["NY", "TX"])]);
	assert.deepEqual(await told("city=Springfield&state=TX,CA"), [out(["TX"])]);
	for (const query of [
		"city=Springfield&state=CA",
		"state=TX",
		"present=member_city",
		"city_not=Springfield",
	])
		assert.deepEqual(await told(query), [], query);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA", "NY"] } } });
	assert.deepEqual(
		await told("city=Springfield", narrow),
		[out(["NY"])],
		"rows outside of the grant are not told",
	);
	const unread = await served.key({ scope: { columns: ["id", "member_city"] } });
	assert.deepEqual(await told("city=Springfield", unread), [], "the key does not read the column state");
});

test("changes tell what their filters and fields leave out, of the month that filters read", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	// NY has no statuses in either month, ON in the older one alone.
	const older = monthRows("2026-11").map((row) => ({
		...row,
		...(row.state === "NY" ? { member_license_status: "" } : {}),
	}));
	const newer = older.map((row) => ({
		...row,
		...(row.state === "ON" ? { member_license_status: "" } : {}),
		...(row.member_license_status === "Inactive" ? { member_license_status: "INACTIVE" } : {}),
		office_name: "Moved",
	}));
	await publish(served.dataFolder, "2026-12", older);
	await publish(served.dataFolder, "2027-01", newer);
	await served.reload();
	const key = await served.key({ scope: { history: { mode: "all" } } });
	const told = async (query: string) => {
		const path = `/v1/changes?from=2026-12&to=2027-01&limit=5&${query}`;
		return ((await served.ok(changesResponse, path, key)).meta.hints ?? []).flatMap(({ param, message }) =>
			param === "limit" ? [] : [`${param}: ${message}`],
		);
	};
	const field =
		"field: no row of NY has a value in member_license_status in either month, so none is changed in it there";
	const [none, ...others] = await told("state=NY&field=member_license_status");
	assert.match(none, /^field: without kind and field, these match: /);
	assert.deepEqual(others, [field]);
	const once = `field: no row of ON has a value in member_license_status in 2027-01, unlike in 2026-12; ${STATE_ROWS.ON} licenses there are changed in it`;
	assert.deepEqual(await told("field=member_license_status"), [field, once]);
	assert.deepEqual(await told("state=ON"), [once]);
	for (const query of ["state=ON&kind=new,gone", "state=ON&field=office_name", "state=ON&kind=gone"])
		assert.ok(!(await told(query)).includes(once), query);
	assert.ok(
		!(await told("license_status=Active")).some((each) => each.includes("unlike")),
		"rows without one",
	);
	for (const query of ["state=NY", "state=TX&field=member_license_status", "state=NY&field=office_name"])
		assert.deepEqual(await told(query), [], query);
	const out = (states: string, rows: number) =>
		`no row of ${states} has a value in member_license_status, so license_status leaves out all ${rows} rows there`;
	const byNewer = await told("license_status=Active");
	assert.ok(
		byNewer.includes(`license_status: ${out("ON, NY", STATE_ROWS.ON + STATE_ROWS.NY)}`),
		byNewer.join("\n"),
	);
	assert.match(
		byNewer[0],
		/^license_status: no row of CA, QC has license_status "Active", and \d+ rows there/,
	);
	const byOlder = await told("license_status=Active&filters_on=older");
	assert.ok(byOlder.includes(`license_status: in 2026-12: ${out("NY", STATE_ROWS.NY)}`), byOlder.join("\n"));
	assert.match(byOlder[0], /^license_status: in 2026-12: no row of CA, ON, QC has license_status "Active"/);
	const texan = await told("state=TX,QC&license_status=INACTIVE&license_status=Inactif");
	assert.deepEqual(texan, []);
});
