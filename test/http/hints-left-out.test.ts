/**
 * Hints where rows match: values that no row has, other spellings, ZIP+4 codes, states with other words, and groups by names
 * that are spelled in several ways (docs/API.md §7.8.6, §11.3).
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type DropRow, monthRows, STATE_ROWS } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** Values of the first rows of Texas, which have numbers TX-0 and on. */
const TEXANS: readonly DropRow[] = [
	{ member_city: "St. Louis", office_name: "Blue Door", member_postal_code: "78701" },
	{ member_city: "ST LOUIS", office_name: "BLUE DOOR", member_postal_code: "78701-1234" },
	{ member_city: "Saint Louis", office_name: "BLUE DOOR", member_postal_code: "787011235" },
	{ member_city: "Montreal", office_name: "Blue Door", member_postal_code: "78701" },
	{ member_city: "Montréal", office_name: "Blue Door", member_postal_code: "78702" },
	{ member_city: "Louis, St", office_name: "Door Blue", member_postal_code: "78703" },
	{ member_city: "Fairview" },
];

let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	let texan = 0;
	let quebecker = 0;
	const rows = monthRows("2026-11").map((row) => {
		if (row.state === "QC" && quebecker < 3)
			return { ...row, office_name: quebecker++ === 0 ? "REMAX-NORD" : "Remax Nord" };
		if (row.state !== "TX") return row;
		if (texan < TEXANS.length) return { ...row, ...TEXANS[texan++] };
		return row.member_city === "Austin" ? { ...row, member_city: "Waco" } : row;
	});
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

