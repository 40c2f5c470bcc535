/** Other spellings of the values that a prefix is completed to (docs/API.md §7.7). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { suggestResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const NAMES = ["St. Charles", "St Charles", "Saint Charles", "Montreal", "Montréal", "Stockton"];

function withNames(row: DropRow, name: string): DropRow {
	return { ...row, member_city: name, member_last_name: name, office_name: name };
}

let rows: DropRow[];
let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	rows = monthRows("2026-11").map((row, i) => withNames(row, NAMES[i % NAMES.length]));
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

test("other spellings of listed values are told with their rows, those listed are not", async () => {
	const texan = await served.key({ scope: { geography: { countries: [], states: ["TX"] } } });
	for (const [field, q, state, others, by] of [
		["city", "st. ch", "", ["St Charles", "Saint Charles"], key],
		["city", "st. ch", "CA", ["St Charles", "Saint Charles"], key],
		["city", "saint", "", ["St. Charles", "St Charles"], key],
		["city", "montreal", "", ["Montréal"], key],
		["city", "montré", "TX", ["Montreal"], texan],
		["city", "montré", "", ["Montreal"], texan],
		["office", "montré", "TX", ["Montreal"], key],
		["office", "st. ch", "", ["St Charles"], key],
		["last_name", "montreal", "", ["Montréal"], texan],
	] as const) {
		const question = `field=${field}&q=${q}${state === "" ? "" : `&state=${state}`}`;
		const answer = await suggested(question, by);
		const [hint, ...rest] = answer.meta.hints ?? [];
		assert.deepEqual([hint?.param, hint?.value, rest], ["q", q, []], question);
		const counted = by === texan ? "TX" : state;
		const present = others.filter((name) => naiveCount(name, counted) > 0);
		assert.deepEqual([...hint.nearest].sort(), [...present].sort(), question);
		for (const name of present) {
			const count = naiveCount(name, counted);
			const told = `"${name}" with ${count} ${count === 1 ? "row" : "rows"}`;
			assert.ok(hint.message.includes(told), `${hint.message}: ${told}`);
		}
		const filter = field === "office" ? "office_name" : field;
		assert.ok(hint.message.endsWith(`; ${filter} takes them together`), hint.message);
	}
	for (const query of [
		"field=city&q=sto",
		"field=city&q=st&limit=1",
		"field=city&q=st&limit=20",
		"field=office&q=saint",
		"field=last_name&q=montr",
	])
		assert.deepEqual(
			(await suggested(query)).meta.hints?.map(({ nearest }) => nearest) ?? [],
			query.includes("limit=20") ? [["Saint Charles"]] : [],
			query,
		);
});

test("where no office begins with q, the spellings of it with which some begin come first", async () => {
	const [row] = monthRows("2026-11");
	const offices = ["HomeCompass LLC", "HomeCompass LLC", "Southern Compass Homes", "Acme & Sons"];
	const rows = offices.map((name, i) => ({ ...withNames(row, name), member_state_license_number: `N${i}` }));
	await publish(served.dataFolder, "2027-01", rows);
	await served.reload();
	for (const [q, begun, nearest] of [
		["home compass", "HomeCompass", ["HomeCompass", "Southern Compass Homes"]],
		["acme and", "acme &", ["acme &", "Acme & Sons"]],
	] as const) {
		const [hint] = (await suggested(`field=office&q=${q}`)).meta.hints ?? [];
		const message = `no office in this snapshot starts with "${q}"; names begin with "${begun}"`;
		assert.deepEqual([hint.message, hint.nearest], [message, nearest]);
	}
});
