/** Hints where no row of the states that are asked has a value in a column at all (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** Hints on a month whose rows of Texas have neither last names nor statuses, as in states that do not publish them. */
test("say where no row has a last name or a status, and that name takes whole names", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) =>
		row.state === "TX" ? { ...row, member_last_name: "", member_license_status: "" } : row,
	);
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const hintOf = async (query: string) => {
		const { data, meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		assert.deepEqual(data, [], query);
		return meta.hints?.[0] ?? { message: "", nearest: null };
	};
	const cases: readonly (readonly [query: string, message: RegExp])[] = [
		["last_name=Garcia", /; no row there has a member_last_name; name takes whole names$/],
		["license_status=Active", /; no row there has a member_license_status$/],
		["status_group=active", /; no row there has a member_license_status$/],
	];
	for (const [query, expected] of cases) {
		const { message, nearest } = await hintOf(`state=TX&${query}`);
		assert.match(message, expected, query);
		assert.deepEqual(nearest, [], query);
	}
	assert.doesNotMatch((await hintOf("state=CA&last_name=Qqqq")).message, /no row there/);
});
