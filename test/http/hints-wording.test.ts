/** How hints word what was asked (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

test("hints name a filter by the alias by which it was given", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key({ scope: { history: { mode: "all" } } });
	// The other name first, so that no cache answers one by the other.
	for (const name of ["postal_code", "zip"]) {
		const query = `${name}=00000`;
		const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		const grouped = await served.ok(aggregateResponse, `/v1/aggregate?by=state&${query}`, key);
		const changed = await served.ok(changesResponse, `/v1/changes?${query}`, key);
		assert.deepEqual(meta.filters_applied, ["postal_code"]);
		for (const { hints } of [meta, grouped.meta, changed.meta]) {
			assert.equal(hints?.[0].param, name);
			assert.ok(hints?.[0].message.includes(` has ${name} "00000"`), hints?.[0].message);
		}
		const both = await served.ok(
			licensesResponse,
			`/v1/licenses?${name}=90001&state=CA&issued_after=2022-08-01`,
			key,
		);
		assert.deepEqual(both.data, []);
		const combined = both.meta.hints?.find(({ param }) => param === name);
		assert.ok(combined?.message.startsWith(`without ${name}, `), JSON.stringify(both.meta.hints));
	}
});

test("hints tell one column that every row has from several of which each row has one", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key();
	for (const [missing, told] of [
		["state", "has a value in state"],
		["state,country", "has a value in one of state, country"],
	]) {
		const { meta } = await served.ok(licensesResponse, `/v1/licenses?missing=${missing}`, key);
		assert.equal(meta.hints?.[0].message, `every row in this snapshot ${told}`);
	}
});

test("hints tell values between commas from one value", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key();
	for (const [query, listed, nearest] of [
		["zip=90001,+90003", true, ["90001", "90003"]],
		["license_status=Active,Inactive", true, ["Active", "Inactive"]],
		["city=Austin,Springfield", true, ["Austin", "Springfield"]],
		["city=Austin,+TX", false, ["Austin"]],
		["last_name=smith,given", false, []],
	] as const) {
		const { data, meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		assert.deepEqual(data, [], query);
		const [hint] = meta.hints ?? [];
		assert.equal(hint.message.includes("one by one, not between commas"), listed, hint.message);
		if (nearest.length > 0) assert.deepEqual(hint.nearest, nearest, query);
	}
});
