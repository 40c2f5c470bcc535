/** What a tool call whose month is refused is told to do next: about the argument that gave the month. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { callRefused, connectClient } from "./tool-client.js";

test("the remedy for a month that the key does not read names the argument that gave it", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const client = await connectClient(served, await served.key({ scope: { history: { mode: "latest" } } }));
	t.after(() => client.close());
	for (const [argument, remedy] of [
		["snapshot", /^Omit snapshot to query the latest month;/],
		["compare", /^Omit compare to count one month alone;/],
	] as const) {
		const refusal = await callRefused(client, "aggregate_licenses", { by: "state", [argument]: "2026-10" });
		assert.deepEqual([refusal.code, refusal.param], ["history_denied", argument]);
		assert.match(refusal.remedyFor, remedy);
	}
});

test("the remedy for what is no month says what leaving it out means", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const client = await connectClient(served, await served.key());
	t.after(() => client.close());
	for (const [tool, argument, remedy] of [
		["search_licenses", "snapshot", /^Omit snapshot to query the latest month; list_snapshots/],
		["aggregate_licenses", "compare", /^Omit compare to count one month alone; list_snapshots/],
		["license_changes", "from", /^Omit from and to to compare the two newest months; list_snapshots/],
		["license_changes", "to", /^Omit from and to to compare the two newest months; list_snapshots/],
	] as const) {
		const by = tool === "aggregate_licenses" ? { by: "state" } : {};
		const refusal = await callRefused(client, tool, { ...by, [argument]: "last month" });
		assert.deepEqual([refusal.code, refusal.param], ["invalid_parameter", argument]);
		assert.match(refusal.remedyFor, remedy);
	}
});