async function hintsOf(query: string, by = key) {
	return (await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints ?? [];
}

/** Parameter, value and nearest values of each hint. */
async function briefly(query: string, by = key): Promise<(readonly string[])[]> {
	return (await hintsOf(query, by)).map(({ param, value, nearest }) => [param, value, ...nearest]);
}

test("values of a list that no row has are told, each as it would be alone", async () => {
	const alone = await hintsOf("state=TX&city=Sprinfield");
	assert.deepEqual(alone[0].nearest, ["Springfield"]);
	assert.deepEqual(await hintsOf("state=TX&city=Sprinfield&city=Fairview"), alone);
	assert.deepEqual(await briefly("state=TX&license_number=TX-1&license_number=TX1"), [
		["license_number", "TX1", "TX-1"],
	]);
	assert.deepEqual(await briefly("state=CA&office_name=Smart&office_name=Aceme"), [
		["office_name", "Aceme", "Acme, Realty"],
	]);
	assert.deepEqual(await briefly("state=TX&license_number=TX-1&license_number=TX-2"), []);
	assert.deepEqual(await briefly("state=TX&present=member_city,office_name&missing=matched_email"), []);
	const unknown = Array.from({ length: 30 }, (_, i) => `license_number=none${i}`).join("&");
	const hints = await hintsOf(`state=TX&license_number=TX-1&${unknown}`);
	assert.deepEqual(
		hints.map(({ value }) => value),
		["none0", "none1", "none2", "none3", "none4", ""],
	);
	assert.match(
		hints[5].message,
		/^no row in TX has 25 more of the values of license_number: "none5", .*"none29"$/,
	);
	assert.deepEqual(await hintsOf("state=TX&city=Sprinfield&city=Fairview&page=2&limit=1"), []);
});

test("values that a filter leaves out in vain are told with those that rows have", async () => {
	const [hint, ...others] = await hintsOf("state=TX&status_not=active");
	assert.deepEqual([hint.param, hint.value, hint.nearest, others], ["status_not", "active", ["Active"], []]);
	assert.match(
		hint.message,
		/^no row in TX has license_status "active", so status_not leaves none out; .*; give these, or ask for status_group /,
	);
	assert.deepEqual(await briefly("state=TX&status_not=Active"), []);
	assert.deepEqual(await briefly("state=TX&type_not=broker&city_not=Sprinfield"), [
		["type_not", "broker", "Broker"],
		["city_not", "Sprinfield", "Springfield"],
	]);
	const changes = await served.ok(
		changesResponse,
		"/v1/changes?from=2026-10&to=2026-12&state=TX&status_not=active&kind=changed",
		key,
	);
	assert.deepEqual(
		changes.meta.hints?.map(({ param, value }) => [param, value]),
		[["status_not", "active"]],
	);
});

test("the groups told in place of words that leave none out are those of all other rows that have one", async () => {
	const total = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}&limit=1`, key)).pagination.total ?? 0;
	const cases = [
		["status_not=active", "status_group", "active", "license_status_group"],
		["status_not=EXPIRED", "status_group", "expired", "license_status_group"],
		["type_not=broker", "type_group", "broker", "member_type_group"],
	] as const;
	for (const [query, grouped, group, column] of cases) {
		const [{ message }] = await hintsOf(query);
		const [, told, ungrouped] =
			/; give these, or ask for \w+ ([\w, ]+?)(?: instead|, which leaves out (\d+) rows? of no \w+)$/.exec(
				message,
			) ?? assert.fail(message);
		const groups = told.split(", ");
		assert.ok(!groups.includes(group), message);
		const others = await total(groups.map((each) => `${grouped}=${each}`).join("&"));
		assert.ok(others > 0, message);
		assert.equal(others + (await total(`${grouped}=${group}`)) + Number(ungrouped ?? 0), await total(""));
		assert.equal(Number(ungrouped ?? 0), await total(`missing=${column}`), message);
	}
});

test("filters that match no row together tell the rows that have their values in other spellings", async () => {
	const told = async (query: string) =>
		(await hintsOf(query)).filter(({ message }) => !message.startsWith("without "));
	const [zip, ...noMore] = await told("state=TX&postal_code=78701&city=ST LOUIS");
	assert.deepEqual([zip.param, noMore.map(({ param }) => param)], ["city", ["postal_code"]]);
	assert.match(
		noMore[0].message,
		/^2 rows more in TX have codes that begin with 78701: postal_prefix 78701 has/,
	);
	const [city] = await told("state=TX&city=Montreal&postal_code=78702");
	assert.deepEqual([city.param, city.nearest], ["city", ["Montréal"]]);
});

test("a value of a list that the older month alone has is not told where licenses that are gone are asked for", async () => {
	const path = "/v1/changes?from=2026-11&to=2026-12&state=TX&city=Fairview&city=";
	const hintsFor = async (city: string) =>
		(await served.ok(changesResponse, `${path}${city}`, key)).meta.hints?.map(({ value }) => value);
	assert.deepEqual(await briefly("state=TX&city=Fairview&city=Austin"), [["city", "Austin"]]);
	assert.equal(await hintsFor("Austin"), undefined);
	assert.deepEqual(await hintsFor("Nowhere"), ["Nowhere"]);
});

test("other spellings of a city are told: by its punctuation, its accents and its first word", async () => {
	assert.deepEqual(await briefly("city=St. Louis"), [["city", "St. Louis", "ST LOUIS", "Saint Louis"]]);
	assert.deepEqual(await briefly("city=Saint Louis"), [["city", "Saint Louis", "ST LOUIS", "St. Louis"]]);
	assert.deepEqual(await briefly("city=Montreal"), [["city", "Montreal", "Montréal"]]);
	assert.deepEqual(await briefly("city=Montréal"), [["city", "Montréal", "Montreal"]]);
	assert.deepEqual(await briefly("city=Louis, St"), [], "the same words in another order");
	assert.deepEqual(await briefly("city=Montréal&city=Montreal"), []);
});

test("ZIP+4 codes that begin with a ZIP code are told with their rows", async () => {
	const [hint, ...others] = await hintsOf("postal_code=78701");
	assert.deepEqual(others, []);
	assert.equal(
		hint.message,
		"2 rows more in this snapshot have codes that begin with 78701: postal_prefix 78701 has them all",
	);
	assert.deepEqual(await briefly("zip=78701&state=TX"), [["zip", "78701"]]);
	assert.deepEqual(await briefly("postal_code=78702"), []);
	const californian = await served.key({ scope: { geography: { countries: [], states: ["CA"] } } });
	assert.deepEqual(await briefly("postal_code=90001", californian), []);
	assert.deepEqual(await briefly("postal_code=78701&postal_code=78703&postal_prefix=787"), []);
});

test("states whose rows have other words of the same meaning are told, with how many rows that leaves out", async () => {
	const [hint, ...others] = await hintsOf("license_status=Active");
	assert.deepEqual(others, []);
	assert.deepEqual([hint.param, hint.value], ["license_status", "Active"]);
	assert.match(
		hint.message,
		/^no row of CA, NY, ON, QC has license_status "Active", and \d+ rows there have other words of that meaning: .*; status_group active has all that mean it$/,
	);
	assert.deepEqual([...hint.nearest].sort(), ["Actif", "Current", "Licensed", "Registered"]);
	const left = Number(/and (\d+) rows/.exec(hint.message)?.[1]);
	const total = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}&limit=1`, key)).pagination.total ?? 0;
	assert.equal(left, (await total("status_group=active")) - (await total("license_status=Active")));
	assert.deepEqual(await briefly("license_status=Active&license_status=Current&state=TX,NY"), []);
	assert.deepEqual(await briefly("license_status=Active&state=TX,NY"), [
		["license_status", "Active", "Current"],
	]);
	assert.deepEqual(await briefly("license_status=Registered&country=CA"), [
		["license_status", "Registered", "Actif"],
	]);
	assert.deepEqual(await briefly("license_status=Active&state=TX"), []);
	assert.deepEqual(await briefly("license_status=Active&status_group=active"), []);
	const texan = await served.key({ scope: { geography: { countries: [], states: ["TX", "NY"] } } });
	assert.deepEqual(await briefly("license_status=Active", texan), [["license_status", "Active", "Current"]]);
	const types = (await briefly("member_type=Salesperson")).map(([param, ...rest]) => [param, ...rest.sort()]);
	assert.deepEqual(types, [["member_type", "Sales Agent", "Salesperson"]]);
});

