/** Walks of /v1/licenses by cursor over the fixture's months (docs/API.md §11.6). */

import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { z } from "zod";
import { DEFAULT_QUERY, type Page } from "../../engine/index.js";
import { COLUMNS, pagedRowsMax } from "../../formats/index.js";
import { pageMeta } from "../../server/api/endpoints/licenses.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "../http/drop-rows.js";
import { overBothTransports, publish, type ServedFixture } from "../http/served.js";

type Licenses = z.infer<typeof licensesResponse>;

async function page(served: ServedFixture, query: string, key: string): Promise<Licenses> {
	return served.ok(licensesResponse, `/v1/licenses?${query}`, key);
}

overBothTransports("walks by cursor", (served) => {
	const bulk = () => served().key({ scope: { bulk: true } });

	test("pages by cursor add up to the whole result, for any sort, filters and sizes", async () => {
		const key = await bulk();
		for (const query of [
			"",
			"state=CA,TX&sort=member_last_name",
			"sort=office_name,member_last_name&order=desc&fields=id,office_name",
			"license_status=Active&license_status=Licensed&sort=member_license_expires",
			"snapshot=2026-09&last_name=s&order=desc",
		]) {
			const whole = (await page(served(), `${query}&limit=1000`, key)).data;
			for (const limit of [7, 100]) {
				const rows: unknown[] = [];
				let cursor: string | null = "*";
				while (cursor !== null) {
					const rest: string = cursor === "*" ? query : "";
					const answer: Licenses = await page(served(), `${rest}&limit=${limit}&cursor=${cursor}`, key);
					assert.equal(answer.pagination.total, whole.length);
					rows.push(...answer.data);
					cursor = answer.pagination.next_cursor ?? null;
					assert.equal(answer.pagination.has_next, cursor !== null);
				}
				assert.deepEqual(rows, whole, query);
			}
		}
	});

	test("a cursor alone continues a query of several filters, orders and all columns", async () => {
		const key = await bulk();
		const fields = COLUMNS.map(({ name }) => name).join(",");
		const query = `license_status=Licensed&license_status=Active&sort=office_name,member_last_name&fields=${fields}`;
		const whole = await page(served(), `${query}&limit=20`, key);
		const first = await page(served(), `${query}&limit=10`, key);
		const cursor = first.pagination.next_cursor;
		const second = await page(served(), `limit=10&cursor=${cursor}`, key);
		assert.deepEqual([...first.data, ...second.data], whole.data);
		// The same parameters, those that are repeated in another order.
		const again = `fields=${fields}&license_status=Active&sort=office_name,member_last_name&license_status=Licensed`;
		assert.deepEqual((await page(served(), `${again}&limit=10&cursor=${cursor}`, key)).data, second.data);
	});

	test("a page by cursor after smaller ones has some before it", async () => {
		const key = await bulk();
		const first = await page(served(), "limit=2&fields=id", key);
		assert.deepEqual([first.pagination.page, first.pagination.has_prev], [1, false]);
		for (const limit of [1, 2, 3, 1000]) {
			const { pagination } = await page(
				served(),
				`limit=${limit}&cursor=${first.pagination.next_cursor}`,
				key,
			);
			assert.equal(pagination.has_prev, true, `limit=${limit}`);
			assert.equal(pagination.page, limit === 1 ? 3 : 2);
		}
	});

	test("several states beside a cursor may be repeated or separated by commas, in any order", async () => {
		const key = await bulk();
		const spellings = [
			"state=TX&state=CA",
			"state=CA&state=TX",
			"state=TX,CA",
			"state=CA,TX",
			"state=CA,%20TX",
			"state=tx,CA,TX",
		];
		for (const spelling of spellings) {
			const { pagination } = await page(served(), `${spelling}&limit=3`, key);
			const pages = spellings.map((other) =>
				page(served(), `${other}&limit=3&cursor=${pagination.next_cursor}`, key),
			);
			const [{ data }, ...others] = await Promise.all(pages);
			for (const other of others) assert.deepEqual(other.data, data, spelling);
		}
	});

	test("a cursor is of every spelling of its query, and of no query in another order", async () => {
		const key = await bulk();
		const cursorOf = async (query: string) =>
			JSON.parse((await served().request(query, key)).text).pagination.next_cursor as string;
		const status = async (query: string, cursor: string) =>
			(await served().request(`${query}&cursor=${cursor}`, key)).status;
		for (const [query, ...spellings] of [
			[
				"/v1/licenses?limit=3&sort=office_name,member_last_name&license_status=Active&license_status=Licensed",
				"/v1/licenses?limit=3&sort=office_name, member_last_name,office_name&license_status=Licensed&license_status=Active&license_status=Licensed",
			],
			["/v1/licenses?limit=3&present=state,office_name", "/v1/licenses?limit=3&present= office_name,state"],
			["/v1/licenses?limit=3&country=US", "/v1/licenses?limit=3&country=us"],
			["/v1/aggregate?top=1&by=state,member_type", "/v1/aggregate?top=1&by=state, member_type,state"],
			["/v1/changes?limit=1&kind=new,gone", "/v1/changes?limit=1&kind=gone&kind= new"],
		]) {
			const cursor = await cursorOf(query);
			assert.ok(cursor, query);
			for (const spelling of spellings) assert.equal(await status(spelling, cursor), 200, spelling);
		}
		const sorted = await cursorOf("/v1/licenses?limit=3&sort=office_name,member_last_name");
		assert.equal(await status("/v1/licenses?limit=3&sort=member_last_name,office_name", sorted), 400);
		const grouped = await cursorOf("/v1/aggregate?top=1&by=state,member_type");
		assert.equal(await status("/v1/aggregate?top=1&by=member_type,state", grouped), 400);
	});

	test("a cursor of groups continues the query as it was written, whoever asked the same otherwise before", async () => {
		const key = await bulk();
		for (const [path, ...spellings] of [
			["/v1/offices?limit=1", "", "&sort=rows", "&snapshot=2026-11", "&sort=rows&snapshot=2026-11"],
			["/v1/aggregate?top=1", "&by=state", "&by=state&min_count=1", "&by=state&snapshot=2026-11"],
		]) {
			for (const spelling of [...spellings, ...spellings]) {
				const query = `${path}${spelling}`;
				const { pagination } = JSON.parse((await served().request(query, key)).text);
				const next = await served().request(`${query}&cursor=${pagination.next_cursor}`, key);
				assert.equal(next.status, 200, `${query}: ${next.text}`);
			}
		}
	});

	test("a numbered page has the cursor of the next for keys with the bulk entitlement, and for no other", async () => {
		const key = await bulk();
		const second = await page(served(), "state=CA&sort=member_full_name&page=2&limit=5", key);
		const third = await page(served(), "state=CA&sort=member_full_name&page=3&limit=5", key);
		const walked = await page(served(), `limit=5&cursor=${second.pagination.next_cursor}`, key);
		assert.deepEqual(walked.data, third.data);
		assert.equal(walked.pagination.page, 3);
		const told = await served().request("/v1/me", key);
		assert.equal(JSON.parse(told.text).data.scope.bulk, true);
		const plain = await page(served(), "limit=5", await served().key());
		assert.equal("next_cursor" in plain.pagination, false);
		const refused = await served().refused("/v1/licenses?cursor=*", await served().key());
		assert.deepEqual([refused.status, refused.code, refused.param], [403, "scope_denied", "cursor"]);
	});

	test("CSV and NDJSON by a cursor take more rows than a page, and count as requests by rows", async () => {
		const rate_limits = { per_minute: 50, per_day: null, monthly_quota: null };
		const key = await served().key({ scope: { bulk: true }, rate_limits });
		const csv = await served().request("/v1/licenses?cursor=*&format=csv&limit=100000", key);
		const whole = await served().request("/v1/licenses?format=csv&limit=1000", key);
		assert.equal(csv.text, whole.text);
		assert.equal(csv.headers.get("x-next-cursor"), null);
		const first = await served().request("/v1/licenses?cursor=*&format=ndjson&limit=150", key);
		const next = first.headers.get("x-next-cursor");
		const rest = await served().request(`/v1/licenses?cursor=${next}&format=ndjson&limit=100000`, key);
		assert.equal(first.text.length + rest.text.length > 0, true);
		assert.equal((first.text + rest.text).trimEnd().split("\n").length, whole.text.split("\r\n").length - 2);
		for (const query of [
			"limit=1001",
			"limit=1001&cursor=*",
			"limit=100001&cursor=*&format=csv",
			"limit=1001&format=csv",
		]) {
			const refused = await served().refused(`/v1/licenses?${query}`, key);
			assert.deepEqual([refused.status, refused.param], [400, "limit"], query);
		}
	});

	test("a month that goes ends its walks with 410, and nothing else does", async () => {
		const key = await bulk();
		const { pagination } = await page(served(), "snapshot=2026-09&limit=3", key);
		const path = `/v1/licenses?cursor=${pagination.next_cursor}`;
		const folder = join(served().dataFolder, "snapshots", "2026-09");
		renameSync(folder, `${served().dataFolder}/aside`);
		await served().reload();
		const refused = await served().refused(path, key);
		assert.deepEqual([refused.status, refused.code, refused.param], [410, "snapshot_gone", "cursor"]);
		// The month built anew has other rows at the position.
		await publish(served().dataFolder, "2026-09", monthRows("2026-10"));
		await served().reload();
		const anew = await served().refused(path, key);
		assert.deepEqual([anew.status, anew.code, anew.param], [410, "snapshot_gone", "cursor"]);
		rmSync(folder, { recursive: true });
		renameSync(`${served().dataFolder}/aside`, folder);
		await served().reload();
		assert.equal((await served().request(path, key)).status, 200);
	});

	test("a newer month ends walks of keys that do not read the one before, and the error names the cursor", async () => {
		const latestOnly = await served().key({ scope: { bulk: true, history: { mode: "latest" } } });
		const lists = ["/v1/licenses?limit=3", "/v1/aggregate?by=state&top=2", "/v1/offices?limit=2"];
		const walks: string[] = [];
		for (const list of lists) {
			const { pagination } = JSON.parse((await served().request(list, latestOnly)).text);
			walks.push(`${list.slice(0, list.indexOf("?"))}?cursor=${pagination.next_cursor}`);
		}
		await publish(served().dataFolder, "2026-12", monthRows("2026-10"));
		await served().reload();
		for (const walk of walks) {
			const refused = await served().refused(walk, latestOnly);
			assert.deepEqual([refused.status, refused.code, refused.param], [403, "history_denied", "cursor"]);
			assert.match(refused.message, /2026-11 is outside .* reads 2026-12/);
		}
		rmSync(join(served().dataFolder, "snapshots", "2026-12"), { recursive: true });
		await served().reload();
		for (const walk of walks) assert.equal((await served().request(walk, latestOnly)).status, 200, walk);
	});

	test("the last page that the depth cap allows says what to do about the rows after it", async () => {
		const { library } = served().app;
		const snapshot = library.latest;
		assert.ok(snapshot !== null);
		const query = { ...DEFAULT_QUERY, page: 50, limit: 1_000 };
		const page = {
			query,
			snapshot: snapshot.month,
			rows: new Uint32Array(1_000),
			total: 60_000,
			hasNext: true,
		};
		const metaOf = (change: Partial<Page>, bulk = false, walk: unknown = null) =>
			pageMeta(
				snapshot,
				{ ...page, ...change },
				pagedRowsMax(change.query?.limit ?? query.limit),
				{ query, bounds: "", walk } as never,
				{ grant: { bulk, reads: () => true }, services: {} } as never,
			);
		assert.match(
			metaOf({}),
			/"hints":\[\{"param":"page","value":"51","message":"rows after the first 50,000 are not/,
		);
		assert.doesNotMatch(metaOf({ hasNext: false }), /hints/);
		assert.doesNotMatch(metaOf({}, true), /hints/);
		assert.doesNotMatch(metaOf({ query: { ...query, page: 49 } }), /hints/);
		// 50 pages of 999 rows leave 30 rows.
		const uneven = metaOf({ query: { ...query, limit: 999 }, total: 49_980 });
		assert.match(uneven, /"truncated":true,"hints":.*rows after the first 49,950 are not/);
		assert.doesNotMatch(metaOf({ query: { ...query, page: 1 }, total: 49_980 }), /truncated/);
		const uncounted = { ...query, count: false };
		for (const bulk of [false, true])
			assert.match(metaOf({ query: uncounted, total: null }, bulk), /"truncated":true/);
		assert.doesNotMatch(metaOf({ query: uncounted, total: null, hasNext: false }), /truncated/);
		assert.doesNotMatch(metaOf({ query: { ...uncounted, page: 49 }, total: null }), /truncated/);
		assert.doesNotMatch(metaOf({ query: uncounted, total: null }, true, {}), /truncated/);
	});
});
