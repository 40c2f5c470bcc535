/** The tool `search`, asked for lists: those of a trade in a place, or of a name, and of an office (docs/API.md §9.2). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readListText } from "../../server/mcp/connectors/list-text.js";
import { monthRows } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { callOk, connectClient } from "./tool-client.js";

test("a list is read as a trade with a city, a state or a name, wherever these are", () => {
	for (const [query, expected] of [
		["Milford real estate brokers", "broker,associate_broker||Milford||office"],
		["brokers in Milford Connecticut", "broker,associate_broker|CT|Milford||"],
		["Please list all home inspectors near West Hartford, ct.", "inspector|CT|West Hartford||"],
		["inspectors in Illinois named Aardema", "inspector|IL||Aardema|"],
		["appraisers named Jane Doe, TX", "appraiser|TX||Jane Doe|"],
		["Are there any licensed brokers in Stamford, CT?", "broker,associate_broker|CT|Stamford||"],
		["West Virginia property managers", "property_manager|WV|||office"],
		["brokerages in Chicago", "company||Chicago||"],
		["brokers in 06461", "broker,associate_broker||06461||"],
		["zip code 06461-1234 brokers", "broker,associate_broker||06461||office"],
		["agents in Austin, TX 78701", "salesperson,broker,associate_broker|TX|Austin78701||"],
		["Active home inspectors in Texas", "inspector|TX|||active"],
		["list suspended or revoked brokers in Ohio", "broker,associate_broker|OH|||suspended,revoked"],
	] as const) {
		const read = readListText(query);
		assert.ok(read !== null, query);
		const { groups, state, city, zip, name, statuses, mayBeOffice } = read;
		const text = [
			groups.join(","),
			state ?? "",
			city + zip,
			name,
			mayBeOffice ? "office" : statuses.join(),
		].join("|");
		assert.equal(text, expected, query);
	}
	for (const query of [
		...[
			"Jane Smith, Broker, CA",
			"brokers",
			"agents at Acme Realty",
			"brokers with expired licenses",
			"706941",
		],
		...[
			"brokers in Austin and brokers in Dallas, or in none of all these places",
			"Austin brokers in Dallas",
		],
	])
		assert.equal(readListText(query), null, query);
	const started = performance.now();
	readListText(`${"brokers ".repeat(100)}${" in".repeat(200)}${"a ".repeat(100)}`);
	assert.ok(performance.now() - started < 200, "no text takes long to read");
});

test("search answers a list by its trade and place, and an office before people of that name", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT, {
		mcp_connectors: true,
		api_url: "https://api.example.com",
	});
	t.after(() => served.close());
	const people = [
		["TX", "Jane Austin", "Broker", "Waco", "Keller Williams"],
		["TX", "Otto Roe", "Broker", "AUSTIN", "Acme Realty"],
		["TX", "Rita Roe", "Real Estate Inspector", "Austin", "Acme Realty"],
		["CA", "Rita Roe", "Salesperson", "Austin", "Acme Realty"],
		["TX", "Keller Williams", "Sales Agent", "Waco", "Acme Realty"],
		["TX", "Ann Poe", "Broker", "Waco", "Austin Appraisers"],
		["TX", "Saul Moe", "Broker", "St Charles", "Acme Realty"],
		["TX", "Sam Moe", "Broker", "SAINT CHARLES", "Acme Realty"],
		["TX", "Sid Moe", "Sales Agent", "St. Charles", "Acme Realty"],
	];
	for (const status of ["Revoked", "Active", "Expired"])
		people.push(["NY", `Una ${status}`, "Certified Residential Appraiser", "Ithaca", "", status]);
	people.push(["CT", "Ida Poe", "Broker", "Avon", "Kellar Willians Hartford"]);
	people.push(["CT", "Ned None", "Certified Residential Appraiser", "Ithaca", "", ""]);
	const [row] = monthRows("2026-11");
	const rows = people.map(([state, name, type, city, office, status = "Active"], i) => ({
		...row,
		state,
		member_full_name: name,
		member_first_name: name.split(" ")[0],
		member_last_name: name.split(" ")[1],
		member_type: type,
		member_city: city,
		office_name: office,
		member_license_status: status,
		member_postal_code: `${20_000 + i}-1234`,
		member_state_license_number: `N${i}`,
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const client = await connectClient(served, await served.key());
	t.after(() => client.close());
	const found = async (query: string, by = client) => {
		const { results } = (await callOk(by, "search", { query })) as unknown as {
			results: { title: string }[];
		};
		return results.map(({ title }) => /\bN\d+\b/.exec(title)?.[0]).sort();
	};
	for (const [query, numbers] of [
		["Austin real estate brokers", ["N1"]],
		["brokers in austin Texas", ["N1"]],
		["inspectors in Texas", ["N2"]],
		["inspectors in Texas named Roe", ["N2"]],
		["appraisers named Roe in California", ["N3"]],
		["Austin appraisers", ["N5"]],
		["agents at Keller Williams", ["N0"]],
		["Keller Williams", ["N4"]],
		["Kellar Willians", ["N12"]],
		["Kellar Willians, TX", ["N4"]],
		["Austin", ["N0"]],
		["brokers in 20001", ["N1"]],
		["revoked appraisers in New York", ["N9"]],
		["active appraisers in Ithaca, NY", ["N10"]],
		["expired or revoked appraisers in Ithaca", ["N11", "N9"]],
		["suspended appraisers in Ithaca", []],
		["active appraisers in Connecticut", ["N13"]],
		["revoked appraisers in Connecticut", []],
		["agents in St. Charles, TX", ["N6", "N7", "N8"]],
		["st charles TX brokers", ["N6", "N7"]],
		["Moe, Sam, Saint Charles", ["N7"]],
	] as const)
		assert.deepEqual(await found(query), numbers, query);
	const narrow = await connectClient(
		served,
		await served.key({ scope: { geography: { countries: [], states: ["CA"] } } }),
	);
	t.after(() => narrow.close());
	assert.deepEqual(await found("Austin agents", narrow), ["N3"], "within the key's grant");
	const named = await connectClient(
		served,
		await served.key({
			scope: { columns: ["id", "state", "member_full_name", "member_state_license_number"] },
		}),
	);
	t.after(() => named.close());
	assert.deepEqual(await found("Austin brokers", named), ["N0"], "no filter on what the key does not read");
});
