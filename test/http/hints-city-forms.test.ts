/** Hints that know how rosters write cities and offices: words short or long, and the state after a city (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { citySpellings, hasCitySpellings, prepareCitySpellings } from "../../server/api/hints/city-forms.js";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { licensesResponse, suggestResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const CITIES = [
	...[
		"West Hartford",
		"W HARTFORD",
		"W. Hartford",
		"Hartford",
		"North Haven",
		"NO HAVEN",
		"N HAVEN",
		"NEW HAVEN",
	],
	...[
		"Arlington Heights",
		"Arlington Hts",
		"East Saint Louis",
		"East St Louis",
		"Milford",
		"Milford, CT 06460, USA",
	],
	...[
		"Naperville",
		"Naperville, Il",
		"Naperville Il 60564",
		"Naperville Illinois",
		"Naperville Park",
		"West",
	],
	...["Virginia Beach", "Washington, D.C., Apt 4", "Washington", "Vass,", "Vass"],
];
const OFFICES = ["Hageman Bros Realty Group Inc", "Baird & Warner", "First Choice Homes", "Otherwise Homes"];

async function start(t: { after(end: () => Promise<void>): void }) {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row, i) => ({
		...row,
		member_city: CITIES[i % CITIES.length],
		office_name: OFFICES[i % OFFICES.length],
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const hints = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}&limit=1`, key)).meta.hints ?? [];
	const nearest = async (query: string) => (await hints(query)).flatMap((hint) => [...hint.nearest]).sort();
	return { served, key, hints, nearest };
}

test("a city that rows have tells of the rows in which it is short, long, or before its state", async (t) => {
	const { served, key, nearest } = await start(t);
	for (const [city, others] of [
		["West Hartford", ["W HARTFORD", "W. Hartford"]],
		["W HARTFORD", ["W. Hartford", "West Hartford"]],
		["N HAVEN", ["NO HAVEN", "North Haven"]],
		["Arlington Heights", ["Arlington Hts"]],
		["East St Louis", ["East Saint Louis"]],
		["Milford", ["Milford, CT 06460, USA"]],
		["Milford, CT 06460, USA", ["Milford"]],
		["Naperville", ["Naperville Il 60564", "Naperville, Il"]],
		["Naperville Il 60564", ["Naperville", "Naperville, Il"]],
		["Vass", ["Vass,"]],
		["West", []],
		["Hartford", []],
		["Washington", []],
		["NEW HAVEN", []],
	] as const)
		assert.deepEqual(await nearest(`city=${encodeURIComponent(city)}`), others, city);
	const query = "city=Naperville&city=Naperville,+Il&city=Naperville+Il+60564";
	assert.deepEqual(await nearest(query), []);
	const groups = await served.ok(aggregateResponse, "/v1/aggregate?by=member_city&top=100&state=TX", key);
	assert.match(groups.meta.hints?.[0].message ?? "", /beside "[^"]*" \d more rows? (is|are) of "/);
});

test("a city that no row has is answered with its other ways first, and a county with that rows have none", async (t) => {
	const { served, key, hints, nearest } = await start(t);
	assert.deepEqual((await hints("city=N.+Haven"))[0].nearest.toSorted().slice(0, 3), [
		"N HAVEN",
		"NEW HAVEN",
		"NO HAVEN",
	]);
	assert.deepEqual((await hints("city=W+Hartford"))[0].nearest.slice(0, 3).toSorted(), [
		"W HARTFORD",
		"W. Hartford",
		"West Hartford",
	]);
	assert.deepEqual(await nearest("city=E+St.+Louis"), ["East Saint Louis", "East St Louis"]);
	assert.match((await hints("city=Cook+County"))[0].message, /; rows have no county, and matching is exact$/);
	const path = "/v1/suggest?field=city&q=E.+St.+Louis";
	const { meta } = await served.ok(suggestResponse, path, key);
	assert.deepEqual(meta.hints?.[0].nearest.toSorted(), ["East Saint Louis", "East St Louis"]);
});

test("an office is found with its words short and long", async (t) => {
	const { hints, nearest } = await start(t);
	assert.deepEqual((await hints("office_name=Hageman+Brothers+Realty"))[0].nearest, [
		"Hageman Bros Realty",
		"Hageman Bros Realty Group Inc",
	]);
	assert.deepEqual(await nearest("office_name=Baird+and+Warner"), ["Baird & Warner"]);
	assert.deepEqual(await nearest("office_name=1st+Choice"), ["First Choice Homes", "first Choice"]);
	assert.deepEqual(await nearest("office_name_is=Hageman+Brothers+Realty"), [
		"Hageman Bros Realty Group Inc",
	]);
	assert.deepEqual(await nearest("office_name=Otherwise"), []);
});

test("an office's beginning that rows have tells of rows in which its words are short or long", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const offices = ["Smith Bros Realty", "Smith Brothers Homes", "Baird and Warner", "Baird & Warner Sales"];
	const rows = monthRows("2026-11").map((row, i) => ({ ...row, office_name: offices[i % offices.length] }));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	for (const [asked, other] of [
		["Smith Bros", "Smith Brothers"],
		["Smith brothers", "Smith bros"],
		["Baird & Warner", "Baird and Warner"],
	]) {
		const path = `/v1/licenses?limit=1&office_name=${encodeURIComponent(asked)}`;
		const { meta } = await served.ok(licensesResponse, path, key);
		assert.deepEqual(
			meta.hints?.map(({ nearest }) => nearest),
			[[other]],
			asked,
		);
	}
});

test("a city with its state is found among more names that go on after it than are read", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const more = Array.from({ length: 80 }, (_, i) => `San ${i} Pueblo`);
	const cities = ["San", "San TX 78701", ...more];
	const rows = monthRows("2026-11").map((row, i) => ({ ...row, member_city: cities[i % cities.length] }));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const { meta } = await served.ok(licensesResponse, "/v1/licenses?city=San&limit=1", await served.key());
	assert.deepEqual(meta.hints?.[0].nearest, ["San TX 78701"]);
});

test("spellings of cities are the same where a warm-up has looked for all of them", async (t) => {
	const { served } = await start(t);
	const open = () => openLibrary({ dataFolder: served.dataFolder }).latest as Snapshot;
	const [asked, prepared] = [open(), open()];
	assert.ok([...prepareCitySpellings(prepared)].length > 0);
	// What was looked for is not looked for again.
	prepared.spellings.others = () => assert.fail("spellings are looked for");
	for (const city of CITIES) {
		const found = citySpellings(asked, city);
		assert.deepEqual([...citySpellings(prepared, city)].sort(), [...found].sort(), city);
		assert.ok(!found.includes(city), city);
		for (const snapshot of [asked, prepared])
			assert.equal(hasCitySpellings(snapshot, city), found.length > 0, city);
	}
	assert.deepEqual(citySpellings(asked, "West Hartford"), ["W HARTFORD", "W. Hartford"]);
	assert.ok(hasCitySpellings(asked, "n. haven"), "a city that no row has may have spellings");
});
