/** Hints on states of which one of two months has no row: their rows are neither growth nor new (docs/API.md §11.3, §11.5). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { monthRows, STATE_ROWS } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

test("a state that one of two months has no row of is told, of the states asked for and the key's", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11");
	await publish(
		served.dataFolder,
		"2026-12",
		rows.filter(({ state }) => state !== "NY"),
	);
	await publish(served.dataFolder, "2027-01", rows);
	await served.reload();
	const key = await served.key({ scope: { history: { mode: "all" } } });
	const compared = async (query: string, by = key) =>
		(await served.ok(aggregateResponse, `/v1/aggregate?${query}`, by)).meta.hints;
	const changed = async (query: string, by = key) =>
		(await served.ok(changesResponse, `/v1/changes?${query}`, by)).meta.hints;
	const count = `the ${STATE_ROWS.NY} rows there in`;
	const grown = {
		param: "compare",
		value: "2026-12",
		message: `2026-12 has no row of NY, so growth includes ${count} 2027-01`,
		nearest: [],
	};
	assert.deepEqual(await compared("by=state&compare=2026-12"), [grown]);
	assert.deepEqual(await compared("by=type_group&compare=2026-12&sort=growth&country=US"), [grown]);
	assert.deepEqual(await compared("by=type_group&compare=2026-11&snapshot=2026-12"), [
		{
			...grown,
			value: "2026-11",
			message: `2026-12 has no row of NY, so decline includes ${count} 2026-11`,
		},
	]);
	assert.deepEqual(await changed("from=2026-12&to=2027-01&limit=900"), [
		{ ...grown, param: "from", message: `2026-12 has no row of NY, so new are ${count} 2027-01` },
	]);
	assert.deepEqual(await changed("from=2026-11&to=2026-12&limit=900"), [
		{ ...grown, param: "to", message: `2026-12 has no row of NY, so gone are ${count} 2026-11` },
	]);
	const texan = await served.key({
		scope: { history: { mode: "all" }, geography: { countries: [], states: ["TX"] } },
	});
	const unnamed = await served.key({ scope: { history: { mode: "all" }, columns: ["member_type_group"] } });
	for (const [query, by] of [
		["by=state&compare=2026-11", key],
		["by=type_group&compare=2026-12&state=TX,CA", key],
		["by=type_group&compare=2026-12&country=CA", key],
		["by=state&compare=2026-12", texan],
		["by=type_group&compare=2026-12", unnamed],
	] as const)
		assert.equal(await compared(query, by), undefined, query);
	assert.equal(await changed("from=2026-10&to=2026-11&kind=new,gone&limit=900"), undefined);
});