test("hints know an office without its joining word, its legal form and its last word, and by its trade name", async () => {
	for (const [asked, nearest] of [
		["Acme & Realty", ["Acme, Realty"]],
		["Acme and Realty", ["Acme, Realty"]],
		["Smart Homes, Inc.", ["Smart Homes"]],
		["Best et Brokers Incorporated", ['"Best" Brokers']],
		["Smart Homes Downtown", ["Smart Homes"]],
		["Smart Homes of Downtown", []],
		["The Smart Homes Group", ["Smart Homes"]],
		["The Smart & Homes Team, LLC", ["Smart Homes"]],
		["The Smart Group", []],
		["Best Brokers Holdings LLC dba Smart Homes", ["Smart Homes", '"Best" Brokers']],
		["Smart Homes, Inc. d/b/a Quagmire", ["Smart Homes"]],
		["Nobody (o/a Smart Homes)", ["Smart Homes"]],
		["Limited", []],
		["and", []],
	] as const) {
		const [hint] = await hintsOf(`office_name=${encodeURIComponent(asked)}`);
		assert.deepEqual([hint.param, hint.nearest], ["office_name", nearest], asked);
	}
});

test("groups by names that have rows in other spellings say so", async () => {
	const hintsOfGroups = async (query: string, by = key) =>
		(await served.ok(aggregateResponse, `/v1/aggregate?${query}`, by)).meta.hints ?? [];
	const [hint, ...others] = await hintsOfGroups("by=office_name&state=TX&postal_prefix=787");
	assert.deepEqual(others, []);
	assert.deepEqual([hint.param, hint.value, hint.nearest], ["by", "office_name", ["BLUE DOOR"]]);
	assert.equal(
		hint.message,
		'each spelling is a group of its own: beside "Blue Door" 2 more rows are of "BLUE DOOR"; ' +
			"office_name_is counts a name in all letter cases",
	);
	const [punctuated] = await hintsOfGroups("by=office_name&state=QC");
	assert.equal(
		punctuated.message,
		'each spelling is a group of its own: beside "Remax Nord" 1 more row is of "REMAX-NORD"; ' +
			"office_name takes several spellings, whose rows it counts together with those of names that begin with one",
	);
	const both = "/v1/aggregate?by=state&state=QC&office_name=Remax Nord&office_name=REMAX-NORD";
	assert.equal((await served.ok(aggregateResponse, both, key)).meta.rows, 3);
	const [city] = await hintsOfGroups("by=member_city&state=TX&office_name=blue");
	assert.deepEqual([city.value, city.nearest], ["member_city", ["Montréal", "ST LOUIS", "St. Louis"]]);
	for (const query of [
		"by=office_name&state=TX&office_name_is=blue door",
		"by=office_name&state=CA",
		"by=office_name,status_group&state=TX",
		"by=state&state=TX",
		"by=member_city&city=Fairview",
	])
		assert.deepEqual(await hintsOfGroups(query), [], query);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA"] } } });
	assert.deepEqual(await hintsOfGroups("by=office_name", narrow), []);
	assert.ok(STATE_ROWS.CA > 0);
});
