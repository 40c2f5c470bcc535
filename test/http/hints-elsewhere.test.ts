/** Hints that other states have what was looked for in one (docs/API.md §7.8.6): how many rows, of those the key reads. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

test("hints tell how many rows of other states that the key reads have a person, an office or a place", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const person = { member_full_name: "Xenia Quayle", member_last_name: "Quayle", member_city: "Yreka" };
	const rows = monthRows("2026-11").map((row, i) => ({
		...row,
		...(i < 3 ? { ...person, state: "CA" } : {}),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const messageOf = async (query: string, key: string) => {
		const { data, meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		assert.deepEqual(data, [], query);
		return meta.hints?.[0].message ?? "";
	};
	const key = await served.key();
	for (const [query, told] of [
		["name=xenia+quayle", 'name "xenia quayle", but 3 rows of other states do'],
		["last_name=quay", 'last_name "quay", but 3 rows of other states do'],
		["city=Yreka", 'city "Yreka", but 3 rows of other states do'],
	])
		assert.ok((await messageOf(`${query}&state=ON`, key)).startsWith(`no row in ON has ${told}`), query);
	assert.match(
		await messageOf("name=Given1+Quayle&state=ON", key),
		/^no row in ON has name "Given1 Quayle"; no name there has a word like Quayle$/,
		"names of other states have it",
	);
	// The words of other states are no advice, and what nobody has is not elsewhere.
	for (const query of ["license_status=Licensed&state=QC", "city=Nowhere&state=ON", "city=Nowhere"])
		assert.doesNotMatch(await messageOf(query, key), /other states/, query);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["ON", "QC"] } } });
	assert.doesNotMatch(await messageOf("city=Yreka&state=ON", narrow), /other states/);
});
