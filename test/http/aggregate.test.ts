/** GET /v1/aggregate (docs/API.md §11.3), against the fixture's rows as plain data. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DIMENSION_NAMES, type DimensionName } from "../../engine/index.js";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { naiveAggregate } from "../oracle/naive-aggregates.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows } from "../oracle/naive-rows.js";
import { monthRows } from "./drop-rows.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const MONTH = new NaiveMonth("2026-11", makeRows(monthRows("2026-11"), "2026-11"));
const PAIRS = DIMENSION_NAMES.flatMap((first) =>
	DIMENSION_NAMES.filter((second) => second !== first).map((second) => [first, second] as const),
);

const aggregate = (served: ServedFixture, query: string, key: string) =>
	served.ok(aggregateResponse, `/v1/aggregate?${query}`, key);

async function refusal(served: ServedFixture, query: string, key: string) {
	const { status, text } = await served.request(`/v1/aggregate?${query}`, key);
	const { code, param, message } = JSON.parse(text).error;
	return { status, code, param, message };
}

overBothTransports("aggregates", (served) => {
	test("count the rows of each group of one dimension, or of two", async () => {
		const key = await served().key();
		for (const by of [...DIMENSION_NAMES.map((name) => [name]), ...PAIRS] as (readonly DimensionName[])[]) {
			const { data, meta } = await aggregate(served(), `by=${by.join()}&top=1000`, key);
			const expected = naiveAggregate(MONTH, { by, top: 1000, minCount: 1 }, {}, null);
			assert.deepEqual(data, expected.groups, by.join());
			assert.equal(meta.rows, MONTH.rows.length);
			assert.equal(meta.groups, data.length);
			assert.equal(meta.other_rows, 0);
			assert.deepEqual(meta.by, by);
			assert.equal(meta.as_of, "2026-11-30");
		}
	});

	test("take every filter, a number of groups and a least count, and count what they leave out", async () => {
		const key = await served().key();
		const query = "by=member_city,license_status&state=TX&state=ON&status_not=Expired&top=3&min_count=2";
		const { data, meta } = await aggregate(served(), query, key);
		const request = { by: ["member_city", "license_status"], top: 3, minCount: 2 } as const;
		const filters = { state: ["TX", "ON"], status_not: "Expired" };
		const expected = naiveAggregate(MONTH, request, filters, null);
		assert.deepEqual(data, expected.groups);
		assert.deepEqual(
			[meta.rows, meta.groups, meta.other_rows],
			[expected.rows, expected.groupCount, expected.otherRows],
		);
		assert.deepEqual(meta.filters_applied, ["state", "status_not"]);
		assert.equal(meta.truncated, expected.groupCount > 3 ? true : undefined);
	});

	test("count the rows of the key's geography only", async () => {
		const geography = { countries: [], states: ["CA"] };
		const key = await served().key({ scope: { geography } });
		const { data, meta } = await aggregate(served(), "by=state", key);
		const expected = naiveAggregate(MONTH, { by: ["state"], top: 20, minCount: 1 }, {}, geography);
		assert.deepEqual(data, expected.groups);
		assert.deepEqual(meta.scope, { geography });
		assert.deepEqual(await refusal(served(), "by=country&state=TX", key).then((r) => [r.status, r.code]), [
			403,
			"scope_denied",
		]);
	});

	test("refuse dimensions and filters outside of the column grant, whether or not rows match", async () => {
		const key = await served().key({ scope: { columns: ["id", "state", "member_city"] } });
		assert.equal((await aggregate(served(), "by=member_city&top=1", key)).data.length, 1);
		for (const query of [
			"by=office_name",
			"by=state,license_status",
			"by=expires_month",
			"by=state&license_status=Licensed",
			"by=state&license_status=nothing+has+this",
			"by=state&present=member_email",
			"by=state&missing=state,office_name",
			"by=state&status_group=active",
		]) {
			const { status, code } = await refusal(served(), query, key);
			assert.deepEqual([status, code], [403, "scope_denied"], query);
		}
	});

	test("refuse what breaks a rule, naming the parameter", async () => {
		const key = await served().key();
		const cases: readonly (readonly [string, string, RegExp])[] = [
			["", "by", /required/],
			["by=city", "by", /did you mean|The dimensions are/],
			["by=state,state,country,member_city", "by", /at most 2/],
			["by=state&by=country", "by", /more than once; give it once, with commas between its values/],
			["by=state&top=0", "top", /1 to 1,000/],
			["by=state&top=1001", "top", /1 to 1,000/],
			["by=state&min_count=0", "min_count", /whole number/],
			["by=state&sort=state", "sort", /one of rows, growth, decline/],
			["by=state&order=desc", "order", /no parameter/],
			["by=state&sort=growth", "sort", /needs compare/],
			["by=state&sort=decline&cursor=*", "sort", /needs compare/],
			["by=state&present=nothing", "present", /no column/],
			["by=state&status_group=good", "status_group", /one of active/],
		];
		for (const [query, param, message] of cases) {
			const refused = await refusal(served(), query, key);
			assert.deepEqual(
				[refused.status, refused.code, refused.param],
				[400, "invalid_parameter", param],
				query,
			);
			assert.match(refused.message, message, query);
		}
	});

	test("hint where nothing matches, and answer 304 to the tag of the same question", async () => {
		const key = await served().key();
		const { data, meta } = await aggregate(served(), "by=state&license_status=Licenced", key);
		assert.deepEqual([data, meta.rows, meta.groups, meta.other_rows], [[], 0, 0, 0]);
		assert.equal(meta.hints?.[0].param, "license_status");
		const first = await served().request("/v1/aggregate?by=state&top=5", key);
		const tag = first.headers.get("etag") ?? "";
		const again = await served().request("/v1/aggregate?top=5&by=state", key, {
			headers: { "if-none-match": tag },
		});
		assert.equal(again.status, 304);
		const other = await served().request("/v1/aggregate?by=state&top=6", key, {
			headers: { "if-none-match": tag },
		});
		assert.equal(other.status, 200);
	});

	test("are told apart where a client has forged the tag of another's question", async () => {
		// Found within seconds by a search that meets in the middle.
		const forged = "RZ3FVV1RcYrH0XDa";
		const attacker = await served().key();
		const made = await served().request(`/v1/aggregate?by=state&first_name=${forged}`, attacker);
		const asked = await served().request("/v1/aggregate?by=state", await served().key());
		assert.equal(made.headers.get("etag"), asked.headers.get("etag"), "the fingerprints are the same");
		assert.deepEqual(JSON.parse(made.text).data, []);
		const { meta } = JSON.parse(asked.text);
		assert.deepEqual([meta.filters_applied, meta.rows], [[], MONTH.rows.length]);
	});

	test("go on by the cursor that they gave, whoever asked the same in another spelling before", async () => {
		const key = await served().key({ scope: { bulk: true } });
		for (const state of ["tx", "TX"]) {
			const query = `by=license_status&top=1&state=${state}`;
			const { pagination } = await aggregate(served(), query, key);
			const cursor = pagination?.next_cursor;
			assert.ok(typeof cursor === "string");
			const next = await served().request(`/v1/aggregate?${query}&cursor=${cursor}`, key);
			assert.equal(next.status, 200, next.text);
		}
	});
});
