/** Hints on lists of many values: the last tells of those that have no hint of their own (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** Town i has i + 1 rows in capitals and one that is not, and as many of codes that its ZIP code begins. */
const TOWNS = 24;

function townRows(): DropRow[] {
	const [row] = monthRows("2026-11");
	const rows: DropRow[] = [];
	for (let town = 0; town < TOWNS; town++) {
		for (let i = 0; i <= town + 1; i++) {
			const zip = String(73000 + town);
			rows.push({
				...row,
				state: town % 2 === 0 ? "TX" : "NY",
				member_city: i === 0 ? `Town ${town}` : `TOWN ${town}`,
				member_postal_code: i === 0 ? zip : `${zip}-${1000 + i}`,
				member_last_name: `Last${town}`,
				member_state_license_number: `T-${town}-${i}`,
			});
		}
	}
	return rows;
}

let served: ServedFixture;
let key: string;
const rows = townRows();
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

async function hintsOf(query: string) {
	return (await served.ok(licensesResponse, `/v1/licenses?${query}`, key)).meta.hints ?? [];
}

function list(param: string, length: number, nameOf: (i: number) => string | number): string {
	return Array.from({ length }, (_, i) => `${param}=${nameOf(i)}`).join("&");
}

/** Rows in capitals of towns [from, to). */
function capitals(from: number, to: number, state?: string): number {
	return rows.filter(({ member_city, state: of }) => {
		const town = Number(/^TOWN (\d+)$/.exec(member_city ?? "")?.[1] ?? -1);
		return town >= from && town < to && (state === undefined || of === state);
	}).length;
}

test("of more than five cities with other spellings, the last hint tells the rest, and values not looked at", async () => {
	const five = await hintsOf(list("city", 5, (i) => `Town ${i}`));
	assert.deepEqual(
		five.map(({ value, nearest }) => [value, ...nearest]),
		[0, 1, 2, 3, 4].map((i) => [`Town ${i}`, `TOWN ${i}`]),
	);
	const twelve = await hintsOf(list("city", 12, (i) => `Town ${i}`));
	assert.deepEqual(
		twelve.map(({ value }) => value),
		["Town 0", "Town 1", "Town 2", "Town 3", ""],
	);
	const named = [4, 5, 6, 7, 8, 9, 10, 11].map((i) => `"Town ${i}"`).join(", ");
	assert.equal(
		twelve[4].message,
		`8 more of the values of city have other spellings, ${capitals(4, 12)} rows in this snapshot together: ${named}`,
	);
	assert.deepEqual(
		twelve[4].nearest,
		[4, 5, 6, 7, 8, 9, 10, 11].map((i) => `TOWN ${i}`),
	);
	const [inTexas] = (await hintsOf(`state=TX&${list("city", 12, (i) => `Town ${i}`)}`))
		.filter(({ nearest }) => nearest.length > 0 && nearest[0].startsWith("TOWN"))
		.slice(-1);
	assert.ok(
		inTexas.message.startsWith(
			`2 more of the values of city have other spellings, ${capitals(8, 12, "TX")} rows in TX together: `,
		),
		inTexas.message,
	);
	const all = await hintsOf(list("city", TOWNS, (i) => `Town ${i}`));
	assert.match(
		all[4].message,
		new RegExp(
			`^16 more of .*, ${capitals(4, 20)} rows .*; 4 more values of city were not looked at for other spellings$`,
		),
	);
	const both = list("city", TOWNS, (i) => `${i % 2 === 0 ? "Town" : "TOWN"} ${i >> 1}`);
	const [none, ...others] = await hintsOf(both);
	assert.deepEqual(others, []);
	assert.equal(none.message, "4 more values of city were not looked at for other spellings");
});

test("of more names than are looked at, a hint tells so, whether or not others have spellings", async () => {
	for (const nameOf of [
		(i: number) => `Last${i % TOWNS}`,
		(i: number) => (i === 1 ? "Last1" : `Nobody${i}`),
	]) {
		const hints = await hintsOf(`${list("last_name", 22, nameOf)}&city=Town 1`);
		const { message } = hints.find(({ message }) => message.includes("for other spellings")) ?? {};
		assert.equal(message, "2 more values of last_name were not looked at for other spellings");
	}
});

