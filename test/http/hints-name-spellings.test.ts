/** Rows with another spelling of an office or a last name are told where one of them matches (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { officesResponse } from "../../server/api/schemas/offices-response.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const OFFICES = [
	"Harbor & Main Inc.",
	"Harbor & Main, Inc",
	"HARBOR & MAIN INC.",
	"Harbor & Main Incorporated",
	"RE/MAX Gold",
	"Remax First",
	"Re/Max",
	"The RE/MAX Team",
	"",
];
/** Spellings of one office, of one state each. */
const OFFICES_OF_STATES: Readonly<Record<string, string>> = { CA: "Quill LLC", TX: "Quill, LLC" };
const LAST_NAMES = ["Muller", "Müller", "Delacruz", "Dela Cruz", "Mullerson", "Möller", "Zhang"];

let rows: DropRow[];
let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	rows = monthRows("2026-11").map((row, i) => ({
		...row,
		office_name: (i % 3 === 0 && OFFICES_OF_STATES[row.state ?? ""]) || OFFICES[i % OFFICES.length],
		member_last_name: LAST_NAMES[i % LAST_NAMES.length],
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

type Column = "office_name" | "member_last_name";

test("the rows of each other spelling that the filter leaves out are counted, in the states of the query and the key", async () => {
	const texan = await served.key({ scope: { geography: { countries: [], states: ["TX"] } } });
	const inc = "Harbor %26 Main Inc.";
	for (const [query, column, others, states, by] of [
		[`office_name_is=${inc}`, "office_name", ["Harbor & Main, Inc"], [], key],
		[`office_name_is=${inc}&state=CA`, "office_name", ["Harbor & Main, Inc"], ["CA"], key],
		["office_name=harbor %26 main, inc", "office_name", ["HARBOR & MAIN INC"], [], key],
		["office_name=remax", "office_name", ["Re/Max"], [], key],
		["office_name=RE/MAX&state=CA", "office_name", ["Remax"], ["CA"], key],
		// Those that a longer prefix finds are not left out.
		["office_name=remax&office_name=re/max g", "office_name", ["Re/Max"], [], key],
		["last_name=Muller", "member_last_name", ["Müller"], [], key],
		["last_name=muller", "member_last_name", ["Müller"], ["TX"], texan],
		["last_name=delacruz", "member_last_name", ["Dela Cruz"], [], key],
		["last_name=dela cruz&state=NY,TX", "member_last_name", ["Delacruz"], ["NY", "TX"], key],
		["last_name=Muller&last_name=Möller", "member_last_name", ["Müller"], [], key],
	] as readonly (readonly [string, Column, readonly string[], readonly string[], string])[]) {
		const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, by);
		const [hint, ...rest] = meta.hints ?? [];
		assert.deepEqual(rest, [], query);
		assert.ok(hint !== undefined, query);
		assert.deepEqual([...hint.nearest].sort(), [...others].sort(), query);
		const isMeant = (row: DropRow) => states.length === 0 || states.includes(row.state ?? "");
		const isOther = (name: string) =>
			query.startsWith("office_name=")
				? others.some((other) => name.toLowerCase().startsWith(other.toLowerCase()))
				: others.includes(name);
		const isFound = (name: string) => query.includes("re/max g") && name.startsWith("RE/MAX G");
		const count = rows
			.filter(isMeant)
			.map((row) => row[column] ?? "")
			.filter((name) => isOther(name) && !isFound(name)).length;
		assert.ok(hint.message.startsWith(`${count} rows in `), `${count}: ${hint.message}`);
		assert.match(hint.message, / leaves out: (give these too|office_name takes several, each a prefix)$/);
	}
	const both = await served.ok(licensesResponse, "/v1/licenses?last_name=Muller&last_name=delacruz", key);
	assert.deepEqual(
		both.meta.hints?.map(({ value, nearest }) => [value, ...nearest]),
		[
			["Muller", "Müller"],
			["delacruz", "Dela Cruz"],
		],
	);
	for (const query of [
		"office_name=harbor",
		"office_name=re/max&office_name=remax",
		"last_name=mullers",
		"last_name=Zhang",
		"last_name=Muller&last_name=Müller",
		// A prefix that is no name, and finds the other spelling.
		"last_name=Muller&last_name=Müll",
		"last_name=Muller&page=2&limit=1",
	])
		assert.equal(
			(await served.ok(licensesResponse, `/v1/licenses?${query}`, key)).meta.hints,
			undefined,
			query,
		);
});

test("where no name begins with a prefix, the spellings of it with which some do come first", async () => {
	const { meta } = await served.ok(licensesResponse, "/v1/licenses?office_name=RE MAX", key);
	const [{ message, nearest }] = meta.hints ?? [];
	assert.deepEqual([...nearest.slice(0, 2)].sort(), ["Re/Max", "Remax"]);
	assert.ok(nearest.includes("RE/MAX Gold"), nearest.join(", "));
	assert.match(message, /; names begin with "Re(\/M|m)ax", "Re(\/M|m)ax"$/);
	const count = (name: string) =>
		rows.filter(({ office_name }) => office_name?.toLowerCase().startsWith(name.toLowerCase())).length;
	assert.ok(count(nearest[0]) >= count(nearest[1]));
});

test("an office is found without an article that its name lacks, and with one that it has", async () => {
	const hintOf = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, key)).meta.hints?.[0];
	const prefix = await hintOf("office_name=the re/max go");
	assert.match(prefix?.message ?? "", /; names begin with "re\/max go"$/);
	assert.equal(prefix?.nearest[0], "re/max go");
	assert.ok((await hintOf("office_name_is=The RE/MAX Gold"))?.nearest.includes("RE/MAX Gold"));
	assert.deepEqual((await hintOf("office_name=The Qqqq"))?.nearest, []);
	const officeHint = async (query: string) =>
		(await served.ok(officesResponse, `/v1/offices?${query}`, key)).meta.hints?.[0];
	assert.ok((await officeHint("name=The RE/MAX Gold"))?.nearest.includes("RE/MAX Gold"));
	assert.ok((await officeHint("name=RE/MAX Gold Corporation"))?.nearest.includes("RE/MAX Gold"));
	assert.deepEqual((await officeHint("name=The Qqqq"))?.nearest, []);
});

test("a name that no row in the states of the query has, or none that the key reads, has no other spellings", async () => {
	const californian = await served.key({ scope: { geography: { countries: [], states: ["CA"] } } });
	const paths = ["office_name=Quill, LLC&office_name=harbor", "office_name=Quill, LLC&office_name=Quill"];
	for (const query of paths) {
		const narrowed = await served.ok(licensesResponse, `/v1/licenses?${query}`, californian);
		const ofState = await served.ok(licensesResponse, `/v1/licenses?${query}&state=CA`, key);
		for (const { meta } of [narrowed, ofState])
			assert.deepEqual(
				(meta.hints ?? []).filter(({ message }) => message.includes("leaves out")),
				[],
				query,
			);
	}
	const { meta } = await served.ok(licensesResponse, `/v1/licenses?${paths[0]}`, key);
	assert.deepEqual(
		meta.hints?.map(({ nearest }) => nearest),
		[["Quill LLC"]],
	);
});

test("offices found by the words of a name leave none of its spellings out", async () => {
	const { data, meta } = await served.ok(officesResponse, "/v1/offices?office_name=Quill, LLC&state=CA", key);
	assert.deepEqual(
		data.map(({ office_name }) => office_name),
		["Quill LLC"],
	);
	assert.equal(meta.matched, "name");
	assert.equal(meta.hints, undefined);
});
