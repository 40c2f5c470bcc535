/** The tools `search` and `fetch`, for hosts that know only these. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { readFreeText, stateAtEnd } from "../../server/mcp/connectors/free-text.js";
import { monthRows } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { callOk, callRefused, connectClient } from "./tool-client.js";

const API = "https://api.example.com";

interface Found {
	readonly results: { readonly id: string; readonly title: string; readonly url: string }[];
}
interface Fetched {
	readonly id: string;
	readonly title: string;
	readonly text: string;
	readonly url: string;
	readonly metadata: { readonly snapshot: string; readonly masked?: string[] };
}

async function serve(settings = {}): Promise<ServedFixture> {
	return ServedFixture.start(ANY_TRANSPORT, { mcp_connectors: true, api_url: API, ...settings });
}

async function search(client: Client, query: string): Promise<Found["results"]> {
	return ((await callOk(client, "search", { query })) as unknown as Found).results;
}

async function fetched(client: Client, id: string): Promise<Fetched> {
	return (await callOk(client, "fetch", { id })) as unknown as Fetched;
}

test("the pair is off by default, and listed last where it is on", async (t) => {
	const off = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => off.close());
	const plain = await connectClient(off, await off.key());
	const names = (await plain.listTools()).tools.map(({ name }) => name);
	assert.ok(!names.includes("search") && !names.includes("fetch"));
	await plain.close();

	const on = await serve();
	t.after(() => on.close());
	const client = await connectClient(on, await on.key());
	const { tools } = await client.listTools();
	assert.deepEqual(
		tools.map(({ name }) => name),
		[...names, "search", "fetch"],
	);
	assert.deepEqual(tools.at(-2)?.inputSchema.required, ["query"]);
	assert.deepEqual(tools.at(-1)?.inputSchema.required, ["id"]);
	await client.close();
});

test("search finds by person, by office and by number, within the state that is named; fetch has the row", async (t) => {
	const served = await serve();
	t.after(() => served.close());
	const client = await connectClient(served, await served.key());
	t.after(() => client.close());
	const { text } = await served.request("/v1/licenses?license_number=CA-139", await served.key());
	const [row] = (JSON.parse(text) as { data: Record<string, string>[] }).data;
	const { member_full_name: name, member_state_license_number: number, office_name: office } = row;
	const city = row.member_city.toLowerCase();
	for (const [query, says] of [
		[`${name}, CA`, name],
		[`is ${name} licensed in California?`, name],
		[`license ${number} in California`, number],
		[`license ${number.toLowerCase().replace("-", "")} in California`, number],
		[`CA license #${number.slice(3)}`, number],
		[`California ${number.slice(3)}`, number],
		[`${name} California`, name],
		[number, number],
		[`${office} CA`, office],
		[`${name}, Broker Associate, CA`, name],
		[`${name}, ${office}, ca`, name],
		[`${name}, ${city} California`, name],
		[`${office}, downtown, CA`, office],
		[`Dr. ${name} Jr., Realtor, CA`, name],
		[`Ms. ${name} California`, name],
		["who works at Acme Realty LLC in California?", "Acme, Realty"],
		["Acmee Realty, CA", "Acme, Realty"],
		[`agents of ${office}, CA`, office],
		[`is ${name} still licensed in California?`, name],
		[`who owns ${office} in California?`, office],
		[`est-ce que ${name} est courtier en California`, name],
		[`hey can you find ${name} in California please`, name],
		[`${name} in California at Zzyzx Holdings`, name],
		[
			`${name}, ${city}, whom my sister met at the open house and who gave her business card to all of us, CA`,
			name,
		],
	]) {
		const results = await search(client, query);
		assert.ok(results.length > 0, query);
		for (const { title } of results) assert.ok(title.includes("CA"), `${query}: ${title}`);
		assert.ok(results[0].title.includes(says), `${query}: ${results[0].title}`);
	}
	// The city comes before others of the name.
	const inCity = await search(client, `${name}, ${city}, CA`);
	for (const each of inCity)
		assert.match((await fetched(client, each.id)).text, new RegExp(`^member_city: ${row.member_city}$`, "m"));
	assert.ok(inCity.length > 0 && inCity.length < (await search(client, `${name}, CA`)).length);
	const [{ id, title, url }] = await search(client, `${number}`);
	assert.equal(url, `${API}/v1/licenses/${id}`);
	const record = await fetched(client, id);
	assert.deepEqual([record.id, record.title, record.url], [id, title, url]);
	assert.ok(
		record.text.includes(`member_full_name: ${name}`) && record.text.includes(`office_name: ${office}`),
	);
	assert.match(record.metadata.snapshot, /^\d{4}-\d\d$/);
	assert.deepEqual(await search(client, "Zzyzx Qwortlebee"), []);
	const [given] = name.split(" ");
	assert.deepEqual(await search(client, `${given} Qwortlebee`), [], "not everybody of the first name");
	assert.deepEqual(
		await search(client, "Acme Qwortlebee, CA"),
		[],
		"a person, and not an office of one of the names",
	);
});

test("a number that may be a year, of an address or a ZIP code finds no stranger while a person is named beside it", async (t) => {
	const served = await serve();
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row, i) => ({
		...row,
		...(i === 0 ? { member_full_name: "Orla Quigley", member_state_license_number: "77002" } : {}),
		...(i === 1 ? { member_full_name: "Pia Underwood", member_state_license_number: "2015-PI" } : {}),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const client = await connectClient(served, await served.key());
	t.after(() => client.close());
	for (const [query, says] of [
		["Pia Underwood, Houston 77002", "Pia Underwood"],
		["Orla Quigley 2015", "Orla Quigley"],
		["Pia Underwood 2015", "Pia Underwood"],
		["Zzyzx Qwortlebee 77002", "Orla Quigley"],
		["license 77002", "Orla Quigley"],
		["agent 2015", "Pia Underwood"],
		["orla quigley underwood pia", "Orla Quigley"],
		["my colleague is Pia Underwood and Quigley orla", "Pia Underwood"],
	]) {
		const titles = (await search(client, query)).map(({ title }) => title);
		assert.ok(titles.length === 1 && titles[0].startsWith(says), `${query}: ${titles.join("; ")}`);
	}
});

test("a name of too many words is left out of the lookups, and told where nothing else could be looked for", async (t) => {
	const served = await serve();
	t.after(() => served.close());
	const client = await connectClient(served, await served.key());
	t.after(() => client.close());
	const long = Array.from({ length: 13 }, (_, i) => `Qw${"abcdefghijklm"[i]}x`).join(" ");
	const { code, param, message } = await callRefused(client, "search", { query: long });
	assert.deepEqual([code, param], ["invalid_parameter", "query"]);
	assert.match(message, /^query: the name must have at most 12 words; got 13; give only/);
	assert.deepEqual(await search(client, `Zzyzx Qwortlebee, ${long}`), []);
	const places = Array.from({ length: 120 }, (_, i) => `q${i.toString(2)}`)
		.join(", ")
		.slice(0, 900);
	assert.deepEqual(await search(client, `Zzyzx Qwortlebee, ${places}`), []);
	const withoutOffices = await connectClient(
		served,
		await served.key({ scope: { columns: ["state", "member_full_name"] } }),
	);
	t.after(() => withoutOffices.close());
	assert.equal((await callRefused(withoutOffices, "search", { query: long })).code, "invalid_parameter");
});

test("scope, masking, faults and limits are those of the API", async (t) => {
	const served = await serve();
	t.after(() => served.close());
	const texan = await connectClient(
		served,
		await served.key({ scope: { geography: { countries: [], states: ["TX"] } } }),
	);
	t.after(() => texan.close());
	assert.equal((await callRefused(texan, "search", { query: "Smith, CA" })).code, "scope_denied");
	assert.deepEqual(await search(texan, "Zzyzx Washington"), [], "a last name, or a state outside the grant");
	for (const { title } of await search(texan, "Smith")) assert.ok(title.includes("TX"), title);

	const trial = await connectClient(served, await served.key({ tier: "trial" }));
	t.after(() => trial.close());
	const { text } = await served.request("/v1/licenses?present=matched_email&limit=1", await served.key());
	const [row] = (JSON.parse(text) as { data: Record<string, string>[] }).data;
	const record = await fetched(trial, String(row.id));
	assert.ok(!record.text.includes(row.matched_email));
	assert.ok(record.metadata.masked?.includes("matched_email"));

	const columns = ["state", "member_state_license_number"] as const;
	const narrow = await connectClient(served, await served.key({ scope: { columns: [...columns] } }));
	t.after(() => narrow.close());
	assert.equal((await callRefused(narrow, "search", { query: "Smith" })).code, "scope_denied");

	for (const [tool, args, param] of [
		["search", {}, "query"],
		["search", { query: "  " }, "query"],
		["search", { query: "license in Texas" }, "query"],
		["search", { query: "license # in Texas" }, "query"],
		["search", { query: "Smith", limit: 5 }, "limit"],
		["fetch", { id: 7 }, "id"],
		["fetch", { id: "seven" }, "id"],
	] as const) {
		const refused = await callRefused(trial, tool, args);
		assert.equal(refused.code, "invalid_parameter", `${tool} ${JSON.stringify(args)}`);
		assert.equal(refused.param, param);
	}
	assert.equal((await callRefused(trial, "fetch", { id: "1" })).code, "not_found");

	// A person is not found, so an office is looked for: two requests.
	const slow = await connectClient(served, await served.key({ rate_limits: { per_minute: 1 } }));
	t.after(() => slow.close());
	assert.equal((await callRefused(slow, "search", { query: "Zzyzx Qwortlebee" })).code, "rate_limited");

	// The name with and without Texas as a person's and an office's, then with a city, and without what is parted from it as
	// both: the name in the state is meant in three ways, and is one request.
	const exact = await connectClient(served, await served.key({ rate_limits: { per_minute: 7 } }));
	t.after(() => exact.close());
	assert.deepEqual(await search(exact, "Zzyzx Qwortlebee; Texas"), []);
});

test("a free text of a thousand characters is read in a few milliseconds, whatever they are", () => {
	const texts = [
		`Jane Smith, ${" ".repeat(980)}!`,
		`Jane Smith in ${"\t".repeat(980)}x1`,
		`Jane, Ohio${" ".repeat(980)}!`,
		`J${", a".repeat(330)}!`,
	];
	for (const text of texts) {
		// The least of several: the first also compiles the expressions, and collecting garbage counts too.
		const times = Array.from({ length: 3 }, () => {
			const before = process.cpuUsage();
			readFreeText(text);
			return process.cpuUsage(before).user / 1_000;
		});
		const ms = Math.min(...times);
		assert.ok(ms < 10, `${ms} ms for ${JSON.stringify(text.slice(0, 20))}`);
	}
	assert.equal(readFreeText("Jane Smith,   West Virginia ?").state, "WV");
});

test("a free text is read as a state, a number and the words of a name", () => {
	for (const [query, state, number, words] of [
		["Jane Smith, CA", "CA", null, "Jane Smith"],
		["Jane Smith in California?", "CA", null, "Jane Smith"],
		["Virginia Smith, Georgia", "GA", null, "Virginia Smith"],
		["Georgia Brown", null, null, "Georgia Brown"],
		["is Jane Smith licensed in TX", "TX", null, "Jane Smith"],
		["TX license 706941-SA", "TX", "706941-SA", ""],
		["who has license number 01234567", null, "01234567", ""],
		["license #706941 Texas", "TX", "706941", ""],
		["Texas 706941", "TX", "706941", ""],
		["license # 706941 Texas", "TX", "706941", ""],
		["706941 - Texas", "TX", "706941", ""],
		["Smith & Co.", null, null, "Smith & Co."],
		["#1 Realty", null, null, "#1 Realty"],
		["Jane Smith West Virginia", null, null, "Jane Smith West Virginia"],
		["Jane or in me", null, null, "Jane or me"],
		["Keller Williams, Austin", null, null, "Keller Williams Austin"],
		["jane smith, ca", "CA", null, "jane smith"],
		["tx-706941, tx", "TX", "tx-706941", ""],
		["Smith, Al", null, null, "Smith Al"],
		["Élise Roy, Québec", "QC", null, "Élise Roy"],
		["real estate agent Jane Smith, Ohio", "OH", null, "Jane Smith"],
		["tell me about Jane Smith in Ohio", "OH", null, "Jane Smith"],
		["When does the license of Jane Smith in Ohio expire?", "OH", null, "Jane Smith"],
		["look up Jane Smith ME", "ME", null, "Jane Smith"],
		["Will Look, TX", "TX", null, "Will Look"],
	] as const) {
		const { typed: _, parted: _parted, ...read } = readFreeText(query);
		assert.deepEqual(read, { state, number, words }, query);
	}
	for (const [query, parted] of [
		["Jane Smith, CA", null],
		["Smith, Jane, CA", null],
		["Jane Smith, Houston, TX", { name: "Jane Smith", others: ["Houston"] }],
		["Jane Smith in Houston, TX", { name: "Jane Smith", others: ["Houston"] }],
		["Jane Smith of Acme Realty at Houston", { name: "Jane Smith", others: ["Acme Realty", "Houston"] }],
		["courtier Élise Roy à Laval", { name: "courtier Élise Roy", others: ["Laval"] }],
		["is Jane Smith licensed in TX", null],
		["Smith, Jane; Acme, Inc., TX", { name: "Smith Jane", others: ["Acme", "Inc."] }],
	] as const)
		assert.deepEqual(readFreeText(query).parted, parted, query);
	assert.deepEqual(stateAtEnd(readFreeText("Jane Smith, Houston Texas"))?.parted?.others, ["Houston"]);
	for (const [query, state, words] of [
		["Jane Smith West Virginia", "WV", "Jane Smith"],
		["Jane Virginia", "VA", "Jane"],
		["Élise Roy Que\u0301bec", "QC", "Élise Roy"],
	] as const) {
		const read = stateAtEnd(readFreeText(query));
		assert.deepEqual([read?.state, read?.words, read?.typed], [state, words, words], query);
	}
	for (const query of ["Virginia", "Virginia Smith", "Jane Virginia, TX"])
		assert.equal(stateAtEnd(readFreeText(query)), null, query);
	assert.equal(readFreeText("Acme, Realty CA").typed, "Acme, Realty");
	assert.equal(readFreeText("Acme, Realty in Texas").typed, "Acme, Realty");
});
