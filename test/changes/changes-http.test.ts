/** GET /v1/changes and its tool over the fixture's months: bodies, grants, cursors and refusals (docs/API.md §11.5). */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import { VALUE_LENGTH_MAX } from "../../formats/index.js";
import { CURSOR_LENGTH_MAX } from "../../server/api/bulk/cursor.js";
import { cutOffHints } from "../../server/api/hints/changes-hints.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { historyResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "../http/drop-rows.js";
import { overBothTransports, type ServedFixture } from "../http/served.js";
import { toolAsHttp } from "../mcp/http-form.js";
import { callOk, callRefused, connectClient } from "../mcp/tool-client.js";
import { makeRows } from "../oracle/naive-rows.js";
import { type NaiveChange, naiveChanges } from "./naive-changes.js";

type Changes = z.infer<typeof changesResponse>;
type Entry = Changes["data"][number];

/** What the fixture's months changed by, in the order of entries. */
function expected(from: "2026-09" | "2026-10", to: "2026-10" | "2026-11"): NaiveChange[] {
	const all = naiveChanges(makeRows(monthRows(from), from), makeRows(monthRows(to), to));
	return (["new", "changed", "gone"] as const).flatMap((kind) =>
		all.filter((change) => change.kind === kind),
	);
}

function shapeOf({ kind, row, previous, fields }: NaiveChange) {
	return {
		kind,
		state: (row ?? previous)?.state,
		license_number: (row ?? previous)?.member_state_license_number,
		row,
		previous,
		changes: fields.map((field) => ({ field, from: previous?.[field], to: row?.[field] })),
	};
}

async function changes(served: ServedFixture, query: string, key: string): Promise<Changes> {
	return served.ok(changesResponse, `/v1/changes${query}`, key);
}

