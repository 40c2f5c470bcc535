/** Pages of tools: the budget of bytes, and cursors that go on wherever a page ended (docs/API.md §9.3). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { PAGE_LIMIT_MAX } from "../../formats/index.js";
import { RESULT_BYTES_MAX } from "../../server/mcp/results/budget.js";
import { monthRows } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { Draw } from "../oracle/draw.js";
import { callOk, callRefused, connectClient, rowsOf, type Structured } from "./tool-client.js";

const WALKS = 30;

let served: ServedFixture;
let key: string;
let client: Client;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	key = await served.key();
	client = await connectClient(served, key);
});
after(async () => {
	await client?.close();
	await served?.close();
});

type Args = Record<string, unknown>;

/** Every page of a tool, by cursor; each within the budget. */
async function pagesOf(tool: string, first: Args, limits: () => number): Promise<Structured[]> {
	const pages: Structured[] = [];
	let cursor: string | null = null;
	do {
		const limit = limits();
		const page: Structured = await callOk(client, tool, {
			...first,
			limit,
			...(cursor === null ? {} : { cursor }),
		});
		assert.ok(Buffer.byteLength(JSON.stringify(page)) <= RESULT_BYTES_MAX);
		const shown = (page.rows ?? (page.data as unknown[])).length;
		assert.ok(shown <= limit);
		cursor = page.pagination?.next_cursor ?? null;
		assert.equal(cursor !== null, page.pagination?.has_next);
		if (shown < limit && cursor !== null) assert.match(page.notice ?? "", new RegExp(`first ${shown} rows`));
		pages.push(page);
	} while (cursor !== null);
	return pages;
}

async function overHttp(query: string): Promise<unknown[]> {
	const { status, text } = await served.request(`/v1/licenses?limit=1000&${query}`, key);
	assert.equal(status, 200, text);
	return (JSON.parse(text) as { data: { id: number }[] }).data.map(({ id }) => id);
}

const SORTS = ["id", "member_license_expires", "office_name", "member_last_name,member_first_name"];
const FILTERS = ["", "state=CA", "state=CA,TX", "last_name=s", "country=US", "name=john", "state=WY"];

test("a walk by cursor has every row once, in order, within the budget of bytes", async () => {
	const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
	const draw = new Draw(seed);
	for (let walk = 0; walk < WALKS; walk++) {
		const filter = draw.pick(FILTERS);
		// Best matches of a name have an order of their own.
		const sort = filter.startsWith("name") && draw.oneIn(2) ? "" : `sort=${draw.pick(SORTS)}`;
		const order = sort === "" ? "" : `order=${draw.pick(["asc", "desc"])}`;
		const query = [filter, sort, order].filter((part) => part !== "").join("&");
		const args: Args = Object.fromEntries(new URLSearchParams(query));
		if (draw.oneIn(2)) args.fields = await allColumns();
		const pages = await pagesOf("search_licenses", args, () => 1 + draw.below(300));
		const ids = pages.flatMap((page) => rowsOf(page).map((row) => row.id));
		assert.deepEqual(ids, await overHttp(query), `seed ${seed}: ${query}`);
	}
});

async function allColumns(): Promise<string[]> {
	const { data } = await callOk(client, "get_license", { id: await firstId() });
	return Object.keys(data as object);
}

async function firstId(): Promise<unknown> {
	return rowsOf(await callOk(client, "search_licenses", { limit: 1 }))[0].id;
}

test("a page that does not fit ends at a row, and the next one begins after it, at the size asked for", async () => {
	const fields = await allColumns();
	const args = { sort: ["member_license_expires"], fields };
	const pages = await pagesOf("search_licenses", args, () => 1_000);
	const sizes = pages.map((page) => page.rows?.length ?? 0);
	assert.ok(sizes.length > 1, "the fixture does not fit one result");
	for (const size of sizes.slice(0, -1)) assert.ok(size > sizes[0] * 0.7, `pages do not shrink: ${sizes}`);
});

test("a walk through changes has every entry once", async () => {
	const draw = new Draw(7);
	const { text } = await served.request("/v1/changes?limit=1000&fields=id", key);
	const all = (JSON.parse(text) as { data: Args[] }).data.map((entry) => [entry.kind, entry.license_number]);
	for (const fields of [["id"], await allColumns()]) {
		const pages = await pagesOf("license_changes", { fields }, () => 1 + draw.below(40));
		const entries = pages.flatMap((page) => (page.data as Args[]).map((e) => [e.kind, e.license_number]));
		assert.deepEqual(entries, all);
	}
});

test("without the bulk entitlement changes end where a page over HTTP does, and the answer says so", async (t) => {
	const fresh = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => fresh.close());
	const rows = Array.from({ length: PAGE_LIMIT_MAX + 100 }, (_, i) => ({
		...monthRows("2026-11")[0],
		member_city: `C${i}`,
		member_state_license_number: `N${i}`,
	}));
	await publish(fresh.dataFolder, "2026-12", rows);
	await fresh.reload();
	for (const bulk of [false, true]) {
		const own = await connectClient(fresh, await fresh.key({ scope: { bulk } }));
		const wide = { kind: "new", fields: await allColumns(), limit: PAGE_LIMIT_MAX };
		const cut = await callOk(own, "license_changes", wide);
		const shown = (cut.data as unknown[]).length;
		assert.ok(shown < PAGE_LIMIT_MAX);
		assert.match(
			cut.notice ?? "",
			new RegExp(`these are the first ${shown} entries of it; go on with next_cursor`),
		);
		let entries = 0;
		let page = await callOk(own, "license_changes", { kind: "new", fields: ["id"], limit: 600 });
		for (;;) {
			entries += (page.data as unknown[]).length;
			const cursor = page.pagination?.next_cursor;
			if (cursor === null) break;
			page = await callOk(own, "license_changes", { kind: "new", fields: ["id"], limit: 600, cursor });
		}
		assert.equal(entries, bulk ? rows.length : PAGE_LIMIT_MAX);
		assert.equal(page.meta?.truncated, bulk ? undefined : true);
		assert.equal(page.notice === undefined, bulk);
		await own.close();
	}
});

