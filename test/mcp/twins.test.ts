/**
 * Every tool beside its HTTP endpoint, under every kind of key: the same answer, or the same refusal.
 * HTTP is asked with the tool's defaults spelled out, since nothing else may differ.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { TOOL_NAMES } from "../../server/mcp/tools.js";
import { type KeyOptions, overBothTransports, type ServedFixture } from "../http/served.js";
import { httpAsTool, toolAsHttp } from "./http-form.js";
import { connectClient } from "./tool-client.js";

const KEYS: Readonly<Record<string, KeyOptions>> = {
	enterprise: {},
	production: { tier: "production", scope: { history: { mode: "latest" } } },
	"one month back": { tier: "production", scope: { history: { mode: "months", months: 1 } } },
	demo: { tier: "demo", rate_limits: { per_minute: 1_000, per_day: 1_000 } },
	trial: { tier: "trial", rate_limits: { per_minute: 1_000, per_day: 1_000 } },
	"Canada alone": { scope: { geography: { countries: ["CA"], states: [] } } },
	"two states": { scope: { geography: { countries: [], states: ["TX", "ON"] } } },
	"names and numbers alone": {
		scope: {
			columns: ["id", "snapshot", "member_full_name", "member_last_name", "member_state_license_number"],
		},
	},
	"contacts without state": {
		scope: { columns: ["id", "snapshot", "matched_email", "member_license_status"] },
	},
};

const FIELDS = "id,member_full_name,member_email,matched_phone,member_license_status";

type Args = Record<string, string>;

interface Twin {
	readonly tool: string;
	readonly args: Args;
	readonly path: string;
	/** Defaults of the tool that HTTP does not have. */
	readonly defaults?: Args;
	/** Arguments of the tool where they have another form than the parameters. */
	readonly toolArgs?: Readonly<Record<string, unknown>>;
}

function twin(tool: string, path: string, args: Args = {}, defaults: Args = {}): Twin {
	return { tool, path, args, defaults };
}

/** `id` is a row of California in the latest month, `oldId` one in the first. */
function twins(id: string, oldId: string): Twin[] {
	const page = { limit: "25" };
	return [
		twin("search_licenses", "/v1/licenses", { fields: "id" }, page),
		twin("search_licenses", "/v1/licenses", { fields: FIELDS, limit: "7", page: "2" }),
		twin("search_licenses", "/v1/licenses", { state: "CA", fields: "id,member_full_name" }, page),
		twin("search_licenses", "/v1/licenses", { state: "CA,ON", fields: "id" }, page),
		twin("search_licenses", "/v1/licenses", { country: "CA", fields: "id", count: "false" }, page),
		twin("search_licenses", "/v1/licenses", { last_name: "smi", fields: "id,member_last_name" }, page),
		twin("search_licenses", "/v1/licenses", { license_status: "Aktiv", fields: "id" }, page),
		twin("search_licenses", "/v1/licenses", { sort: "office_name", order: "desc", fields: "id" }, page),
		twin("search_licenses", "/v1/licenses", { fields: "id,member_address" }, page),
		twin("search_licenses", "/v1/licenses", { snapshot: "2026-09", fields: FIELDS }, page),
		twin("search_licenses", "/v1/licenses", { snapshot: "2020-01", fields: "id" }, page),
		twin("search_licenses", "/v1/licenses", { limit: "1001", fields: "id" }),
		twin("search_licenses", "/v1/licenses", { expires_after: "2026-01-01", expires_before: "2025-01-01" }),
		twin("get_license", `/v1/licenses/${id}`, { id }),
		twin("get_license", `/v1/licenses/${id}`, { id, fields: FIELDS }),
		twin("get_license", `/v1/licenses/${oldId}`, { id: oldId }),
		twin("get_license", "/v1/licenses/99", { id: "99" }),
		twin("get_license", "/v1/licenses/x", { id: "x" }),
		twin("license_history", "/v1/licenses/history", { state: "TX", license_number: "TX-1", fields: FIELDS }),
		twin("license_history", "/v1/licenses/history", { state: "CA", license_number: "CA-5", fields: "id" }),
		twin("license_history", "/v1/licenses/history", { id, fields: "id,member_full_name" }),
		twin("license_history", "/v1/licenses/history", { state: "TX", fields: "id" }),
		twin("license_changes", "/v1/changes", { kind: "new,changed", fields: "id,state", limit: "5" }),
		twin("license_changes", "/v1/changes", { from: "2026-09", to: "2026-10", fields: "id", limit: "2" }),
		twin("list_states", "/v1/states"),
		twin("list_states", "/v1/states", { country: "US", snapshot: "2026-10" }),
		twin("list_snapshots", "/v1/snapshots"),
		twin("get_stats", "/v1/stats"),
		twin("get_stats", "/v1/stats", { state: "TX" }),
		twin("get_stats", "/v1/stats", { snapshot: "2026-10" }),
		twin("aggregate_licenses", "/v1/aggregate", { by: "office_name" }),
		twin("aggregate_licenses", "/v1/aggregate", { by: "state,license_status", top: "2", country: "US" }),
		twin("aggregate_licenses", "/v1/aggregate", { by: "member_city", missing: "member_email" }),
		twin("aggregate_licenses", "/v1/aggregate", { by: "office_name", compare: "2026-10", sort: "growth" }),
		twin("aggregate_licenses", "/v1/aggregate", { by: "state", compare: "2026-09", snapshot: "2026-10" }),
		twin("aggregate_licenses", "/v1/aggregate", { by: "state", compare: "2026-12" }),
		twin("aggregate_licenses", "/v1/aggregate", { by: "nothing" }),
		twin("search_licenses", "/v1/licenses", { status_not: "Expired", fields: "id" }, page),
		twin(
			"search_licenses",
			"/v1/licenses",
			{ present: "office_name", missing: "member_email", fields: "id" },
			page,
		),
		twin("suggest", "/v1/suggest", { field: "last_name", q: "sm" }),
		twin("suggest", "/v1/suggest", { field: "city", q: "sp", state: "NY", limit: "3" }),
		twin("suggest", "/v1/suggest", { field: "town", q: "sp" }),
		{
			...twin("verify_licenses", "/v1/verify", { license: "TX:TX-1", fields: "id,state" }),
			toolArgs: { license: [{ state: "TX", license_number: "TX-1" }], fields: ["id", "state"] },
		},
		twin("whoami", "/v1/me"),
	];
}

