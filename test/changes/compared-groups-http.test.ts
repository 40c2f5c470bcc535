/** GET /v1/aggregate with `compare` and its tool (docs/API.md §11.3), against the fixture's rows as plain data. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { MergedGroupsCache } from "../../engine/aggregate/merged-groups.js";
import {
	type ComparedRequest,
	DIMENSION_NAMES,
	type Filters,
	GROUP_SORTS,
	PendingWork,
} from "../../engine/index.js";
import type { Geography } from "../../engine/query.js";
import { snapshotFolder } from "../../formats/index.js";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { type MONTHS, monthRows } from "../http/drop-rows.js";
import { overBothTransports, publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { callOk, callRefused, connectClient } from "../mcp/tool-client.js";
import { naiveCompared } from "../oracle/naive-aggregates.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows } from "../oracle/naive-rows.js";

type Month = (typeof MONTHS)[number];

const naive = (month: Month) => new NaiveMonth(month, makeRows(monthRows(month), month));
const MONTH = { "2026-09": naive("2026-09"), "2026-10": naive("2026-10"), "2026-11": naive("2026-11") };
const ALL: ComparedRequest = { by: "state", sort: "rows", top: 1000, minCount: 1 };

/** What is answered of the groups, and the counts beside them. */
function expected(
	[older, newer]: readonly [Month, Month],
	request: Partial<ComparedRequest>,
	filters: Filters = {},
	geography: Geography | null = null,
) {
	const asked = { ...ALL, ...request };
	const found = naiveCompared(MONTH[older], MONTH[newer], asked, filters, geography);
	return {
		data: found.groups.map(({ by, rows, rowsBefore }) => {
			return { by, rows, rows_before: rowsBefore, change: rows - rowsBefore };
		}),
		counts: [found.rows, found.rowsBefore, found.groupCount, found.otherRows, found.hasMore],
	};
}

const compared = (served: ServedFixture, query: string, key: string) =>
	served.ok(aggregateResponse, `/v1/aggregate?${query}`, key);

type Compared = Awaited<ReturnType<typeof compared>>;

function answered({ data, meta }: Compared) {
	const counts = [meta.rows, meta.rows_before, meta.groups, meta.other_rows, meta.truncated === true];
	return { data, counts };
}