test("of more than five ZIP codes with longer ones, the last hint tells the rest, and values not looked at", async () => {
	const longer = (from: number, to: number) =>
		rows.filter(({ member_postal_code = "" }) => {
			const town = Number(member_postal_code.slice(0, 5)) - 73000;
			return member_postal_code.length > 5 && town >= from && town < to;
		}).length;
	const hints = await hintsOf(list("zip", 12, (i) => 73000 + i));
	assert.deepEqual(
		hints.map(({ param, value }) => `${param} ${value}`),
		["zip 73000", "zip 73001", "zip 73002", "zip 73003", "zip "],
	);
	assert.ok(
		hints[4].message.startsWith(
			`8 more of the values of zip begin codes of ${longer(4, 12)} rows more in this snapshot together: "73004", `,
		),
		hints[4].message,
	);
	const all = await hintsOf(list("postal_code", TOWNS, (i) => 73000 + i));
	assert.match(
		all[4].message,
		/^16 more .*; 4 more values of postal_code were not looked at for longer codes$/,
	);
});

test("all values of a filter are looked for, a hundred of a request, and the last hint tells how many were not", async () => {
	const held = rows.slice(0, 100).map((row) => String(row.member_state_license_number));
	const wrong = [3, 50, 70, 98, 99];
	const numbers = Array.from({ length: 100 }, (_, i) =>
		wrong.includes(i) ? `none${i}` : held[i % held.length],
	);
	const query = list("license_number", 100, (i) => numbers[i]);
	assert.deepEqual(
		(await hintsOf(query)).map(({ value }) => value),
		wrong.map((i) => `none${i}`),
	);
	const names = list("last_name", 3, (i) => `Last${i}`);
	const both = await hintsOf(`${query}&${names}`);
	assert.deepEqual(
		both.map(({ param, value }) => `${param} ${value}`),
		[3, 50, 70, 98]
			.map((i) => `license_number none${i}`)
			.slice(0, 3)
			.concat("license_number "),
	);
	assert.equal(
		both[3].message,
		"whether rows have 3 more values of license_number was not looked at: hints look for the first 100 values of a request",
	);
	const unlike = [list("city_not", 100, (i) => `Nowhere${i}`), "status_not=active", "type_not=broker"];
	const many = await hintsOf(unlike.join("&"));
	assert.match(many[0].message, /so type_not leaves none out/);
	const last = many.filter(({ message }) => message.includes("was not looked at: "));
	assert.deepEqual(
		last.map(({ param, message }) => [param, message.slice(0, 50)]),
		[["city_not", "whether rows have 2 more values of city_not, statu"]],
	);
});

test("where no row has any value of a list, the last hint tells the rest too", async () => {
	const hints = await hintsOf(`state=TX&${list("license_number", 60, (i) => `none${i}`)}`);
	assert.deepEqual(
		hints.map(({ value }) => value),
		["none0", "none1", "none2", "none3", "none4", ""],
	);
	assert.match(
		hints[5].message,
		/^no row in TX has 55 more of the values of license_number: "none5", .*, "none59"$/,
	);
});

test("of changes, values that either month has are not told", async () => {
	const cities = `city=Fairview&city=Town+0&${list("city", 7, (i) => `Nowhere${i}`)}`;
	const path = `/v1/changes?from=2026-11&to=2026-12&${cities}`;
	const { meta } = await served.ok(changesResponse, path, key);
	assert.ok(meta.totals.gone > 0);
	assert.deepEqual(
		meta.hints?.slice(0, 6).map(({ value }) => value),
		["Nowhere0", "Nowhere1", "Nowhere2", "Nowhere3", "Nowhere4", ""],
	);
	assert.match(meta.hints?.[5].message ?? "", /^no row in this snapshot has 2 more of the values of city: /);
});
