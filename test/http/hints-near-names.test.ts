/** Hints on people's names as they are written on cards and in messages (docs/API.md §7.8.6): who is meant, beside what is no name. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** What is asked for, and the name that a hint is to give. */
const MEANT: readonly (readonly [asked: string, meant: string])[] = [
	["Wanda Quist, Broker Associate", "Wanda Quist"],
	["Wanda Quist - Real Estate Agent", "Wanda Quist"],
	["Wanda Quist, Managing Broker", "Wanda Quist"],
	["Wanda Quist | Sales Representative", "Wanda Quist"],
	["Wanda Quist, Broker of Record", "Wanda Quist"],
	["Wanda Quist, courtière immobilière agréée", "Wanda Quist"],
	["The Wanda Quist Team", "Wanda Quist"],
	["Wanda Quist Lic# 01234567", "Wanda Quist"],
	["Wanda Quist, P.A.", "Wanda Quist"],
	["Wanda Quist, Harbor Realty", "Wanda Quist"],
	["Wanda Quist at Harbor Realty", "Wanda Quist"],
	["Wanda Quist in Houston", "Wanda Quist"],
	["Wanda Quist (née Oakes)", "Wanda Quist"],
	["Wanda “Trudy” Quist", "Wanda Quist"],
	["Wanda Quist-Oakes", "Wanda Quist"],
	["Wanda and Ulrich Quist", "Wanda Quist"],
	["Oakes, Wanda Quist", "Wanda Quist"],
	// Words of trades are names where too little would remain without them.
	["Zebulon Home", "Zebulon Ash"],
	["Mai Thornton Oakes", "Mai Thornton"],
	// A city without a comma, of which each word is a name that rows have, and a name among such words.
	["Wanda Quist Erik Harbor", "Wanda Quist"],
	["Ash Erik Wanda Quist Zebulon", "Wanda Quist"],
];

describe("hints on names", () => {
	let served: ServedFixture;
	let key: string;

	before(async () => {
		served = await ServedFixture.start(ANY_TRANSPORT);
		const [row] = monthRows("2026-11");
		const names = [
			"Wanda Quist",
			"Zebulon Ash",
			"Mai Thornton",
			"Erik Thornton",
			"Harbor Realty",
			"Lena Quist",
			"Quistan Tellum",
		];
		const offices = new Map([
			["Lena Quist", "RE/MAX Gold"],
			["Mai Thornton", "Tellus Quistin Homes"],
		]);
		const rows = names.map((name, i) => ({
			...row,
			member_state_license_number: name === "Lena Quist" ? "SL0123456" : `N${i}`,
			office_name: offices.get(name) ?? "",
			member_full_name: name,
			member_first_name: name.split(" ")[0],
			member_last_name: name.split(" ")[1],
		}));
		await publish(served.dataFolder, "2026-12", rows);
		await served.reload();
		key = await served.key();
	});

	after(() => served.close());

	test("name the person beside titles, trades, offices, nicknames and numbers", async () => {
		for (const [asked, meant] of MEANT) {
			const { data, meta } = await served.ok(
				licensesResponse,
				`/v1/licenses?name=${encodeURIComponent(asked)}`,
				key,
			);
			assert.deepEqual(data, [], asked);
			assert.deepEqual(meta.hints?.[0].nearest, [meant], asked);
		}
	});

	test("tell that a name is of several people, whom rows have", async () => {
		for (const [asked, people] of [
			["Wanda Quist or Zebulon Ash", ["Wanda Quist", "Zebulon Ash"]],
			["Wanda Quist, Zebulon Ash, and Mai Thornton", ["Wanda Quist", "Zebulon Ash", "Mai Thornton"]],
			["Wanda Quist; Mr. Erik Thornton Jr.", ["Wanda Quist", "Erik Thornton"]],
			["Wanda and Lena Quist", ["Wanda Quist", "Lena Quist"]],
			["Wanda Quist and Nobody Else", []],
			["Wanda Quist, Harbor Realty", []],
		] as const) {
			const path = `/v1/licenses?name=${encodeURIComponent(asked)}`;
			const [hint] = (await served.ok(licensesResponse, path, key)).meta.hints ?? [];
			const told = /name takes one person, and rows have each of (.*)$/.exec(hint.message)?.[1] ?? "";
			assert.equal(told, people.map((name) => `"${name}"`).join(", "), asked);
			if (people.length > 0) assert.deepEqual(hint.nearest, people, asked);
		}
	});

	test("tell of an office or a license number asked for by name which filter has it", async () => {
		const noteOf = async (asked: string, by = key) => {
			const path = `/v1/licenses?name=${encodeURIComponent(asked)}`;
			const [{ message }] = (await served.ok(licensesResponse, path, by)).meta.hints ?? [];
			return message.slice(message.indexOf(`"${asked}"`) + asked.length + 2);
		};
		for (const [asked, note] of [
			["RE/MAX", '; office_name has offices that begin with "RE/MAX"'],
			["remax", '; office_name has offices that begin with "RE/MAX"'],
			["Remax Gold", '; office_name has offices that begin with "RE/MAX Gold"'],
			["sl-0123 456", '; license_number has "SL0123456"'],
			["0123456", '; license_number has "SL0123456"'],
			["SL0123456", '; license_number has "SL0123456"'],
			["0123457", ""],
		])
			assert.equal(await noteOf(asked), note, asked);
		const narrow = await served.key({ scope: { columns: ["id", "member_full_name"] } });
		for (const asked of ["remax", "0123456"])
			assert.equal(await noteOf(asked, narrow), "", "the key does not read the other filters' columns");
	});

	test("tell of an office whose name other people's names are like", async () => {
		const hintsOf = async (name: string, by = key) =>
			(await served.ok(licensesResponse, `/v1/licenses?name=${encodeURIComponent(name)}`, by)).meta.hints;
		const { data } = await served.ok(licensesResponse, "/v1/licenses?name=Tellus+Quistin", key);
		assert.deepEqual(
			data.map((row) => row.member_full_name),
			["Quistan Tellum"],
		);
		assert.deepEqual(await hintsOf("Tellus Quistin"), [
			{
				param: "name",
				value: "Tellus Quistin",
				message: 'rows match by similar spellings; office_name has offices that begin with "Tellus Quistin"',
				nearest: [],
			},
		]);
		assert.equal(await hintsOf("Quistan Tellum"), undefined, "a name that rows have");
		assert.equal(await hintsOf("Quistan Tellun"), undefined, "no office begins so");
		const narrow = await served.key({ scope: { columns: ["id", "member_full_name"] } });
		assert.equal(await hintsOf("Tellus Quistin", narrow), undefined);
	});

	test("name a first or a last name without a title, a suffix or an initial", async () => {
		for (const [query, nearest] of [
			["last_name=Quist+Jr.", ["Quist"]],
			["last_name=Mrs.+Quist", ["Quist"]],
			["first_name=Wanda+Q.", ["Wanda"]],
			["last_name=Jr.", []],
		] as const) {
			const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
			assert.deepEqual(meta.hints?.[0].nearest, nearest, query);
		}
	});
});
