/** Other spellings of the cities that a prefix is completed to (docs/API.md §7.7). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { suggestResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const CITIES = ["St. Charles", "St Charles", "Saint Charles", "Montreal", "Montréal", "Stockton"];

let rows: DropRow[];
let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	rows = monthRows("2026-11").map((row, i) => ({ ...row, member_city: CITIES[i % CITIES.length] }));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

async function suggested(query: string, by = key) {
	return served.ok(suggestResponse, `/v1/suggest?${query}`, by);
}

function naiveCount(city: string, state: string): number {
	return rows.filter((row) => row.member_city === city && (state === "" || row.state === state)).length;
}

test("other spellings of listed cities are told with their rows, those listed are not", async () => {
	const texan = await served.key({ scope: { geography: { countries: [], states: ["TX"] } } });
	for (const [q, state, others, by] of [
		["st. ch", "", ["St Charles", "Saint Charles"], key],
		["st. ch", "CA", ["St Charles", "Saint Charles"], key],
		["saint", "", ["St. Charles", "St Charles"], key],
		["montreal", "", ["Montréal"], key],
		["montré", "TX", ["Montreal"], texan],
		["montré", "", ["Montreal"], texan],
	] as const) {
		const answer = await suggested(`field=city&q=${q}${state === "" ? "" : `&state=${state}`}`, by);
		const [hint, ...rest] = answer.meta.hints ?? [];
		assert.deepEqual([hint?.param, hint?.value, rest], ["q", q, []], `${q} ${state}`);
		const counted = by === texan ? "TX" : state;
		const present = others.filter((city) => naiveCount(city, counted) > 0);
		assert.deepEqual([...hint.nearest].sort(), [...present].sort(), `${q} ${state}`);
		for (const city of present) {
			const count = naiveCount(city, counted);
			const told = `"${city}" with ${count} ${count === 1 ? "row" : "rows"}`;
			assert.ok(hint.message.includes(told), `${hint.message}: ${told}`);
		}
	}
	for (const query of [
		"field=city&q=sto",
		"field=city&q=st&limit=1",
		"field=city&q=st&limit=20",
		"field=office&q=ac",
		"field=last_name&q=smith",
	])
		assert.deepEqual(
			(await suggested(query)).meta.hints?.map(({ nearest }) => nearest) ?? [],
			query.includes("limit=20") ? [["Saint Charles"]] : [],
			query,
		);
});