overBothTransports("aggregates of two months", (served) => {
	test("have the rows of every group in both, in the order asked for", async () => {
		const key = await served().key();
		for (const by of DIMENSION_NAMES) {
			for (const sort of GROUP_SORTS) {
				const answer = await compared(served(), `by=${by}&compare=2026-09&sort=${sort}&top=1000`, key);
				assert.deepEqual(answered(answer), expected(["2026-09", "2026-11"], { by, sort }), `${by} ${sort}`);
			}
		}
		const { data, meta } = await compared(served(), "by=state&compare=2026-10", key);
		assert.deepEqual(data[0], { by: { state: "CA" }, rows: 141, rows_before: 130, change: 11 });
		assert.deepEqual(meta, {
			snapshot: "2026-11",
			compare: "2026-10",
			by: ["state"],
			filters_applied: [],
			rows: 291,
			rows_before: 239,
			groups: 5,
			other_rows: 0,
			as_of: "2026-11-30",
		});
	});

	test("take other months, every filter, a number of groups and a least count of either month", async () => {
		const key = await served().key();
		const query = "snapshot=2026-10&compare=2026-09&by=member_city&state=TX&sort=decline&city_not=Austin";
		const answer = await compared(served(), query, key);
		const filters = { state: ["TX"], city_not: "Austin" };
		const asked = { by: "member_city", sort: "decline", top: 20 } as const;
		assert.deepEqual(answered(answer), expected(["2026-09", "2026-10"], asked, filters));
		assert.equal(answer.data[0].rows, 0, "a city that has no row any more");
		assert.deepEqual([answer.meta.snapshot, answer.meta.as_of], ["2026-10", "2026-10-31"]);
		for (const [top, minCount] of [
			[2, 1],
			[3, 30],
			[1000, 47],
		] as const) {
			const asked = { by: "office_name", sort: "growth", top, minCount } as const;
			const text = `by=office_name&compare=2026-10&sort=growth&top=${top}&min_count=${minCount}`;
			const answer = await compared(served(), text, key);
			assert.deepEqual(answered(answer), expected(["2026-10", "2026-11"], asked), text);
			assert.ok(answer.data.length > 0, text);
		}
	});

	test("obey the geography and the columns of the key", async () => {
		const geography = { countries: [], states: ["CA", "QC"] };
		const some = await served().key({ scope: { geography } });
		const answer = await compared(served(), "by=office_name&compare=2026-10&sort=growth&top=4", some);
		const asked = { by: "office_name", sort: "growth", top: 4 } as const;
		assert.deepEqual(answered(answer), expected(["2026-10", "2026-11"], asked, {}, geography));
		assert.deepEqual(answer.meta.scope, { geography });
		const narrow = await served().key({ scope: { columns: ["id", "state", "member_city"] } });
		assert.equal((await compared(served(), "by=member_city&compare=2026-10&top=1", narrow)).data.length, 1);
		for (const query of ["by=office_name", "by=state&license_status=Active"]) {
			const { status, code } = await served().refused(`/v1/aggregate?${query}&compare=2026-10`, narrow);
			assert.deepEqual([status, code], [403, "scope_denied"], query);
		}
	});

	test("need a history entitlement over both months, which is asked before they are looked for", async () => {
		const all = await served().key();
		const latest = await served().key({ scope: { history: { mode: "latest" } } });
		const one = await served().key({ scope: { history: { mode: "months", months: 1 } } });
		for (const [query, key, status, code, param] of [
			["compare=2026-10", latest, 403, "history_denied", "compare"],
			["compare=2026-09", one, 403, "history_denied", "compare"],
			["compare=2026-08", one, 403, "history_denied", "compare"],
			["compare=2026-08&snapshot=2026-09", one, 403, "history_denied", "snapshot"],
			["compare=2026-08", all, 404, "not_found", "compare"],
			["compare=2026-10&snapshot=2026-12", all, 404, "not_found", "snapshot"],
		] as const) {
			const refusal = await served().refused(`/v1/aggregate?by=state&${query}`, key);
			assert.deepEqual([refusal.status, refusal.code, refusal.param], [status, code, param], query);
		}
		assert.equal((await compared(served(), "by=state&compare=2026-10", one)).meta.compare, "2026-10");
	});

	test("refuse what does not go together, naming the parameter", async () => {
		const key = await served().key();
		const bulk = await served().key({ scope: { bulk: true } });
		const { pagination } = await compared(served(), "by=state&top=1", bulk);
		const cursor = pagination?.next_cursor as string;
		for (const [query, param, message] of [
			["by=state&sort=growth", "sort", /sort growth needs compare/],
			["by=state&sort=decline&snapshot=2026-10", "sort", /sort decline needs compare/],
			["by=state,member_city&compare=2026-10", "by", /one dimension; got 2: state, member_city/],
			["by=state&compare=2026-11", "compare", /2026-11 is not before 2026-11/],
			["by=state&compare=2027-01", "compare", /2027-01 is not before 2026-11/],
			["by=state&compare=2026-10&snapshot=2026-10", "compare", /2026-10 is not before 2026-10/],
			["by=state&compare=october", "compare", /YYYY-MM/],
			["by=state&compare=2026-10&cursor=*", "cursor", /leave cursor out/],
			[`compare=2026-10&cursor=${cursor}`, "cursor", /leave cursor out/],
			[`sort=growth&cursor=${cursor}`, "sort", /needs compare/],
			["compare=2026-10", "by", /required/],
			["by=state&compare=2026-10&sort=grew", "sort", /did you mean "growth"/],
			["by=state&compare=2026-10&sort=lost", "sort", /did you mean "decline"/],
			["by=state&compared_to=2026-10", "compared_to", /did you mean "compare"/],
			["by=state&since_month=2026-10", "since_month", /did you mean "compare"/],
			["by=state&vs=2026-10", "vs", /did you mean "compare"/],
		] as const) {
			for (const by of [key, bulk]) {
				const refused = await served().refused(`/v1/aggregate?${query}`, by);
				const { status, code, param: named } = refused;
				assert.deepEqual([status, code, named], [400, "invalid_parameter", param], query);
				assert.match(refused.message, message, query);
			}
		}
	});

	test("have no cursor, whether or not more follow", async () => {
		const bulk = await served().key({ scope: { bulk: true } });
		const { pagination, meta } = await compared(served(), "by=state&compare=2026-10&top=2", bulk);
		assert.deepEqual(pagination, { limit: 2, has_next: true, next_cursor: null });
		assert.equal(meta.truncated, true);
		const whole = await compared(served(), "by=state&compare=2026-10", bulk);
		assert.deepEqual(whole.pagination, { limit: 20, has_next: false, next_cursor: null });
		assert.equal(whole.meta.truncated, undefined);
	});

	test("have a tag of both months, of the sort and of the question, and keep their answers apart", async () => {
		const key = await served().key();
		const queries = [
			"by=office_name",
			"by=office_name&snapshot=2026-10",
			"by=office_name&compare=2026-10",
			"by=office_name&compare=2026-09",
			"by=office_name&compare=2026-09&snapshot=2026-10",
			"by=office_name&compare=2026-10&sort=growth",
			"by=office_name&compare=2026-10&sort=decline",
			"by=office_name&compare=2026-10&sort=growth&top=2",
			"by=office_name&compare=2026-10&sort=growth&min_count=49",
			"by=office_name&compare=2026-10&sort=growth&state=TX",
			"by=member_city&compare=2026-10&sort=growth",
		];
		const ask = (query: string, tag = "") =>
			served().request(`/v1/aggregate?${query}`, key, { headers: { "if-none-match": tag } });
		const first = [];
		for (const query of queries) first.push(await ask(query));
		const tags = first.map(({ headers }) => headers.get("etag") ?? "");
		assert.equal(new Set(tags).size, queries.length);
		assert.equal(new Set(first.map(({ text }) => text)).size, queries.length);
		for (const [i, query] of queries.entries()) {
			assert.equal((await ask(query)).text, first[i].text, query);
			assert.equal((await ask(query, tags[i])).status, 304, query);
			assert.equal((await ask(query, tags[(i + 1) % tags.length])).status, 200, query);
		}
		const spelled = await ask("compare=2026-10&by=office_name&sort=rows&snapshot=2026-11");
		assert.equal(spelled.headers.get("etag"), tags[2], "the same question in other words");
	});

	test("say why there is no group", async () => {
		const key = await served().key();
		const hintsOf = async (query: string) => {
			const { data, meta } = await compared(served(), `compare=2026-10&${query}`, key);
			assert.deepEqual(data, [], query);
			return meta.hints?.map(({ param, value, message }) => [param, value, message]);
		};
		assert.deepEqual(await hintsOf("by=state&sort=decline"), [
			["sort", "decline", "no group has fewer rows in 2026-11 than in 2026-10"],
		]);
		assert.deepEqual(await hintsOf("by=state&sort=growth&license_number=CA-0"), [
			["sort", "growth", "no group has more rows in 2026-11 than in 2026-10"],
		]);
		assert.deepEqual(await hintsOf("by=state&sort=growth&min_count=142"), [
			["min_count", "142", "no group that grew has 142 rows or more in 2026-10 or 2026-11"],
		]);
		assert.deepEqual(await hintsOf("by=state&min_count=1000"), [
			["min_count", "1000", "no group has 1,000 rows or more in 2026-10 or 2026-11"],
		]);
		const none = await hintsOf("by=state&sort=growth&license_status=Licenced");
		assert.deepEqual([none?.length, none?.[0][0]], [1, "license_status"]);
	});

	test("hint on no value that rows of the older month have", async () => {
		const key = await served().key();
		const hintsOf = async (query: string) => (await compared(served(), query, key)).meta.hints ?? [];
		const cities = "by=member_city&city=Old+Town&city=Austin&state=TX";
		assert.equal((await hintsOf(cities))[0]?.value, "Old Town", "which no row of the month has");
		assert.deepEqual(await hintsOf(`${cities}&compare=2026-09`), []);
		assert.equal((await hintsOf(`${cities}&compare=2026-10`))[0]?.value, "Old Town");
	});

	test("are the tool's as well", async () => {
		const key = await served().key();
		const client = await connectClient(served(), key);
		const asked = { by: "office_name", compare: "2026-10", sort: "growth", top: 3 };
		const result = await callOk(client, "aggregate_licenses", asked);
		const query = "by=office_name&compare=2026-10&sort=growth&top=3";
		const { data, meta } = await compared(served(), query, key);
		assert.deepEqual(result.data, data);
		const { note: _, ...own } = result.meta ?? {};
		assert.deepEqual(own, meta);
		const decline = await callOk(client, "aggregate_licenses", { ...asked, sort: "decline" });
		assert.notDeepEqual(decline.data, data);
		const refused = await callRefused(client, "aggregate_licenses", { by: "state", sort: "growth" });
		assert.deepEqual([refused.code, refused.param], ["invalid_parameter", "sort"]);
		const two = await callRefused(client, "aggregate_licenses", { ...asked, by: ["state", "country"] });
		assert.deepEqual([two.code, two.param], ["invalid_parameter", "by"]);
		await client.close();
	});

	test("wait for the merge of large dictionaries, and are answered then", async (t) => {
		const { library } = served().app;
		const find = library.comparedGroupsInSlices;
		let asked = 0;
		let slices = 0;
		t.after(() => {
			library.comparedGroupsInSlices = find;
		});
		library.comparedGroupsInSlices = (...args) => {
			if (++asked > 1) return find.apply(library, args);
			function* work() {
				for (; slices < 5; slices++) yield;
			}
			return new PendingWork("merged groups of a test", work(), true);
		};
		const answer = await compared(served(), "by=type_group&compare=2026-10", await served().key());
		assert.deepEqual(answered(answer), expected(["2026-10", "2026-11"], { by: "type_group", top: 20 }));
		assert.deepEqual([asked, slices], [2, 5]);
	});
});

