/** GET /v1/offices (docs/API.md §11.8), against the fixture's rows as plain data. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Filters, Geography, OfficesRequest } from "../../engine/index.js";
import { officesResponse } from "../../server/api/schemas/offices-response.js";
import { naiveOffices } from "../oracle/naive-aggregates.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows } from "../oracle/naive-rows.js";
import { monthRows } from "./drop-rows.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const MONTH = new NaiveMonth("2026-11", makeRows(monthRows("2026-11"), "2026-11"));

const offices = (served: ServedFixture, query: string, key: string) =>
	served.ok(officesResponse, `/v1/offices?${query}`, key);

/** `data` as a scan of the rows gives it. */
function expected(request: Partial<OfficesRequest>, filters: Filters, geography: Geography | null = null) {
	const found = naiveOffices(
		MONTH,
		{ like: null, sort: "rows", offset: 0, limit: 20, ...request },
		filters,
		geography,
	);
	return found.offices.map(({ officeName, state, cities, licenses, active, brokers }) => ({
		office_name: officeName,
		state,
		cities,
		licenses,
		active,
		brokers,
	}));
}

overBothTransports("offices", (served) => {
	test("are counted by name and state, with their cities, brokers and active licenses", async () => {
		const key = await served().key();
		const { data, pagination, meta } = await offices(served(), "limit=200", key);
		assert.deepEqual(data, expected({ limit: 200 }, {}));
		assert.deepEqual(Object.keys(data[0]), [
			"office_name",
			"state",
			"cities",
			"licenses",
			"active",
			"brokers",
		]);
		assert.deepEqual(pagination, {
			page: 1,
			limit: 200,
			total: data.length,
			total_pages: 1,
			has_next: false,
			has_prev: false,
		});
		const named = MONTH.rows.filter((row) => row.office_name !== null).length;
		assert.deepEqual([meta.rows, meta.sort, meta.as_of], [named, "rows", "2026-11-30"]);
	});

	test("are found by prefix, state and city, in either order, page by page", async () => {
		const key = await served().key();
		const filters = { state: ["TX", "CA"], city: ["Austin", "Fairview"], office_name: ["sm", "ACME"] };
		const query = "state=TX,CA&city=Austin&city=Fairview&office_name=sm&office_name=ACME&sort=office_name";
		const whole = expected({ sort: "office_name" }, filters);
		assert.ok(whole.length > 2);
		const { data, meta } = await offices(served(), query, key);
		assert.deepEqual(data, whole);
		assert.deepEqual(meta.filters_applied, ["state", "city", "office_name"]);
		const second = await offices(served(), `${query}&limit=1&page=2`, key);
		assert.deepEqual(second.data, whole.slice(1, 2));
		assert.deepEqual([second.pagination.has_next, second.pagination.has_prev], [true, true]);
		assert.deepEqual((await offices(served(), `${query}&page=9`, key)).data, []);
	});

	test("are found by words of their names, also where none has the prefix asked for", async () => {
		const key = await served().key();
		const near = expected({ like: ["hoems smart"], sort: "match" }, { state: ["TX"] });
		assert.equal(near[0].office_name, "Smart Homes");
		const byName = await offices(served(), "name=hoems+smart&state=TX", key);
		assert.deepEqual(byName.data, near);
		assert.deepEqual(
			[byName.meta.sort, byName.meta.matched, byName.meta.filters_applied],
			["match", "name", ["name", "state"]],
		);
		const byPrefix = await offices(served(), "office_name=hoems+smart&state=TX", key);
		assert.deepEqual([byPrefix.data, byPrefix.meta.matched], [near, "name"]);
		assert.equal((await offices(served(), "office_name=smart", key)).meta.matched, "prefix");
		// An office is as near as the nearest of several names.
		for (const like of [
			["homes smart", "realty acme", "homse smrat"],
			["homse smrat", "relaty acme", "homes smart"],
		]) {
			const query = like.map((name) => `office_name=${encodeURIComponent(name)}`).join("&");
			const found = await offices(served(), query, key);
			assert.deepEqual(found.data, expected({ like, sort: "match" }, {}), query);
			assert.equal(found.meta.matched, "name");
		}
		const sorted = await offices(served(), "name=relaty&sort=office_name", key);
		assert.deepEqual(sorted.data, expected({ like: ["relaty"], sort: "office_name" }, {}));
		const none = await offices(served(), "name=qqqq", key);
		assert.deepEqual([none.data, none.meta.hints?.[0].param], [[], "name"]);
		const nowhere = await offices(served(), "city=Sprinfield", key);
		assert.deepEqual(nowhere.meta.hints?.[0].nearest, ["Springfield"]);
	});

	test("say on the last page that the depth cap allows what to do about those after it", async (t) => {
		const { latest } = served().app.library;
		assert.ok(latest !== null);
		const few = latest.groups.offices({ like: null, sort: "rows", offset: 0, limit: 2 }, {}, null);
		assert.ok(few.next !== null);
		t.mock.method(latest.groups, "officesInSlices", () => ({ ...few, total: 50_000, rows: 60_000 }));
		const key = await served().key();
		const last = await offices(served(), "page=251&limit=199", key);
		assert.deepEqual([last.pagination.has_next, last.meta.truncated], [true, true]);
		const [hint] = last.meta.hints ?? [];
		assert.deepEqual([hint.param, hint.value], ["page", "252"]);
		assert.match(hint.message, /^offices after the first 49,949 are not reached by pages/);
		const before = await offices(served(), "page=249&limit=200", key);
		assert.deepEqual([before.meta.truncated, before.meta.hints], [undefined, undefined]);
		const bulk = await served().key({ scope: { bulk: true } });
		assert.equal((await offices(served(), "page=251&limit=199", bulk)).meta.hints, undefined);
	});

	test("are those of the key's geography, with its columns", async () => {
		const geography = { countries: [], states: ["CA"] };
		const narrow = await served().key({ scope: { geography } });
		const { data, meta } = await offices(served(), "", narrow);
		assert.deepEqual(data, expected({}, {}, geography));
		assert.deepEqual(meta.scope, { geography });
		const columns = ["id", "state", "office_name", "member_city"] as const;
		const few = await served().key({ scope: { columns: [...columns] } });
		const [entry] = (await offices(served(), "limit=1", few)).data;
		assert.deepEqual(Object.keys(entry), ["office_name", "state", "cities", "licenses"]);
		for (const [key, query, param] of [
			[narrow, "state=TX", "state"],
			[await served().key({ scope: { columns: ["state", "member_city"] } }), "", undefined],
			[await served().key({ scope: { columns: ["state", "member_city"] } }), "office_name=x", "office_name"],
			[await served().key({ scope: { columns: ["office_name"] } }), "", undefined],
			[await served().key({ scope: { columns: ["office_name"] } }), "state=TX", "state"],
			[await served().key({ scope: { columns: ["office_name", "state"] } }), "city=Austin", "city"],
		] as const) {
			const refused = await served().refused(`/v1/offices?${query}`, key);
			assert.deepEqual([refused.status, refused.code, refused.param], [403, "scope_denied", param]);
		}
	});

	test("refuse what breaks a rule, naming the parameter", async () => {
		const key = await served().key();
		for (const [query, param] of [
			["sort=state", "sort"],
			["limit=0", "limit"],
			["limit=201", "limit"],
			["page=251&limit=200", "page"],
			["state=ZZ", "state"],
			["license_status=Active", "license_status"],
			["sort=rows&sort=rows", "sort"],
			["office_name=", "office_name"],
		]) {
			const refused = await served().refused(`/v1/offices?${query}`, key);
			assert.deepEqual([refused.status, refused.code, refused.param], [400, "invalid_parameter", param]);
		}
	});

	test("count as one request, and are answered 304 to the tag of the same question", async () => {
		const { id, text: key } = await served().keyWithId({ rate_limits: { per_minute: 100 } });
		const first = await served().request("/v1/offices?state=CA&sort=rows", key);
		const tag = first.headers.get("etag") ?? "";
		const headers = { "if-none-match": tag };
		assert.equal((await served().request("/v1/offices?state=ca", key, { headers })).status, 304);
		assert.equal((await served().request("/v1/offices?state=CA&page=2", key, { headers })).status, 200);
		assert.equal(first.headers.get("ratelimit-remaining"), "99");
		const { text } = await served().request("/v1/usage?days=1", key);
		const { by_endpoint } = JSON.parse(text).data;
		assert.ok(
			by_endpoint.some((e: { endpoint: string; requests: number }) => e.endpoint === "/v1/offices"),
			`${id} ${text}`,
		);
	});
});
