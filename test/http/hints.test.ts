/** Hints of answers without rows (docs/API.md §7.8.6): one for every filter that can empty an answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FILTERS } from "../../formats/index.js";
import { licensesResponse, suggestResponse } from "../../server/api/schemas/endpoint-responses.js";
import { overBothTransports, type ServedFixture } from "./served.js";

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
	});
});
