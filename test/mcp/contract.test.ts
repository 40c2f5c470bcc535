/** The contract's sharp edges through the tools: each as over HTTP (docs/API.md §6, §7, §9). */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { HistoryScope } from "../../server/keys/key.js";
import { findTool, TOOLS } from "../../server/mcp/tools.js";
import { overBothTransports, type ServedFixture } from "../http/served.js";
import { callOk, callRefused, connectClient, post, request } from "./tool-client.js";

const LATEST: HistoryScope = { mode: "latest" };
const ONE_MONTH: HistoryScope = { mode: "months", months: 1 };

async function clientOf(
	served: ServedFixture,
	options: Parameters<ServedFixture["key"]>[0],
	use: (client: Client) => Promise<void>,
): Promise<void> {
	const client = await connectClient(served, await served.key(options));
	try {
		await client.listTools();
		await use(client);
	} finally {
		await client.close();
	}
}

overBothTransports("tools keep the contract", (served) => {
	test("a month outside the entitlement is history_denied, loaded or not; one after the latest is not found", async () => {
		const months: readonly (readonly [HistoryScope, string, string])[] = [
			[LATEST, "2026-10", "history_denied"],
			[LATEST, "2026-08", "history_denied"],
			[LATEST, "2000-01", "history_denied"],
			[LATEST, "1999-12", "history_denied"],
			[LATEST, "2027-01", "not_found"],
			[ONE_MONTH, "2026-09", "history_denied"],
			[ONE_MONTH, "2026-08", "history_denied"],
			[{ mode: "all" }, "2026-08", "not_found"],
			[{ mode: "all" }, "1999-12", "not_found"],
		];
		for (const [history, snapshot, code] of months) {
			await clientOf(served(), { scope: { history } }, async (client) => {
				for (const [tool, args] of [
					["search_licenses", {}],
					["list_states", {}],
					["get_stats", {}],
					["suggest", { field: "city", q: "sa" }],
				] as const) {
					const refusal = await callRefused(client, tool, { ...args, snapshot });
					assert.equal(refusal.code, code, `${tool} ${history.mode} ${snapshot}`);
					assert.match(refusal.message, /reads 2026-11/, "it says what the key can read");
				}
			});
		}
	});

	test("license_history refuses a latest-only key before its arguments are read", async () => {
		await clientOf(served(), { scope: { history: LATEST } }, async (client) => {
			for (const args of [{}, { nonsense: 1 }, { id: "x" }])
				assert.equal((await callRefused(client, "license_history", args)).code, "history_denied");
		});
	});

	test("an id outside the geography is scope_denied with the grant, one without a row not found", async () => {
		const scope = { geography: { countries: [], states: ["CA"] } };
		await clientOf(served(), { scope }, async (client) => {
			for (const tool of ["get_license", "license_history"]) {
				const outside = await callRefused(client, tool, { id: 32200000001 });
				assert.equal(outside.code, "scope_denied", tool);
				assert.match(outside.message, /states CA/);
				for (const id of [0, -1, 32299999999, "99999999999999999999"])
					assert.equal((await callRefused(client, tool, { id })).code, "not_found", `${tool} ${id}`);
				for (const id of [1.5, "x"])
					assert.equal((await callRefused(client, tool, { id })).code, "invalid_parameter", `${tool} ${id}`);
			}
		});
	});

	test("rows follow the order of fields, which names a column once", async () => {
		await clientOf(served(), {}, async (client) => {
			const fields = ["state", "id", "member_last_name"];
			const { columns } = await callOk(client, "search_licenses", { fields, limit: 1 });
			assert.deepEqual(columns, fields);
			const refusal = await callRefused(client, "search_licenses", { fields: ["id", "state", "id"] });
			assert.match(refusal.message, /fields names id more than once/);
		});
	});

	test("search_licenses takes zip as HTTP does", async () => {
		await clientOf(served(), {}, async (client) => {
			const byZip = await callOk(client, "search_licenses", { zip: "90001", limit: 5, fields: ["id"] });
			const byPostalCode = await callOk(client, "search_licenses", {
				postal_code: "90001",
				limit: 5,
				fields: ["id"],
			});
			assert.deepEqual(byZip.rows, byPostalCode.rows);
			const both = await callRefused(client, "search_licenses", { zip: "90001", postal_code: "90001" });
			assert.equal(both.param, "zip");
		});
	});

	test("state has one form in all tools: a code, or a list, of one where the tool takes one", async () => {
		await clientOf(served(), {}, async (client) => {
			for (const [tool, args] of [
				["search_licenses", {}],
				["license_history", { license_number: "TX-1" }],
				["license_changes", {}],
				["get_stats", {}],
				["aggregate_licenses", { by: "state" }],
				["suggest", { field: "city", q: "sa" }],
			] as const) {
				const byCode = await callOk(client, tool, { ...args, state: "TX" });
				assert.deepEqual(await callOk(client, tool, { ...args, state: ["TX"] }), byCode, tool);
				const { properties = {} } = findTool(tool)?.listed.inputSchema ?? {};
				assert.deepEqual((properties.state as { $ref?: string }).$ref, "#/$defs/s", tool);
			}
			for (const tool of ["license_history", "get_stats"])
				assert.equal((await callRefused(client, tool, { state: ["TX", "CA"] })).param, "state");
		});
	});

	test("answers say the day they describe, and what bounded them", async () => {
		const scope = { geography: { countries: ["US"], states: [] } };
		await clientOf(served(), { tier: "trial", scope }, async (client) => {
			const stats = await callOk(client, "get_stats");
			assert.equal(stats.meta?.as_of, "2026-11-30");
			assert.deepEqual(stats.meta?.scope, scope);
			const search = await callOk(client, "search_licenses", { fields: ["id", "member_email"], limit: 1 });
			assert.deepEqual(search.meta?.masked, ["member_email"]);
			const suggested = await callOk(client, "suggest", { field: "last_name", q: "sm", limit: 1 });
			assert.equal(suggested.meta?.truncated, true);
			assert.match(suggested.notice ?? "", /more values/);
		});
	});

	test("arguments named like members of every object are unknown arguments", async () => {
		const key = await served().key();
		for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"]) {
			for (const tool of TOOLS) {
				const call = request("tools/call", {
					name: tool.listed.name,
					arguments: JSON.parse(`{"${name}":{"x":1}}`),
				});
				const { status, body } = await post(served(), key, JSON.stringify(call));
				assert.equal(status, 200);
				const { isError, content } = (body as { result: unknown }).result as {
					isError: boolean;
					content: { type: string; text: unknown }[];
				};
				assert.equal(isError, true, `${tool.listed.name} ${name}`);
				for (const { type, text } of content) assert.ok(type === "text" && typeof text === "string");
				const { code, param } = JSON.parse(content[0].text as string).error;
				assert.deepEqual([code, param], ["invalid_parameter", name]);
			}
		}
	});
});
