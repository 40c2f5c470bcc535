/** The list (docs/API.md §7.8), rule by rule, against the fixture's rows as plain data. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS, type ColumnName } from "../../formats/index.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { makeRows, type NaiveRow } from "../oracle/naive-rows.js";
import { monthRows } from "./drop-rows.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const ROWS = makeRows(monthRows("2026-11"), "2026-11");
const COLUMN_NAMES = COLUMNS.map((c) => c.name);

type Predicate = (row: NaiveRow) => boolean;

const startsWith = (column: ColumnName, prefix: string): Predicate => {
	return (row) =>
		String(row[column] ?? "")
			.toLowerCase()
			.startsWith(prefix);
};
const within = (column: ColumnName, after: string, before: string): Predicate => {
	return (row) => row[column] !== null && String(row[column]) >= after && String(row[column]) <= before;
};

/** Each filter alone and some combinations, with the rows that match. */
const FILTERS: readonly (readonly [string, Predicate])[] = [
	["", () => true],
	["state=TX", (r) => r.state === "TX"],
	["state=tx,%20on", (r) => r.state === "TX" || r.state === "ON"],
	["state=NY,NY", (r) => r.state === "NY"],
	["country=CA", (r) => r.country === "CA"],
	["country=us", (r) => r.country === "US"],
	["country=CA&state=TX", () => false],
	["last_name=SMITH", startsWith("member_last_name", "smith")],
	["last_name=garc%C3%ADa", startsWith("member_last_name", "garcía")],
	["office_name=smart", startsWith("office_name", "smart")],
	["office_name=%3Dsum", startsWith("office_name", "=sum")],
	["license_number=CA-12", (r) => r.member_state_license_number === "CA-12"],
	["license_number=ca-12", () => false],
	["license_status=Expired", (r) => r.member_license_status === "Expired"],
	["license_status=expired", () => false],
	["member_type=Broker", (r) => r.member_type === "Broker"],
	["city=San+Jos%C3%A9", (r) => r.member_city === "San José"],
	["postal_code=90003", (r) => r.member_postal_code === "90003"],
	["zip=90003", (r) => r.member_postal_code === "90003"],
	["issued_after=2020-03-01", within("member_license_issued", "2020-03-01", "9999")],
	["issued_before=2020-03-01", within("member_license_issued", "0000", "2020-03-01")],
	[
		"expires_after=2026-02-01&expires_before=2026-06-30",
		within("member_license_expires", "2026-02-01", "2026-06-30"),
	],
	[
		"first_issued_after=2020-02-01&first_issued_before=2020-02-01",
		within("member_license_first_issued", "2020-02-01", "2020-02-01"),
	],
	["state=TX&state=ON", (r) => r.state === "TX" || r.state === "ON"],
	["state=tx,ny&state=ON", (r) => ["TX", "NY", "ON"].includes(String(r.state))],
	["first_name=J", startsWith("member_first_name", "j")],
	[
		"last_name=smith&last_name=garc",
		(r) => ["smith", "garc"].some((p) => startsWith("member_last_name", p)(r)),
	],
	[
		"license_status=Expired&license_status=Licensed",
		(r) => r.member_license_status === "Expired" || r.member_license_status === "Licensed",
	],
	["zip=90003&zip=nowhere", (r) => r.member_postal_code === "90003"],
	["postal_prefix=900", startsWith("member_postal_code", "900")],
	["status_not=Expired", (r) => r.member_license_status !== "Expired"],
	["type_not=Broker&type_not=Appraiser", (r) => r.member_type !== "Broker" && r.member_type !== "Appraiser"],
	["city_not=San+Jos%C3%A9", (r) => r.member_city !== "San José"],
	["license_status=Expired&status_not=Expired", () => false],
	["office_name_is=SMART", (r) => String(r.office_name ?? "").toLowerCase() === "smart"],
	["present=office_name,member_email", (r) => r.office_name !== null && r.member_email !== null],
	["missing=office_name&missing=id", () => false],
	["missing=member_license_expires", (r) => r.member_license_expires === null],
	["present=id&missing=office_name", (r) => r.office_name === null],
	["status_group=expired", (r) => r.license_status_group === "expired"],
	[
		"type_group=broker&type_group=appraiser",
		(r) => ["broker", "appraiser"].includes(String(r.member_type_group)),
	],
	[
		"state=CA&last_name=s&license_status=Licensed",
		(r) =>
			r.state === "CA" && startsWith("member_last_name", "s")(r) && r.member_license_status === "Licensed",
	],
];

