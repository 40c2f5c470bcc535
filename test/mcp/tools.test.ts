/** Every tool, called by the SDK's own client over real HTTP, which validates against the output schemas. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SEARCH_LIMIT_DEFAULT } from "../../server/mcp/tools.js";
import { overBothTransports, type ServedFixture } from "../http/served.js";
import { callOk, callRefused, connectClient, rowsOf, type Structured } from "./tool-client.js";

type Row = Record<string, unknown>;

async function withClient(
	served: ServedFixture,
	key: string,
	use: (client: Client) => Promise<void>,
): Promise<void> {
	const client = await connectClient(served, key);
	try {
		// Listing the tools is what makes the client validate results.
		await client.listTools();
		await use(client);
	} finally {
		await client.close();
	}
}

overBothTransports("tools", (served) => {
	test("are listed with schemas, titles and hints, in an order that never changes", async () => {
		const client = await connectClient(served(), await served().key());
		const { tools } = await client.listTools();
		assert.deepEqual(
			tools.map((tool) => tool.name),
			[
				"search_licenses",
				"get_license",
				"license_history",
				"license_changes",
				"list_states",
				"list_snapshots",
				"get_stats",
				"aggregate_licenses",
				"suggest",
				"verify_licenses",
				"whoami",
			],
		);
		for (const tool of tools) {
			assert.ok(tool.title && tool.description, tool.name);
			assert.equal(tool.annotations?.readOnlyHint, true);
			assert.equal(tool.inputSchema.additionalProperties, false);
			assert.equal(tool.outputSchema?.type, "object");
		}
		assert.deepEqual((await client.listTools()).tools, tools);
		await client.close();
	});

	test("initialize returns capabilities, server info and instructions", async () => {
		const client = await connectClient(served(), await served().key());
		assert.deepEqual(Object.keys(client.getServerCapabilities() ?? {}).sort(), [
			"completions",
			"prompts",
			"resources",
			"tools",
		]);
		assert.equal(client.getServerVersion()?.name, "rollcall");
		assert.match(client.getInstructions() ?? "", /get_stats/);
		// A ZIP that is matched exactly finds the rows without +4 alone, and no hint says that there are others.
		assert.match(client.getInstructions() ?? "", /ZIP\+4 codes: postal_prefix/);
		const [search] = (await client.listTools()).tools;
		const { postal_code: postalCode } = search.inputSchema.properties as Record<
			string,
			{ description?: string }
		>;
		assert.match(postalCode.description ?? "", /postal_prefix/);
		await client.ping();
		await client.close();
	});

	test("search_licenses returns 25 brief rows, the total, and the cursor of the next page", async () => {
		await withClient(served(), await served().key(), async (client) => {
			const first = await callOk(client, "search_licenses", { state: ["CA"] });
			const { pagination, meta } = first;
			assert.equal(first.rows?.length, SEARCH_LIMIT_DEFAULT);
			assert.equal(pagination?.total, 141);
			assert.deepEqual(meta?.filters_applied, ["state"]);
			assert.ok(first.columns?.includes("member_license_status") && !first.columns.includes("member_email"));
			const seen = new Set(rowsOf(first).map((row) => row.id));
			let cursor = pagination?.next_cursor ?? null;
			while (cursor !== null) {
				const page: Structured = await callOk(client, "search_licenses", { state: "CA", cursor });
				for (const row of rowsOf(page)) seen.add(row.id);
				cursor = page.pagination?.next_cursor ?? null;
			}
			assert.equal(seen.size, 141, "paging by cursor reaches every row once");
		});
	});

	test("search_licenses takes lists as arrays or text, and null as absent", async () => {
		await withClient(served(), await served().key(), async (client) => {
			const asArrays = await callOk(client, "search_licenses", {
				state: ["CA", "TX"],
				fields: ["id", "state"],
				sort: ["member_last_name"],
				city: null,
			});
			const asText = await callOk(client, "search_licenses", {
				state: "CA,TX",
				fields: "id,state",
				sort: "member_last_name",
			});
			assert.deepEqual(asArrays, asText);
			assert.deepEqual(asText.columns, ["id", "state"]);
		});
	});

	test("search_licenses without rows hints at the values that exist", async () => {
		await withClient(served(), await served().key(), async (client) => {
			const { rows, meta } = await callOk(client, "search_licenses", {
				state: "CA",
				license_status: "Active",
			});
			assert.deepEqual(rows, []);
			assert.match(JSON.stringify(meta?.hints), /Licensed/);
			assert.doesNotMatch(JSON.stringify(meta?.hints), /\/v1\//, "in the words of tools");
		});
	});

	test("get_license, license_history, list_states, list_snapshots, get_stats, suggest and whoami answer", async () => {
		await withClient(served(), await served().key(), async (client) => {
			const found = await callOk(client, "search_licenses", { state: "TX", license_number: "TX-1" });
			const [{ id }] = rowsOf(found);
			const row = (await callOk(client, "get_license", { id })).data as Row;
			assert.equal(row.member_state_license_number, "TX-1");
			assert.ok("member_email" in row, "all columns");
			const history = (await callOk(client, "license_history", { state: "TX", license_number: "TX-1" }))
				.data as { rows: unknown[]; changes: Row[] };
			assert.equal(history.rows.length, 3);
			assert.ok(history.changes.some((change) => change.field === "member_license_status"));
			assert.deepEqual((await callOk(client, "license_history", { id })).data, history);
			assert.equal(((await callOk(client, "list_states")).data as Row[]).length, 5);
			assert.equal(((await callOk(client, "list_snapshots")).data as Row[])[0].snapshot, "2026-11");
			const stats = (await callOk(client, "get_stats", { state: "tx" })).data as {
				rows: number;
				license_status: Row[];
			};
			assert.equal(stats.rows, 60);
			assert.deepEqual(stats.license_status.map((entry) => entry.value).sort(), ["Active", "Inactive"]);
			const cities = (await callOk(client, "suggest", { field: "city", q: "sa" })).data as Row[];
			assert.ok(cities.some((entry) => entry.value === "San José"));
			assert.equal(((await callOk(client, "whoami")).data as Row).tier, "enterprise");
		});
	});

	test("invalid arguments return results that say how to correct them", async () => {
		await withClient(served(), await served().key(), async (client) => {
			const cases: [string, Row, RegExp, string][] = [
				["search_licenses", { sate: "CA" }, /did you mean "state"\?/, "sate"],
				["search_licenses", { staet: "CA" }, /did you mean "state"\?/, "staet"],
				["search_licenses", { zip_code: "90001" }, /did you mean "postal_code"\?/, "zip_code"],
				[
					"search_licenses",
					{ offset: 50 },
					/"offset": rows are paged by cursor, pagination\.next_cursor of the page before\. The/,
					"offset",
				],
				["license_changes", { offset: 50 }, /"offset": rows are paged by cursor, /, "offset"],
				["aggregate_licenses", { by: "state", offset: 5 }, /no parameter "offset"\. The/, "offset"],
				["search_licenses", { county: "Kern" }, /"county": rows have no county; city, /, "county"],
				["search_licenses", { postal_code: 90001 }, /must be text: "90001"/, "postal_code"],
				["search_licenses", { status_group: "licensed" }, /did you mean "active"\?/, "status_group"],
				["search_licenses", { status_group: "asleep" }, /; got "asleep"$/, "status_group"],
				["search_licenses", { type_group: "managing_broker" }, /did you mean "broker"\?/, "type_group"],
				["get_license", { id: 1, snapshot: "2026-10" }, /the id says of which month/, "snapshot"],
				["license_history", { id: 1, month: "2026-10" }, /history has every month/, "month"],
				["search_licenses", { city: [] }, /^city is empty; leave it out/, "city"],
				["search_licenses", { state: [] }, /^state is empty; leave it out/, "state"],
				["suggest", { field: "office_name", q: "mo" }, /did you mean "office"\?$/, "field"],
				["suggest", { field: "first_name", q: "mo" }, /got "first_name"$/, "field"],
				["aggregate_licenses", { by: "state", group_by: "x" }, /did you mean "by"\?/, "group_by"],
				["aggregate_licenses", { by: "state", limit: 5 }, /did you mean "top"\?/, "limit"],
				["license_changes", { snapshot: "2026-10" }, /did you mean "from" or "to"\?/, "snapshot"],
				["verify_licenses", { state: "TX", license_number: "1" }, /did you mean "license"\?/, "state"],
				["search_licenses", { state: "Texas" }, /did you mean "TX"\?/, "state"],
				["search_licenses", { fields: ["member_emial"] }, /did you mean "member_email"\?/, "fields"],
				["search_licenses", { page: 2001, limit: 25 }, /may not exceed 50,000/, "page"],
				["search_licenses", { format: "csv" }, /no parameter "format"/, "format"],
				[
					"search_licenses",
					{ member_email: "a@b.c" },
					/column without a filter here; fields, present/,
					"member_email",
				],
				["search_licenses", { member_last_name: "a" }, /filtered by last_name/, "member_last_name"],
				["search_licenses", { forename: "a" }, /no parameter "forename"\. The/, "forename"],
				["search_licenses", { status: "a" }, /"license_status" or "status_not"/, "status"],
				["search_licenses", { state: "XX" }, /no state or province "XX"\. The codes/, "state"],
				["get_license", { id: 1, first_name: "a" }, /first_name filters licenses/, "first_name"],
				["get_license", { state: "FL" }, /: state .* by search_licenses/, "state"],
				["search_licenses", { city: "" }, /is empty/, "city"],
				["search_licenses", { city: "a\u0000b" }, /control characters/, "city"],
				["search_licenses", { city: "\ud800" }, /not valid Unicode/, "city"],
				["search_licenses", { "x\ud800": 1 }, /no parameter "x\ufffd"/, "x\ufffd"],
				[
					"verify_licenses",
					{ license: [{ state: "TX", license_number: "a\ud800" }] },
					/not valid Unicode/,
					"license",
				],
				[
					"verify_licenses",
					{ license: [{ state: "TX", license_number: "a\u001b[31m" }] },
					/control characters/,
					"license",
				],
				[
					"verify_licenses",
					{ license: [{ state: "TX", license_number: "a", "b\ud800": "c" }] },
					/not valid Unicode/,
					"license",
				],
				[
					"verify_licenses",
					{ license: ["TX:1", { state: "TX", license_number: "a", last_name: "" }] },
					/^license number 2: last_name is empty; leave it out where it is optional, or give/,
					"license",
				],
				[
					"verify_licenses",
					{ license: [{ state: "TX", number: "1" }] },
					/no member "number"; did you mean "license_number"\? The members are/,
					"license",
				],
				[
					"search_licenses",
					{ zip_code: "1", state: "TX", firm: "a" },
					/^no parameter "zip_code"; did you mean "postal_code"\? And no parameter "firm"; did you mean "office_name"\? The/,
					"zip_code",
				],
				["search_licenses", { state: '["TX"]' }, /^state is a list written as text/, "state"],
				["verify_licenses", { license: '[{"state":"TX"}]' }, /^license is a list written as/, "license"],
				["search_licenses", { country: ["US", "CA"] }, /given once; without it both/, "country"],
				["search_licenses", { city: ["Austin", 7] }, /must be text, or a list of texts/, "city"],
				["search_licenses", { city: ["Austin", "a\u0000b"] }, /control characters/, "city"],
				["search_licenses", { city: ["Austin", " "] }, /is empty/, "city"],
				["search_licenses", { first_name: ["Ann"] }, /must be text/, "first_name"],
				[
					"search_licenses",
					{ license_number: Array.from({ length: 101 }, (_, i) => String(i)) },
					/at most 100 values/,
					"license_number",
				],
				["search_licenses", { limit: 2.5 }, /whole number/, "limit"],
				["search_licenses", { issued_after: "2026-02-30" }, /calendar date/, "issued_after"],
				["get_license", {}, /id is required/, "id"],
				["license_history", { state: "TX" }, /license_number/, "license_number"],
				["suggest", { field: "city", q: "s" }, /at least 2 characters/, "q"],
				["whoami", { a: 1 }, /none is taken here/, "a"],
			];
			for (const [name, args, message, param] of cases) {
				const refusal = await callRefused(client, name, args);
				assert.equal(refusal.code, "invalid_parameter", JSON.stringify(args));
				assert.match(refusal.message, message);
				assert.equal(refusal.param, param);
			}
		});
	});

	test("scope, history and missing rows return the API's code and a remedy", async () => {
		const scope = {
			geography: { countries: [], states: ["TX"] },
			columns: null,
			history: { mode: "latest" },
		} as const;
		await withClient(served(), await served().key({ scope }), async (client) => {
			const outside = await callRefused(client, "search_licenses", { state: "CA" });
			assert.equal(outside.code, "scope_denied");
			assert.match(outside.remedyFor, /whoami/);
			const history = await callRefused(client, "license_history", { state: "TX", license_number: "TX-1" });
			assert.equal(history.code, "history_denied");
			assert.match(history.remedyFor, /list_snapshots/);
			const latest = await callRefused(client, "aggregate_licenses", { by: "state", snapshot: "latest" });
			assert.match(latest.remedyFor, /^Omit snapshot to query the latest month/);
			const missing = await callRefused(client, "get_license", { id: 9_999_999_999 });
			assert.equal(missing.code, "not_found");
			assert.match(missing.remedyFor, /search_licenses/);
			const number = await callRefused(client, "get_license", { state: "TX", license_number: "TX-1" });
			assert.match(number.remedyFor, /search_licenses or license_history, with state and license_number/);
			const csv = await callRefused(client, "search_licenses", { state: "TX", format: "csv" });
			assert.match(csv.remedyFor, /format=csv over HTTP/);
		});
	});

	test("tools of one license that are given a name say where names are looked up", async () => {
		await withClient(served(), await served().key(), async (client) => {
			for (const [tool, param] of [
				["license_history", "name"],
				["get_license", "member_last_name"],
			]) {
				const refusal = await callRefused(client, tool, { [param]: "Smith" });
				assert.match(refusal.remedyFor, /^By name: search_licenses with name/);
			}
		});
	});

	test("tools that do not count by group or filter say which one does", async () => {
		await withClient(
			served(),
			await served().key({ scope: { history: { mode: "all" } } }),
			async (client) => {
				for (const [tool, param] of [
					["search_licenses", "group_by"],
					["license_changes", "by"],
					["get_stats", "country"],
					["list_states", "city"],
				]) {
					const refusal = await callRefused(client, tool, { [param]: "US" });
					assert.match(refusal.remedyFor, /^Counts by group, over any filter: aggregate_licenses/, tool);
				}
			},
		);
	});

	test("a key that reads few columns gets those by default", async () => {
		const columns = ["id", "snapshot", "state", "office_name", "agent_count"] as const;
		await withClient(served(), await served().key({ scope: { columns: [...columns] } }), async (client) => {
			const { columns: shown, meta } = await callOk(client, "search_licenses", { limit: 1 });
			assert.deepEqual(shown, ["id", "snapshot", "state", "office_name", "agent_count"]);
			assert.deepEqual((meta as Record<string, unknown>).scope, { columns: [...columns] }, "and is told so");
			const asked = await callOk(client, "search_licenses", { limit: 1, fields: ["id", "state"] });
			assert.equal(
				(asked.meta as Record<string, unknown>).scope,
				undefined,
				"but not of columns that it asked for",
			);
		});
		await withClient(served(), await served().key(), async (client) => {
			const { meta } = await callOk(client, "search_licenses", { limit: 1 });
			assert.equal((meta as Record<string, unknown>).scope, undefined);
		});
	});

	test("an unknown tool is a protocol error that names the tools", async () => {
		await withClient(served(), await served().key(), async (client) => {
			await assert.rejects(client.callTool({ name: "search_license", arguments: {} }), {
				code: -32602,
				message: /did you mean "search_licenses"\?/,
			});
		});
	});
});