interface Outcome {
	readonly refused: boolean;
	readonly body: unknown;
}

async function byTool(client: Client, { tool, args, toolArgs = args }: Twin): Promise<Outcome> {
	const { isError, content, structuredContent } = (await client.callTool({
		name: tool,
		arguments: toolArgs,
	})) as CallToolResult;
	if (isError !== true)
		return { refused: false, body: toolAsHttp(tool, structuredContent as Record<string, unknown>) };
	const [text] = content;
	assert.ok(text.type === "text");
	return { refused: true, body: JSON.parse(text.text) };
}

async function byHttp(
	served: ServedFixture,
	key: string,
	{ tool, path, args, defaults }: Twin,
): Promise<Outcome> {
	const { id, ...rest } = { ...defaults, ...args };
	const inPath = path.startsWith("/v1/licenses/") && path !== "/v1/licenses/history";
	const query = new URLSearchParams(inPath || id === undefined ? rest : { id, ...rest });
	const { status, text } = await served.request(`${path}?${query}`, key);
	const body = JSON.parse(text);
	return status === 200
		? { refused: false, body: httpAsTool(tool, body, args.state !== undefined) }
		: { refused: true, body };
}

/**
 * Counts that every call increases differ between two successive calls; inputs are echoed in the form given.
 */
function withoutUse({ refused, body }: Outcome): Outcome {
	const text = JSON.stringify(body)
		.replace(/"used":\d+/, '"used":0')
		.replaceAll(/"input":(?:\{[^}]*\}|"[^"]*")/g, '"input":null');
	return { refused, body: JSON.parse(text) };
}

async function idOf(served: ServedFixture, snapshot: string): Promise<string> {
	const key = await served.key();
	const { text } = await served.request(`/v1/licenses?snapshot=${snapshot}&state=CA&limit=1&fields=id`, key);
	return String((JSON.parse(text) as { data: { id: number }[] }).data[0].id);
}

overBothTransports("a tool and its HTTP twin", (served) => {
	for (const [name, options] of Object.entries(KEYS)) {
		test(`answer and refuse alike for a key with ${name}`, async () => {
			const key = await served().key(options);
			const client = await connectClient(served(), key);
			const all = twins(await idOf(served(), "2026-11"), await idOf(served(), "2026-09"));
			assert.deepEqual(new Set(all.map((t) => t.tool)), new Set(TOOL_NAMES), "every tool has a twin");
			let refusals = 0;
			for (const each of all) {
				const expected = withoutUse(await byHttp(served(), key, each));
				const actual = withoutUse(await byTool(client, each));
				assert.deepEqual(actual, expected, `${each.tool} ${JSON.stringify(each.args)}`);
				if (actual.refused) refusals++;
			}
			assert.ok(refusals > 0 && refusals < all.length, "some are refused and some are not");
			await client.close();
		});
	}
});