const list = (served: ServedFixture, query: string, key: string) =>
	served.ok(licensesResponse, `/v1/licenses?${query}`, key);

overBothTransports("the list", (served) => {
	for (const [query, keeps] of FILTERS) {
		test(`"${query}" returns the rows that match, in order of id`, async () => {
			const wanted = ROWS.filter(keeps);
			const { data, pagination, meta } = await list(served(), `${query}&limit=1000`, await served().key());
			assert.deepEqual(data, wanted);
			assert.deepEqual(pagination, {
				page: 1,
				limit: 1000,
				total: wanted.length,
				total_pages: Math.ceil(wanted.length / 1000),
				has_next: false,
				has_prev: false,
			});
			const names = query.replaceAll("zip=", "postal_code=").matchAll(/(\w+)=/g);
			assert.deepEqual(new Set(meta.filters_applied), new Set([...names].map((match) => match[1])));
			assert.equal(meta.snapshot, "2026-11");
		});
	}

	test("pages cover the rows once, with has_next and has_prev", async () => {
		const key = await served().key();
		const seen: unknown[] = [];
		for (let page = 1; page <= 3; page++) {
			const { data, pagination } = await list(served(), `limit=100&page=${page}`, key);
			seen.push(...data.map((row) => row.id));
			assert.equal(pagination.has_prev, page > 1);
			assert.equal(pagination.has_next, page < 3);
			assert.equal(pagination.total_pages, 3);
		}
		assert.deepEqual(
			seen,
			ROWS.map((row) => row.id),
		);
		const beyond = await list(served(), "page=500", key);
		assert.deepEqual([beyond.data.length, beyond.pagination.has_next], [0, false]);
		assert.equal((await list(served(), "page=50&limit=1000", key)).data.length, 0);
	});

	test("without a count the total is null and has_next says whether the page is full", async () => {
		const key = await served().key();
		const full = await list(served(), "count=false&limit=100", key);
		assert.deepEqual(
			[full.pagination.total, full.pagination.total_pages, full.pagination.has_next],
			[null, null, true],
		);
		const last = await list(served(), "count=false&limit=100&page=3", key);
		assert.equal(last.pagination.has_next, false);
	});

	test("sort columns apply in turn; nulls come last in both orders; ties are broken by id", async () => {
		const key = await served().key();
		for (const order of ["asc", "desc"]) {
			const { data, meta } = await list(
				served(),
				`sort=office_name,member_last_name&order=${order}&limit=1000`,
				key,
			);
			const offices = data.map((row) => row.office_name as string | null);
			assert.ok(offices.slice(offices.indexOf(null)).every((office) => office === null));
			const named = offices.filter((office) => office !== null);
			const sorted = named.map((office) => office.toLowerCase()).sort();
			assert.deepEqual(
				named.map((office) => office.toLowerCase()),
				order === "asc" ? sorted : sorted.reverse(),
			);
			assert.deepEqual([meta.sort, meta.order], [["office_name", "member_last_name"], order]);
		}
	});

	test("rows follow the order of fields in every format, for some columns and for all of them", async () => {
		const key = await served().key();
		const text = async (query: string) => (await served().request(`/v1/licenses?limit=2&${query}`, key)).text;
		for (const fields of [["state", "id", "member_email"], COLUMN_NAMES.toReversed()]) {
			const query = `fields=${fields.join(",")}`;
			const rows = JSON.parse(await text(query)).data;
			const lines = (await text(`${query}&format=ndjson`)).trim().split("\n");
			assert.equal(lines.length, 2);
			for (const row of [...rows, ...lines.map((line) => JSON.parse(line))])
				assert.deepEqual(Object.keys(row), fields);
			const csv = (await text(`${query}&format=csv`)).split("\r\n");
			assert.equal(csv[0], fields.join(","));
			assert.ok(csv[1].startsWith(String(rows[0][fields[0]] ?? "")), csv[1]);
		}
		const one = await served().request("/v1/licenses/32200000101?fields=state,id", key);
		assert.deepEqual(Object.keys(JSON.parse(one.text).data), ["state", "id"]);
		const history = "/v1/licenses/history?state=TX&license_number=TX-1&fields=state,snapshot,id";
		const { data } = JSON.parse((await served().request(history, key)).text);
		for (const row of data.rows) assert.deepEqual(Object.keys(row), ["state", "snapshot", "id"]);
	});

	test("a column given twice in fields is refused, and named", async () => {
		const key = await served().key();
		for (const path of ["/v1/licenses", "/v1/licenses/32200000101", "/v1/licenses/history"]) {
			const { code, param, message } = await served().refused(`${path}?fields=state,id,state`, key);
			assert.equal(code, "invalid_parameter", path);
			assert.equal(param, "fields");
			assert.match(message, /fields names state more than once/);
		}
	});

	test("CSV has its header, its pagination in headers, and a file name", async () => {
		const key = await served().key();
		const { text, headers } = await served().request("/v1/licenses?format=csv&limit=50&page=2", key);
		const lines = text.split("\r\n");
		assert.equal(lines[0], COLUMN_NAMES.join(","));
		assert.equal(lines.length, 52);
		assert.equal(headers.get("content-type"), "text/csv; charset=utf-8; header=present");
		assert.equal(headers.get("x-total-count"), "291");
		assert.equal(headers.get("x-page"), "2");
		assert.equal(headers.get("x-has-next"), "true");
		assert.equal(headers.get("content-disposition"), 'attachment; filename="licenses-2026-11-page-2.csv"');
	});

	test("beyond the depth cap keys that have cursors are told to go on by them, others to add filters", async () => {
		const bulk = await served().key({ scope: { bulk: true } });
		for (const path of ["/v1/licenses?page=51&limit=1000", "/v1/offices?page=251&limit=200"]) {
			assert.match(
				(await served().refused(path, bulk)).message,
				/; go on by cursor, pagination\.next_cursor /,
			);
			assert.match((await served().refused(path, await served().key())).message, /; add filters to reach /);
		}
	});

	test("CSV prefixes cells that start like formulas, and quotes where necessary", async () => {
		const key = await served().key();
		const { text } = await served().request("/v1/licenses?format=csv&fields=office_name&limit=1000", key);
		const cells = new Set(text.split("\r\n"));
		for (const cell of ["'=SUM Estates", "'-Minus Realty", "'@Home", '"Acme, Realty"', '"""Best"" Brokers"'])
			assert.ok(cells.has(cell), cell);
		assert.ok(![...cells].some((cell) => /^[=+\-@]/.test(cell)));
	});

	test("CSV of one column has a line that is not blank for each row, those without a value too", async () => {
		const key = await served().key({ scope: { bulk: true } });
		const query = "format=csv&fields=matched_email&limit=1000";
		const expected = ROWS.map(({ matched_email }) => matched_email ?? '""');
		for (const page of ["page=1", "cursor=*", "cursor=*&count=false"]) {
			const { text } = await served().request(`/v1/licenses?${query}&${page}`, key);
			assert.deepEqual(text.trimEnd().split("\r\n"), ["matched_email", ...expected], page);
		}
	});

	test("NDJSON is one row per line, with pagination in headers and no total with count=false", async () => {
		const key = await served().key();
		const { text, headers } = await served().request("/v1/licenses?format=ndjson&limit=3&count=false", key);
		assert.equal(headers.get("content-type"), "application/x-ndjson; charset=utf-8");
		assert.equal(headers.get("x-total-count"), null);
		assert.equal(headers.get("x-has-next"), "true");
		assert.ok(text.endsWith("\n"));
		const rows = text
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		assert.deepEqual(rows, ROWS.slice(0, 3));
		const none = await served().request("/v1/licenses?format=ndjson&city=Nowhere", key);
		assert.deepEqual([none.text, none.headers.get("x-total-count")], ["", "0"]);
	});

	test("demo and trial keys see contacts masked in every format, and nulls as nulls", async () => {
		const fields = "fields=id,member_email,member_preferred_phone,matched_email,matched_phone&limit=1000";
		for (const tier of ["demo", "trial"] as const) {
			const key = await served().key({ tier });
			const { data } = await list(served(), fields, key);
			data.forEach((row, i) => {
				assert.equal(row.member_email, ROWS[i].member_email === null ? null : "j***@m***.com");
				assert.equal(row.matched_email, ROWS[i].matched_email === null ? null : "m***@e***.org");
				const phone = ROWS[i].member_preferred_phone;
				assert.equal(row.member_preferred_phone, phone === null ? null : `***${String(phone).slice(-2)}`);
			});
			const clear = /jane|match\d|010-\d|020 \d/;
			for (const path of [
				`/v1/licenses?${fields}&format=csv`,
				`/v1/licenses?${fields}&format=ndjson`,
				"/v1/licenses?limit=1000",
				"/v1/licenses/32200000101",
				"/v1/licenses/history?state=TX&license_number=TX-1",
			])
				assert.doesNotMatch((await served().request(path, key)).text, clear, path);
		}
	});

	test("demo keys have no street address in default rows", async () => {
		const { data } = await list(served(), "limit=1", await served().key({ tier: "demo" }));
		assert.deepEqual(
			Object.keys(data[0]),
			COLUMN_NAMES.filter((name) => name !== "member_address"),
		);
	});

	test("a scoped key's rows and totals stay inside its grant", async () => {
		const geography = { countries: ["CA"], states: ["TX"] };
		const key = await served().key({ scope: { geography, columns: ["id", "snapshot", "state", "country"] } });
		const granted = ROWS.filter((row) => row.country === "CA" || row.state === "TX");
		const { data, pagination } = await list(served(), "limit=1000", key);
		assert.equal(pagination.total, granted.length);
		assert.deepEqual(
			data,
			granted.map(({ id, snapshot, country, state }) => ({ id, snapshot, country, state })),
		);
		const texas = await list(served(), "limit=1000&country=US", key);
		assert.ok(texas.data.length > 0 && texas.data.every((row) => row.state === "TX"), "US is narrowed to TX");
		const denied = await served().refused("/v1/licenses?state=CA", key);
		assert.match(denied.message, /countries CA; states TX/);
		const column = await served().refused("/v1/licenses?fields=office_name", key);
		assert.match(column.message, /id, snapshot, country, state/);
	});

	test("an unknown status or type is answered with similar existing values", async () => {
		const key = await served().key();
		const typo = await list(served(), "state=TX&license_status=actve", key);
		assert.deepEqual(
			typo.meta.hints?.map((h) => [h.param, h.value, h.nearest[0]]),
			[["license_status", "actve", "Active"]],
		);
		const elsewhere = await list(served(), "state=TX&license_status=Licensed&member_type=Brokr", key);
		assert.deepEqual(
			elsewhere.meta.hints?.map((h) => h.param),
			["member_type", "license_status"],
		);
		assert.equal(elsewhere.meta.hints?.[0].nearest[0], "Broker");
		const real = await list(served(), "state=TX&license_status=Active&city=Nowhere", key);
		assert.deepEqual(
			real.meta.hints?.map((h) => h.param),
			["city"],
		);
		const narrow = await served().key({ scope: { geography: { countries: [], states: ["QC"] } } });
		const inside = await list(served(), "license_status=Licensed", narrow);
		assert.ok(
			inside.meta.hints?.[0].nearest.every((value) => value.startsWith("Act") || value.startsWith("Inact")),
		);
	});
});
