/** Hints of answers without rows (docs/API.md §7.8.6): one for every filter that can empty an answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FILTERS, TRACKED_COLUMNS } from "../../formats/index.js";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import {
	historyResponse,
	licensesResponse,
	statesResponse,
	statsResponse,
	suggestResponse,
} from "../../server/api/schemas/endpoint-responses.js";
import { officesResponse } from "../../server/api/schemas/offices-response.js";
import { monthRows } from "./drop-rows.js";
import { overBothTransports, publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

async function hintsOf(served: ServedFixture, query: string, key: string) {
	const { data, meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
	assert.deepEqual(data, [], query);
	return meta.hints ?? [];
}

/** A query that each filter alone empties, and values that its hint names. */
const EMPTIED: Readonly<Record<string, readonly [query: string, nearest: readonly string[]]>> = {
	country: ["country=CA&state=TX", []],
	state: ["state=FL", []],
	name: ["name=Given3+Qqqqq", ["Given3 Smith"]],
	first_name: ["first_name=Givne3", ["Given3"]],
	last_name: ["last_name=garcia", ["García"]],
	member_type: ["state=TX&member_type=Brokr", ["Broker"]],
	type_not: ["state=QC&type_not=Courtier+immobilier", []],
	city: ["city=san+jose", ["San José"]],
	city_not: [
		"city_not=Springfield&city_not=San+José&city_not=Austin&city_not=Saint-Jean&city_not=Fairview&state=ON",
		[],
	],
	postal_code: ["postal_code=90003-1234", ["90003"]],
	postal_prefix: ["postal_prefix=9009", ["90000"]],
	office_name: ["office_name=smarthomes+realty", []],
	office_name_is: ["office_name_is=acme+realty", ["Acme, Realty"]],
	license_number: ["state=TX&license_number=tx0012", ["TX-12"]],
	license_status: ["state=TX&license_status=actve", ["Active"]],
	status_not: ["state=TX&status_not=Active&status_not=Inactive", []],
	issued_after: ["issued_after=2099-01-01", ["2022-08-31"]],
	issued_before: ["issued_before=1999-01-01", ["2020-01-01"]],
	expires_after: ["expires_after=2099-01-01", []],
	expires_before: ["expires_before=1999-01-01", []],
	first_issued_after: ["first_issued_after=2099-01-01", []],
	first_issued_before: ["first_issued_before=1999-01-01", []],
	status_group: ["state=TX&status_group=deceased", ["active", "inactive"]],
	type_group: ["type_group=appraiser", []],
	present: ["state=ON&present=matched_email", []],
	missing: ["missing=state", []],
};

