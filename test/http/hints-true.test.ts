/** What hints say of rows is true of the rows that they name (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** Spellings of one city, the first of which is asked for. */
const SPELLINGS = [
	"New Haven",
	"NEW HAVEN",
	"new haven",
	"New haven",
	"new Haven",
	"New-Haven",
	"Nèw Haven",
	"New Havén",
];

let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	const number = (state: string, i: number) => `${state}-${i}`;
	const rows = monthRows("2026-11").map((row) => {
		const { state, member_state_license_number: license } = row;
		const city = SPELLINGS.findIndex((_, i) => license === number("CA", i + 10));
		if (city !== -1) return { ...row, member_city: SPELLINGS[city] };
		if (license === number("ON", 1)) return { ...row, member_last_name: "Ontarian", member_city: "Ottawa" };
		// Each Texan has one of two contacts, and none a date.
		const isEven = Number(license?.slice(3)) % 2 === 0;
		const contacts = isEven
			? { member_email: "a@b.c", matched_email: "" }
			: { member_email: "", matched_email: "a@b.c" };
		return state === "TX" ? { ...row, ...contacts, member_license_expires: "" } : row;
	});
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

async function messagesOf(query: string): Promise<string[]> {
	const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
	return (meta.hints ?? []).map(({ message }) => message);
}

test("states of another country than the one asked for are not among those that have no row", async () => {
	const [message] = await messagesOf("state=TX,ON&country=US&last_name=Ontarian");
	assert.equal(message, 'no row in TX has last_name "Ontarian", but 1 row of another state does');
	const [both] = await messagesOf("state=TX,ON&last_name=Qqq");
	assert.equal(both, 'no row in TX, ON has last_name "Qqq"');
	const [foreign] = await messagesOf("state=ON&country=US&last_name=Ontarian");
	assert.equal(foreign, "no row is of state ON and country US: ON is Ontario, of CA");
});

test("rows that have one of two columns are not said to have none", async () => {
	const columns = "member_email,matched_email";
	const [message] = await messagesOf(`state=TX&present=${columns}`);
	assert.equal(message, "no row in TX has a value in all of member_email, matched_email");
	const [one] = await messagesOf("state=TX&present=member_license_expires");
	assert.equal(one, "no row in TX has a value in member_license_expires");
});

test("a date that a state does not publish is said to lack there alone", async () => {
	const [message] = await messagesOf("state=TX&expires_after=2020-01-01");
	assert.equal(
		message,
		'no row in TX has expires_after "2020-01-01"; no row there has a member_license_expires',
	);
});

test("rows of spellings that are not named are not counted as rows of those that are", async () => {
	const [message] = await messagesOf(`city=${encodeURIComponent(SPELLINGS[0])}`);
	assert.match(
		message,
		/^7 rows in this snapshot have member_city ("[^"]+", ){4}"[^"]+" and 2 more spellings, which city leaves out: matching is exact/,
	);
	const six = SPELLINGS.slice(0, 2).map((city) => `city=${encodeURIComponent(city)}`);
	assert.match((await messagesOf(six.join("&")))[0], / and 1 more spelling, /);
});
