/** Hints where rows match a filter on statuses, types or dates: states that publish none (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
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
		"status_not=Active",
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

	// Of changes, the other letter cases of a city; in the newer month all Austin of TX is AUSTIN.
	const changes = await served.ok(changesResponse, "/v1/changes?city=AUSTIN&kind=changed", key);
	assert.ok((changes.meta.totals.changed ?? 0) > 0);
	assert.deepEqual(
		changes.meta.hints?.map(({ param, nearest }) => [param, ...nearest]),
		[["city", "Austin"]],
	);
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