overBothTransports("hints", (served) => {
	test("know a city with its state, and its first word short or long", async () => {
		const key = await served().key();
		for (const [asked, nearest] of [
			["San Jose, CA", ["San José"]],
			["St. Jean", ["Saint-Jean"]],
			["st jean, QC", ["Saint-Jean"]],
			["Ft. Nowhere", []],
			[",", []],
		] as const) {
			const [hint] = await hintsOf(served(), `city=${encodeURIComponent(asked)}`, key);
			assert.deepEqual([hint.param, hint.nearest], ["city", nearest], asked);
		}
	});

	test("know a city by a code after it and by City, and a person by the rarer word, in any order", async (t) => {
		const fresh = await ServedFixture.start(ANY_TRANSPORT);
		t.after(() => fresh.close());
		const [row] = monthRows("2026-11");
		const cities = ["MIAMI", "FLAGSHIP BANKS OF MIAMI", "NEW YORK", "KANSAS CITY"];
		const names = ["Allie Connor", "Mary Baker", "Mary Barnes"];
		const rows = [...cities, ...names].map((_, i) => ({
			...row,
			member_state_license_number: `N${i}`,
			member_city: cities[i] ?? "",
			member_full_name: names[i - cities.length] ?? "",
		}));
		await publish(fresh.dataFolder, "2026-12", rows);
		await fresh.reload();
		const key = await fresh.key();
		for (const [query, nearest] of [
			["city=Miami,+FL", ["MIAMI", "FLAGSHIP BANKS OF MIAMI"]],
			["city=miami+fl", ["MIAMI", "FLAGSHIP BANKS OF MIAMI"]],
			["city=New+York+City", ["NEW YORK"]],
			["city=New+York+City,+NY", ["NEW YORK"]],
			["city=Kansas+City", ["KANSAS CITY"]],
			["name=Mary+Connor", ["Allie Connor"]],
			["name=Connor,+Mary", ["Allie Connor"]],
		] as const) {
			const [hint] = await hintsOf(fresh, query, key);
			assert.deepEqual(hint.nearest, nearest, query);
			if (!query.startsWith("city=") || query === "city=Kansas+City") continue;
			const path = `/v1/suggest?field=city&${query.replace("city", "q")}`;
			const { meta } = await fresh.ok(suggestResponse, path, key);
			assert.deepEqual(meta.hints?.[0].nearest, nearest, path);
		}
	});

	test("name the filter that emptied an answer, and values near the one given", async () => {
		const key = await served().key();
		assert.deepEqual(Object.keys(EMPTIED).sort(), FILTERS.map(({ param }) => param).sort());
		for (const [param, [query, nearest]] of Object.entries(EMPTIED)) {
			const hints = await hintsOf(served(), query, key);
			const hint = hints.find((each) => each.param === param) ?? hints[0];
			assert.ok(hint !== undefined, query);
			if (param !== "country") assert.equal(hint.param, param, query);
			for (const value of nearest)
				assert.ok(hint.nearest.includes(value), `${query}: ${JSON.stringify(hint)}`);
		}
	});

	test("name a state's own words for a status or a type by their meaning, before those that are written alike", async () => {
		const key = await served().key();
		for (const [query, nearest, group] of [
			["state=NY&license_status=Active", ["Current"], "status_group active"],
			["state=ON&license_status=inactive", [], "status_group inactive"],
			["state=QC&license_status=active", ["Actif"], "status_group active"],
			["state=TX&member_type=Salesperson", ["Sales Agent"], "type_group salesperson"],
		] as const) {
			const [hint] = await hintsOf(served(), query, key);
			if (nearest.length > 0) assert.deepEqual(hint.nearest, nearest, query);
			assert.ok(hint.message.endsWith(`; ${group} has all that mean it`), hint.message);
		}
	});

	test("leave titles, suffixes and trades out of a name first", async () => {
		const key = await served().key();
		for (const name of ["Mr. Given3 Smith Jr", "Given3 Smith, Broker", "Smith Given3 Q."]) {
			const [hint] = await hintsOf(served(), `name=${encodeURIComponent(name)}`, key);
			assert.deepEqual([hint.param, hint.nearest[0]], ["name", "Given3 Smith"], name);
		}
		const [hint] = await hintsOf(served(), "last_name=Given3+Smith", key);
		assert.match(hint.message, /; name takes whole names$/);
	});

	test("say of a narrowed key that others may have rows which it does not read", async () => {
		const narrowed = await served().key({ scope: { geography: { countries: [], states: ["TX", "CA"] } } });
		const whole = await served().key();
		for (const [query, rows] of [
			["last_name=qqqqq", "this snapshot that this key reads"],
			["country=US&last_name=qqqqq", "the United States that this key reads"],
			["state=TX&last_name=qqqqq", "TX"],
		] as const) {
			const [hint] = await hintsOf(served(), query, narrowed);
			assert.match(hint.message, new RegExp(`^no row in ${rows} has last_name "qqqqq"`));
		}
		const path = "/v1/suggest?field=last_name&q=qqqqq";
		for (const [key, rows] of [
			[narrowed, "this snapshot that this key reads"],
			[whole, "this snapshot"],
		]) {
			const { meta } = await served().ok(suggestResponse, path, key);
			assert.equal(meta.hints?.[0].message, `no last_name in ${rows} starts with "qqqqq"`);
		}
	});

	test("are given where a state or a country has no rows", async (t) => {
		const key = await served().key();
		const { data, meta } = await served().ok(statsResponse, "/v1/stats?state=NT", key);
		assert.equal(data.rows, 0);
		const message = "no row that this key reads is of state NT";
		assert.deepEqual(meta.hints, [{ param: "state", value: "NT", message, nearest: [] }]);
		const [abroad] = await hintsOf(served(), "country=CA&state=CA", key);
		assert.equal(abroad.message, "no row is of state CA and country CA: CA is California, of US");
		const stated = await served().ok(statsResponse, "/v1/stats?state=TX", key);
		assert.equal(stated.meta.hints, undefined);

		const fresh = await ServedFixture.start(ANY_TRANSPORT);
		t.after(() => fresh.close());
		await publish(
			fresh.dataFolder,
			"2026-12",
			monthRows("2026-11").filter(({ state }) => state === "TX"),
		);
		await fresh.reload();
		const none = await fresh.ok(statesResponse, "/v1/states?country=CA", await fresh.key());
		assert.deepEqual(none.data, []);
		assert.deepEqual(
			none.meta.hints?.map(({ param, value }) => [param, value]),
			[["country", "CA"]],
		);
	});

	test("say how many rows there are without each of several filters", async () => {
		const key = await served().key();
		const hints = await hintsOf(
			served(),
			"state=TX&license_status=Active&status_not=Active&city=Austin",
			key,
		);
		assert.deepEqual(
			hints.map(({ param }) => param),
			["license_status", "status_not"],
		);
		assert.match(hints[0].message, /^without license_status, \d+ rows match$/);
		const names = await hintsOf(served(), "state=QC&first_name=Given6&last_name=Smith", key);
		const [first, last] = names.slice(1);
		assert.match(
			first.message,
			/^without first_name, \d+ rows match; name takes both names, and forgives nicknames/,
		);
		assert.match(last.message, /^without last_name, \d+ rows match$/);
	});

	test("name the last page where a page after it was asked for", async () => {
		const key = await served().key();
		const { pagination } = await served().ok(licensesResponse, "/v1/licenses?state=TX&limit=5", key);
		const { total, total_pages: pages } = pagination;
		assert.ok(total !== null && pages !== null);
		const message = `${total} rows match, so the last page of 5 is page ${pages}`;
		for (const [query, page] of [
			[`state=TX&limit=5&page=${pages + 1}`, pages + 1],
			["state=TX&limit=5&page=900&count=false", 900],
		] as const) {
			const hints = await hintsOf(served(), query, key);
			const expected: unknown = [{ param: "page", value: String(page), message, nearest: [String(pages)] }];
			assert.equal(JSON.stringify(hints), JSON.stringify(expected), query);
		}
		const [hint] = await hintsOf(served(), "city=san+jose&count=false&page=2", key);
		assert.deepEqual([hint.param, hint.nearest], ["city", ["San José"]], "no row matches on any page");
		const offices = await served().ok(officesResponse, "/v1/offices?page=200&limit=200", key);
		assert.deepEqual([offices.data, offices.meta.hints?.[0].nearest], [[], ["1"]]);
	});

	test("say that no group is large enough", async () => {
		const key = await served().key();
		const { data, meta } = await served().ok(
			aggregateResponse,
			"/v1/aggregate?by=state&min_count=1000000",
			key,
		);
		assert.deepEqual(data, []);
		const message = "no group has 1,000,000 rows or more";
		assert.deepEqual(meta.hints, [{ param: "min_count", value: "1000000", message, nearest: [] }]);
	});

	test("say why no month has a license, and why nothing changed", async () => {
		const key = await served().key();
		const history = await served().ok(
			historyResponse,
			"/v1/licenses/history?state=TX&license_number=tx0012",
			key,
		);
		assert.deepEqual(history.data.rows, []);
		assert.deepEqual(history.meta.hints?.[0].nearest, ["TX-12"]);
		const changesHint = async (query: string) => {
			const { data, meta } = await served().ok(changesResponse, `/v1/changes?${query}`, key);
			assert.deepEqual(data, [], query);
			assert.equal(meta.hints?.length, 1, query);
			return meta.hints[0];
		};
		const unmet = await changesHint("city=san+jose");
		assert.deepEqual([unmet.param, unmet.nearest], ["city", ["San José"]]);
		const all = await served().ok(changesResponse, "/v1/changes?limit=1000", key);
		const states = [...new Set(all.data.map(({ state }) => state))];
		const kindsOf = (state: string) =>
			new Set(all.data.filter((entry) => entry.state === state).map(({ kind }) => kind));
		const partly = states.find((state) => kindsOf(state).size < 3);
		assert.ok(partly !== undefined, "a state without some kind of change");
		const kinds = kindsOf(partly);
		const absent = (["new", "gone", "changed"] as const).find((kind) => !kinds.has(kind));
		const kind = await changesHint(`state=${partly}&kind=${absent}`);
		assert.deepEqual([kind.param, kind.value, [...kind.nearest].sort()], ["kind", absent, [...kinds].sort()]);
		assert.match(kind.message, /^without kind and field, these match: \d+ new, \d+ changed, \d+ gone$/);
		const fields = new Set(all.data.flatMap(({ changes }) => changes.map(({ field }) => field)));
		const unchanged = TRACKED_COLUMNS.map(({ name }) => name).find((name) => !fields.has(name));
		assert.ok(unchanged !== undefined, "a column that did not change");
		const field = await changesHint(`field=${unchanged}`);
		assert.deepEqual([field.param, field.value], ["field", unchanged]);
		const moved = all.data.find(({ changes }) =>
			changes.some((change) => change.field === "member_license_status"),
		);
		assert.ok(moved?.previous !== undefined, "a license whose status changed");
		const { state, member_license_status: status } = moved.previous as Record<string, string>;
		const number = moved.license_number;
		const gone = await changesHint(
			`kind=gone&${new URLSearchParams({ state, license_status: status, license_number: number })}`,
		);
		assert.deepEqual([gone.param, gone.message.slice(0, 24)], ["from", "1 row matches in 2026-10"]);
	});

	test("are given where nothing starts with what is to be completed", async () => {
		const key = await served().key();
		const suggest = async (query: string) =>
			(await served().ok(suggestResponse, `/v1/suggest?${query}`, key)).meta;
		const more = await suggest("field=last_name&q=sm&limit=1");
		assert.deepEqual([more.more, more.hints], [true, undefined]);
		assert.equal((await suggest("field=last_name&q=sm")).more, false);
		for (const [query, value] of [
			["field=last_name&q=obrien", "O'Brien"],
			["field=last_name&q=Nguyen", "Nguyễn"],
			["field=last_name&q=Simth&state=TX", "Smith"],
			["field=city&q=sanjose", "San José"],
			["field=office&q=homes", "Smart Homes"],
		])
			assert.deepEqual((await suggest(query)).hints?.[0].nearest.slice(0, 1), [value], query);
	});

	test("say that the key's geography has no row in the month, with filters or without", async () => {
		const key = await served().key({ scope: { geography: { countries: [], states: ["WY"] } } });
		for (const path of [
			"licenses?limit=1",
			"licenses?city=Austin",
			"aggregate?by=state",
			"offices",
			"offices?city=Austin",
			"changes",
			"changes?city=Austin",
			"stats",
			"states",
		]) {
			const { hints } = JSON.parse((await served().request(`/v1/${path}`, key)).text).meta;
			const message = "no row of 2026-11 is in this key's geography";
			assert.deepEqual(hints, [{ param: "state", value: "", message, nearest: [] }], path);
		}
	});

	test("name nothing outside the key's geography", async () => {
		const key = await served().key({ scope: { geography: { countries: [], states: ["QC"] } } });
		for (const [query, hidden] of [
			["license_number=CA12", "CA-12"],
			["license_status=Licensd", "Licensed"],
			["member_type=Salesperson", "Salesperson"],
		]) {
			const hints = await hintsOf(served(), query, key);
			assert.ok(!JSON.stringify(hints.map(({ nearest }) => nearest)).includes(hidden), query);
		}
		assert.deepEqual((await hintsOf(served(), "license_number=qc3", key))[0].nearest, ["QC-3"]);
		for (const path of ["licenses/history?state=QC&license_number=CA12", "changes?license_number=CA12"]) {
			const { hints } = JSON.parse((await served().request(`/v1/${path}`, key)).text).meta;
			assert.equal(hints[0].param, "license_number", path);
			assert.ok(!JSON.stringify(hints).includes("CA-12"), path);
		}
	});
});