test("a limit above that of pages is refused in the words of the tool, whatever the key may read", async () => {
	for (const bulk of [true, false]) {
		const own = await connectClient(served, await served.key({ scope: { bulk } }));
		for (const tool of ["search_licenses", "license_changes"]) {
			for (const limit of [5_000, "5000", 200_000, 0, 1.5]) {
				const { message, param } = await callRefused(own, tool, { limit });
				assert.equal(message, `limit must be a whole number from 1 to 1,000; got "${limit}"`);
				assert.equal(param, "limit");
			}
		}
		await own.close();
	}
});

test("a cursor is good for its query, its grant and its tool alone", async () => {
	const first = await callOk(client, "search_licenses", { state: "CA", limit: 5 });
	const cursor = first.pagination?.next_cursor;
	assert.ok(typeof cursor === "string" && cursor.length <= 48, cursor ?? "");
	const refusals: readonly (readonly [Args, RegExp])[] = [
		[{ state: "TX", cursor }, /another query/],
		[{ cursor }, /another query/],
		[{ state: "CA", sort: "office_name", cursor }, /another query/],
		[{ state: "CA", page: 2, cursor }, /exclude each other/],
		[{ state: "CA", cursor: `${cursor}A` }, /not one that this tool gave/],
		[
			{ state: "CA", cursor: `${cursor.slice(0, 20)}${cursor[20] === "A" ? "B" : "A"}${cursor.slice(21)}` },
			/not one that this tool gave/,
		],
		[{ state: "CA", cursor: "*" }, /not one that this tool gave/],
		[{ state: "CA", cursor: 7 }, /not one that this tool gave/],
	];
	for (const [args, message] of refusals) {
		const refusal = await callRefused(client, "search_licenses", args);
		assert.equal(refusal.code, "invalid_parameter", JSON.stringify(args));
		assert.match(refusal.message, message);
	}
	const changed = await callRefused(client, "license_changes", { cursor });
	assert.match(changed.message, /not one that this tool gave/);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA"] } } });
	const other = await connectClient(served, narrow);
	const refusal = await callRefused(other, "search_licenses", { state: "CA", limit: 5, cursor });
	assert.match(refusal.message, /another query/);
	await other.close();
});

test("a cursor of a month that the key no longer reads is refused with the advice to begin again", async (t) => {
	const fresh = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => fresh.close());
	const own = await connectClient(fresh, await fresh.key({ scope: { history: { mode: "latest" } } }));
	const { pagination } = await callOk(own, "search_licenses", { limit: 5 });
	await publish(fresh.dataFolder, "2026-12", monthRows("2026-11"));
	await fresh.reload();
	const refusal = await callRefused(own, "search_licenses", { limit: 5, cursor: pagination?.next_cursor });
	assert.deepEqual([refusal.code, refusal.param], ["history_denied", "cursor"]);
	assert.match(refusal.remedyFor, /begin again without cursor/);
	await own.close();
});

test("limit and fields may differ from page to page", async () => {
	const first = await callOk(client, "search_licenses", { state: "CA", limit: 5 });
	const cursor = first.pagination?.next_cursor;
	const next = await callOk(client, "search_licenses", { state: ["CA"], limit: 2, fields: "id", cursor });
	assert.deepEqual(
		rowsOf(next).map((row) => row.id),
		(await overHttp("state=CA")).slice(5, 7),
	);
});

test("a numbered page continues by cursor", async () => {
	const all = await overHttp("");
	const third = await callOk(client, "search_licenses", { limit: 7, page: 3 });
	const cursor = third.pagination?.next_cursor;
	const next = await callOk(client, "search_licenses", { limit: 4, cursor });
	const ids = [...rowsOf(third), ...rowsOf(next)].map((row) => row.id);
	assert.deepEqual(ids, all.slice(14, 25));
});

/** The most groups that `top` takes. */
const GROUPS_MAX = 1000;

test("groups that do not fit a result are counted together, and the notice says how to get them", async (t) => {
	const fresh = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => fresh.close());
	const groups = GROUPS_MAX + 5;
	const rows = Array.from({ length: groups }, (_, i) => ({
		...monthRows("2026-11")[0],
		office_name: `Office ${i} ${"x".repeat(100)}`,
		member_city: `C${i}`,
		member_state_license_number: `N${i}`,
	}));
	await publish(fresh.dataFolder, "2026-12", rows);
	await fresh.reload();
	const own = await connectClient(fresh, await fresh.key());
	t.after(() => own.close());
	const cut = await callOk(own, "aggregate_licenses", { by: "office_name", top: GROUPS_MAX });
	const shown = (cut.data as unknown[]).length;
	assert.ok(shown < GROUPS_MAX);
	assert.equal(cut.meta?.other_rows, groups - shown);
	assert.match(
		cut.notice ?? "",
		new RegExp(`largest ${shown} of ${groups} groups.*; add filters, such as state`),
	);
	const most = await callOk(own, "aggregate_licenses", { by: "member_city", top: GROUPS_MAX });
	assert.match(
		most.notice ?? "",
		new RegExp(`largest ${GROUPS_MAX} of ${groups} groups`),
		"beyond the greatest top",
	);
	const few = await callOk(own, "aggregate_licenses", { by: "member_city" });
	assert.equal(few.notice, undefined, "a greater top lists more");
});
