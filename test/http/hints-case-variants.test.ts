/** Hints where rows match a city: that rows have its name in another letter case too (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { officesResponse } from "../../server/api/schemas/offices-response.js";
import { monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** The cities of the first rows, with their states; the others keep theirs. */
const CITIES = [
	["TX", "Yreka"],
	["TX", "YREKA"],
	["TX", "YREKA"],
	["CA", "yreka"],
	["CA", "Ubly"],
	["ON", "YREKA"],
] as const;

test("a city that has rows in another letter case is told with these, of the states asked for and the key's", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row, i) =>
		i < CITIES.length ? { ...row, state: CITIES[i][0], member_city: CITIES[i][1], office_name: "Acme" } : row,
	);
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const hintsOf = async (query: string, by = key) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints;
	const toldOf = (count: string, names: string) =>
		`${count} member_city ${names}, which city leaves out: matching is exact, so give these too`;
	assert.deepEqual(await hintsOf("city=Yreka"), [
		{
			param: "city",
			value: "Yreka",
			message: toldOf("4 rows in this snapshot have", '"YREKA", "yreka"'),
			nearest: ["YREKA", "yreka"],
		},
	]);
	for (const [city, ...others] of [
		["YREKA", "Yreka", "yreka"],
		["yreka", "YREKA", "Yreka"],
	])
		assert.deepEqual((await hintsOf(`city=${city}`))?.[0].nearest, others);
	const inTexas = [
		{ param: "city", value: "YREKA", message: toldOf("1 row in TX has", '"Yreka"'), nearest: ["Yreka"] },
	];
	assert.deepEqual(await hintsOf("city=YREKA&state=TX"), inTexas);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA"] } } });
	assert.equal(await hintsOf("city=yreka", narrow), undefined, "rows outside of the grant are not told");
	const texan = await served.key({ scope: { geography: { countries: [], states: ["TX"] } } });
	const [hint] = (await hintsOf("city=Yreka", texan)) ?? [];
	assert.equal(hint.message, toldOf("2 rows in this snapshot that this key reads have", '"YREKA"'));
	for (const query of [
		"city=Yreka&city=YREKA&city=yreka",
		"city=Ubly",
		"city=YREKA&page=2&limit=1",
		"state=TX",
		"city_not=Yreka",
	])
		assert.equal(
			(await hintsOf(query))?.find(({ param }) => param === "city"),
			undefined,
			query,
		);
	const both = await hintsOf("city=Yreka&city=Ubly&city=YREKA");
	assert.deepEqual(
		both?.map(({ value, nearest }) => [value, ...nearest]),
		[
			["Yreka", "yreka"],
			["YREKA", "yreka"],
		],
	);
	const groups = await served.ok(aggregateResponse, "/v1/aggregate?by=state&city=YREKA&state=TX", key);
	assert.deepEqual(groups.meta.hints, inTexas);
	const offices = await served.ok(officesResponse, "/v1/offices?city=YREKA&state=TX", key);
	assert.deepEqual(offices.meta.hints, inTexas);
});

test("at most four cities are told, each with five names, and one hint tells of the rest", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	// Each letter in either case: eight names of each of seven cities.
	const names = (last: string) =>
		Array.from({ length: 8 }, (_, bits) =>
			[..."yre"]
				.map((letter, i) => ((bits >> i) & 1 ? letter.toUpperCase() : letter))
				.join("")
				.concat(last),
		);
	const cities = [..."0123456"].flatMap(names);
	const [row] = monthRows("2026-11");
	const rows = cities.map((member_city, i) => ({
		...row,
		member_city,
		state: "TX",
		member_state_license_number: String(i),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const query = [..."0123456"].map((last) => `city=yre${last}`).join("&");
	const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, await served.key());
	assert.deepEqual(
		meta.hints?.map(({ value, nearest }) => [value, nearest.length]),
		[...[..."0123"].map((last) => [`yre${last}`, 5]), ["", 21]],
	);
	assert.match(meta.hints?.[0].message ?? "", /^7 rows in this snapshot have member_city /);
	assert.equal(
		meta.hints?.[4].message,
		"3 more of the values of city have other spellings, 21 rows in this snapshot together: " +
			'"yre4", "yre5", "yre6"',
	);
});