test("the tool lists the first groups that fit, and says that there are more", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row, i) => ({
		...row,
		office_name: `${i} ${"long ".repeat(80)}name`,
	}));
	await publish(served.dataFolder, "2026-12", [...rows, rows[7]]);
	await served.reload();
	const client = await connectClient(served, await served.key());
	const asked = { by: "office_name", compare: "2026-11", sort: "growth", top: 1000 };
	const { data, meta, notice } = await callOk(client, "aggregate_licenses", asked);
	await client.close();
	const groups = data as Compared["data"];
	assert.match(
		notice ?? "",
		new RegExp(`^only the first ${groups.length} of ${rows.length} groups are listed`),
	);
	assert.deepEqual([groups[0].by.office_name?.[0], groups[0].change], ["7", 2]);
	const listed = groups.reduce((sum, group) => sum + group.rows, 0);
	assert.deepEqual([meta?.truncated, meta?.rows, meta?.other_rows], [true, 292, 292 - listed]);
});

test("what is kept of two months is released when one of them is no longer open", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key();
	const { mergedGroups } = served.app.library as unknown as { mergedGroups: MergedGroupsCache };
	await compared(served, "by=state&compare=2026-10", key);
	const ofPair = mergedGroups.keptBytes;
	assert.ok(ofPair > 0);
	await compared(served, "by=state&compare=2026-09", key);
	await compared(served, "by=state&compare=2026-09&snapshot=2026-10", key);
	assert.equal(mergedGroups.keptBytes, 3 * ofPair);
	rmSync(join(snapshotFolder(served.dataFolder, "2026-09")), { recursive: true });
	await served.reload();
	assert.equal(mergedGroups.keptBytes, ofPair);
});