overBothTransports("changes", (served) => {
	test("the two newest months by default; other months, and kinds and fields, as asked", async () => {
		const key = await served().key();
		const whole = expected("2026-10", "2026-11");
		const answer = await changes(served(), "?limit=1000", key);
		assert.deepEqual(answer.data, whole.map(shapeOf));
		const count = (kind: string) => whole.filter((change) => change.kind === kind).length;
		const totals = { new: count("new"), gone: count("gone"), changed: count("changed") };
		assert.deepEqual(answer.meta, { from: "2026-10", to: "2026-11", totals, as_of: "2026-11-30" });
		assert.deepEqual(answer.pagination, { limit: 1000, has_next: false });
		const far = await changes(served(), "?from=2026-09&limit=1000", key);
		assert.deepEqual(far.data, expected("2026-09", "2026-11").map(shapeOf));
		const gone = await changes(served(), "?from=2026-09&to=2026-10&kind=gone", key);
		assert.deepEqual(
			gone.data.map(({ kind, license_number }) => [kind, license_number]),
			expected("2026-09", "2026-10")
				.filter(({ kind }) => kind === "gone")
				.map(({ previous }) => ["gone", previous?.member_state_license_number]),
		);
		const offices = await changes(served(), "?field=office_name", key);
		assert.ok(offices.data.length > 0);
		assert.ok(offices.data.every((entry) => entry.changes.some(({ field }) => field === "office_name")));
		assert.deepEqual([offices.meta.totals.new, offices.meta.totals.gone], [0, 0]);
		assert.equal(offices.meta.totals.changed, offices.data.length);
	});

	test("filters read the newer row, totals are exact, and a page that does not hold all says so", async () => {
		const key = await served().key();
		const texas = await changes(served(), "?state=TX&limit=3&fields=id,member_city", key);
		const all = expected("2026-10", "2026-11").filter(
			({ row, previous }) => (row ?? previous)?.state === "TX",
		);
		assert.equal(texas.data.length, 3);
		assert.deepEqual(Object.keys(texas.data[0].row ?? {}), ["id", "member_city"]);
		const { totals } = texas.meta;
		assert.equal(totals.new + totals.gone + totals.changed, all.length);
		assert.equal(texas.pagination.has_next, true);
		assert.equal(texas.pagination.next_cursor, undefined);
		assert.equal(texas.meta.hints?.length, 1);
		assert.match(texas.meta.hints[0].message, /; raise limit, at most to 1,000, or narrow them by kind/);
		const most = {
			filters: {},
			aliases: {},
			kinds: [],
			fields: [],
			filtersOn: "newer" as const,
			limit: 1_000,
		};
		assert.match(cutOffHints(most)[0].message, /fit; narrow them by kind/);
	});

	test("with filters_on=older filters read the older row: who left an office, and no new license", async () => {
		const key = await served().key();
		const all = expected("2026-10", "2026-11");
		const moved = all.find(({ fields }) => fields.includes("office_name"));
		assert.ok(moved !== undefined);
		const [left, joined] = [moved.previous?.office_name, moved.row?.office_name];
		const of = (office: unknown) =>
			`?office_name_is=${encodeURIComponent(String(office))}&field=office_name&kind=gone,changed`;
		const { data, meta } = await changes(served(), `${of(left)}&filters_on=older`, key);
		assert.deepEqual(data, [shapeOf(moved)]);
		assert.deepEqual(meta.totals, { new: 0, gone: 0, changed: 1 });
		const totalsOf = async (query: string) => (await changes(served(), query, key)).meta.totals;
		assert.equal((await totalsOf(`${of(joined)}&filters_on=older`)).changed, 0);
		assert.equal((await totalsOf(`${of(left)}&filters_on=newer`)).changed, 0);
		const client = await connectClient(served(), key);
		const asked = { office_name_is: left, field: ["office_name"], kind: ["gone", "changed"] };
		const called = await callOk(client, "license_changes", { ...asked, filters_on: "older" });
		assert.deepEqual(called.meta?.totals, meta.totals);
		await client.close();
		const whole = await changes(served(), "?from=2026-09&filters_on=older&limit=1000", key);
		const withOlder = expected("2026-09", "2026-11").filter(({ kind }) => kind !== "new");
		assert.deepEqual(whole.data, withOlder.map(shapeOf));
		const same = makeRows(monthRows("2026-10"), "2026-10").find(
			({ id }) => !all.some(({ previous }) => previous?.id === id),
		);
		const { meta: none } = await changes(
			served(),
			`?filters_on=older&state=${same?.state}&license_number=${same?.member_state_license_number}`,
			key,
		);
		assert.match(none.hints?.[0].message ?? "", / in 2026-10, and none is/, "the month that filters read");
	});

	test("changes are those that history reports, for every license", async () => {
		const key = await served().key();
		const { data } = await changes(served(), "?kind=changed&limit=1000", key);
		for (const { state, license_number, changes: fields } of data) {
			const path = `/v1/licenses/history?state=${state}&license_number=${license_number}`;
			const history = await served().ok(historyResponse, path, key);
			const newest = history.data.changes.filter(({ to_snapshot }) => to_snapshot === "2026-11");
			assert.deepEqual(
				newest.map(({ field, from, to }) => ({ field, from, to })),
				fields,
			);
		}
	});

	test("a grant narrows both rows, what makes a license changed, and the months", async () => {
		const geography = { countries: [], states: ["TX"] };
		const texas = await changes(served(), "?limit=1000", await served().key({ scope: { geography } }));
		assert.ok(texas.data.length > 0 && texas.data.every(({ state }) => state === "TX"));
		const columns = ["id", "snapshot", "state", "office_name", "member_state_license_number"] as const;
		const narrow = await served().key({ scope: { columns: [...columns] } });
		const some = await changes(served(), "?limit=1000&kind=changed", narrow);
		const whole = expected("2026-10", "2026-11").filter(({ fields }) => fields.includes("office_name"));
		assert.equal(some.meta.totals.changed, whole.length);
		for (const { row, previous, changes: fields } of some.data) {
			assert.deepEqual(Object.keys(row ?? {}), columns);
			assert.deepEqual(Object.keys(previous ?? {}), columns);
			assert.deepEqual(
				fields.map(({ field }) => field),
				["office_name"],
			);
		}
		const refused = async (query: string, key: string) => {
			const { status, code, param } = await served().refused(`/v1/changes${query}`, key);
			return [status, code, param];
		};
		assert.deepEqual(await refused("?field=member_city", narrow), [403, "scope_denied", "field"]);
		const blind = await served().key({ scope: { columns: ["id", "snapshot", "state"] } });
		assert.deepEqual(await refused("", blind), [403, "scope_denied", undefined]);
		const latest = await served().key({ scope: { history: { mode: "latest" } } });
		assert.deepEqual(await refused("?state=XX", latest), [403, "history_denied", undefined]);
		const one = await served().key({ scope: { history: { mode: "months", months: 1 } } });
		assert.deepEqual(await refused("?from=2026-09", one), [403, "history_denied", "from"]);
		assert.deepEqual(await refused("?to=2026-10", one), [403, "history_denied", "from"], "by default, too");
		assert.equal((await changes(served(), "", one)).meta.from, "2026-10");
		const masked = await changes(served(), "?limit=5", await served().key({ tier: "trial" }));
		assert.ok(masked.data.every(({ row }) => !JSON.stringify(row).includes("jane.doe")));
		assert.ok((masked.meta.masked ?? []).length === 4);
	});

	test("what is wrong is said, by parameter", async () => {
		const key = await served().key();
		for (const [query, status, code, param] of [
			["?from=2026-11&to=2026-10", 400, "invalid_parameter", "from"],
			["?from=2026-11", 400, "invalid_parameter", "from"],
			["?from=2026-08", 404, "not_found", "from"],
			["?to=2026-12", 404, "not_found", "to"],
			["?to=2026-09", 404, "not_found", "from"],
			["?kind=moved", 400, "invalid_parameter", "kind"],
			["?kind=new&filters_on=older", 400, "invalid_parameter", "filters_on"],
			["?filters_on=previous", 400, "invalid_parameter", "filters_on"],
			["?field=member_email", 400, "invalid_parameter", "field"],
			["?limit=1001", 400, "invalid_parameter", "limit"],
			["?page=2", 400, "invalid_parameter", "page"],
			["?cursor=*", 403, "scope_denied", "cursor"],
			["?issued_after=2026-02-01&issued_before=2026-01-01", 400, "invalid_parameter", "issued_after"],
		] as const) {
			const refusal = await served().refused(`/v1/changes${query}`, key);
			assert.deepEqual([refusal.status, refusal.code, refusal.param], [status, code, param], query);
		}
	});

	test("answers carry an entity tag, and CSV and NDJSON hold the same entries", async () => {
		const key = await served().key();
		const path = "/v1/changes?state=CA&limit=1000";
		const first = await served().request(path, key);
		const etag = first.headers.get("etag") ?? "";
		const again = await served().request(path, key, { headers: { "if-none-match": etag } });
		assert.deepEqual([again.status, again.text], [304, ""]);
		const { data } = JSON.parse(first.text) as { data: Entry[] };
		const ndjson = await served().request(`${path}&format=ndjson`, key);
		const lines = ndjson.text.trimEnd().split("\n");
		assert.deepEqual(
			lines.map((line) => JSON.parse(line)),
			data,
		);
		assert.equal(ndjson.headers.get("x-total-count"), String(data.length));
		const csv = await served().request(`${path}&format=csv`, key);
		assert.equal(csv.text.split("\r\n").length, data.length + 2);
		assert.match(csv.headers.get("content-disposition") ?? "", /changes-2026-10-2026-11\.csv/);
	});

	test("paging by cursor lists every entry once, for any page size, and ends", async () => {
		const key = await served().key({ scope: { bulk: true } });
		for (const query of [
			"",
			"&state=CA,TX&kind=new,changed&fields=id,state",
			"&member_type=Broker",
			"&state=TX&filters_on=older",
		]) {
			const whole = (await changes(served(), `?limit=1000${query}`, key)).data;
			for (const limit of [1, 7, 1000]) {
				const listed: Entry[] = [];
				let cursor: string | null = "*";
				for (let page = 0; cursor !== null; page++) {
					const rest: string = page === 0 ? query : "";
					const answer: Changes = await changes(served(), `?limit=${limit}&cursor=${cursor}${rest}`, key);
					listed.push(...answer.data);
					cursor = answer.pagination.next_cursor ?? null;
					assert.ok(cursor === null || cursor.length <= CURSOR_LENGTH_MAX);
					assert.equal(answer.pagination.has_next, cursor !== null);
				}
				assert.deepEqual(listed, whole);
			}
		}
	});

	test("a cursor that is not as it was given, or of another key's grant or query, is refused", async () => {
		const key = await served().key({ scope: { bulk: true } });
		const { pagination } = await changes(served(), "?limit=1&state=CA", key);
		const cursor = pagination.next_cursor ?? "";
		const refused = async (text: string, by = key, rest = "") => {
			const path = `/v1/changes?cursor=${encodeURIComponent(text)}${rest}`;
			const { status, code, param } = await served().refused(path, by);
			assert.equal(param, "cursor");
			return [status, code];
		};
		const bytes = Buffer.from(cursor, "base64url");
		for (let bit = 0; bit < bytes.length * 8; bit += 5) {
			const tampered = Buffer.from(bytes);
			tampered[bit >> 3] ^= 1 << (bit & 7);
			assert.deepEqual(
				await refused(tampered.toString("base64url")),
				[400, "invalid_parameter"],
				`bit ${bit}`,
			);
		}
		for (const text of ["x", `${cursor}A`, cursor.slice(0, -1), ` ${cursor}`])
			assert.deepEqual(await refused(text), [400, "invalid_parameter"], text);
		assert.deepEqual(await refused(cursor, key, "&state=TX"), [400, "invalid_parameter"]);
		const other = await served().key({ scope: { bulk: true, history: { mode: "months", months: 5 } } });
		assert.deepEqual(await refused(cursor, other), [403, "scope_denied"]);
		assert.equal((await served().request(`/v1/changes?cursor=${cursor}&state=CA`, key)).status, 200);
		const kinds = await changes(served(), "?limit=1&kind=gone&kind=changed&kind=new", key);
		const again = `cursor=${kinds.pagination.next_cursor}&kind=new&kind=gone&kind=changed`;
		assert.equal((await served().request(`/v1/changes?${again}`, key)).status, 200, "kinds in another order");
	});

	test("a cursor without its query continues if the query is sent again", async () => {
		const key = await served().key({ scope: { bulk: true } });
		const query = `&state=CA,TX,NY,ON,QC&office_name=s&office_name=${"y".repeat(VALUE_LENGTH_MAX)}`;
		const { pagination, data } = await changes(served(), `?limit=1${query}`, key);
		const cursor = pagination.next_cursor ?? "";
		assert.ok(cursor.length <= CURSOR_LENGTH_MAX);
		const alone = await served().refused(`/v1/changes?cursor=${cursor}`, key);
		assert.match(alone.message, /send the query's parameters beside the cursor/);
		const next = await changes(served(), `?limit=1&cursor=${cursor}${query}`, key);
		assert.notDeepEqual(next.data, data);
	});

	test("the tool answers as the endpoint does", async () => {
		const key = await served().key();
		const client = await connectClient(served(), key);
		try {
			const asked = { kind: ["new"], state: ["TX"], limit: 4, fields: ["id", "state"] };
			const answer = await callOk(client, "license_changes", asked);
			const http = await changes(served(), "?kind=new&state=TX&limit=4&fields=id,state", key);
			assert.deepEqual(toolAsHttp("license_changes", { ...answer }).data, http.data);
			const refused = await callRefused(client, "license_changes", { from: "2026-01" });
			assert.equal(refused.code, "not_found");
		} finally {
			await client.close();
		}
	});
});
