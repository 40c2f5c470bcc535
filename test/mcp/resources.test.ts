/** Resources, prompts and completions, by the SDK's client; resources obey the key's grant. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { COLUMNS, resoField, SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { overBothTransports, publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { connectClient, post, request } from "./tool-client.js";

async function read(client: Client, uri: string): Promise<Record<string, unknown>> {
	const { contents } = await client.readResource({ uri });
	assert.equal(contents.length, 1);
	assert.equal(contents[0].mimeType, "application/json");
	assert.ok("text" in contents[0]);
	return JSON.parse(contents[0].text);
}

overBothTransports("resources and prompts", (served) => {
	test("the data dictionary has every column and its RESO name", async () => {
		const client = await connectClient(served(), await served().key());
		const { resources } = await client.listResources();
		assert.deepEqual(
			resources.map((resource) => resource.uri),
			["rollcall://columns", "rollcall://jurisdictions", "rollcall://vocabulary", "rollcall://snapshots"],
		);
		const columns = (await read(client, "rollcall://columns")).columns as Record<string, unknown>[];
		assert.deepEqual(
			columns.map((column) => column.name),
			COLUMNS.map((column) => column.name),
		);
		const named = new Map(columns.map((column) => [column.name, column]));
		assert.equal(named.get("member_state_license_number")?.reso_data_dictionary, "MemberStateLicense");
		assert.equal(named.get("member_preferred_phone")?.reso_data_dictionary, "MemberPreferredPhone");
		assert.equal(named.get("office_broker_name")?.reso_data_dictionary, null);
		// As in files that are written with these names.
		for (const { name } of COLUMNS)
			assert.equal(named.get(name)?.reso_data_dictionary, resoField(name), name);
		assert.equal(
			named.get("office_name")?.filter,
			"office_name (prefix), office_name_is (whole value, in any letter case)",
		);
		await client.close();
	});

	test("vocabularies are narrowed to the state asked for and to the key's grant", async () => {
		const client = await connectClient(served(), await served().key());
		const { resourceTemplates } = await client.listResourceTemplates();
		assert.equal(resourceTemplates[0].uriTemplate, "rollcall://vocabulary/{state}");
		const texas = await read(client, "rollcall://vocabulary/tx");
		assert.deepEqual((texas.license_status as { value: string }[]).map((entry) => entry.value).sort(), [
			"Active",
			"Inactive",
		]);
		await client.close();
		const geography = { countries: [], states: ["ON"] };
		const narrow = await connectClient(served(), await served().key({ scope: { geography } }));
		const all = await read(narrow, "rollcall://vocabulary");
		assert.deepEqual((all.license_status as { value: string }[]).map((entry) => entry.value).sort(), [
			"Registered",
			"Terminated",
		]);
		await assert.rejects(read(narrow, "rollcall://vocabulary/TX"), /outside this key's geography/);
		await assert.rejects(read(narrow, "rollcall://vocabulary/XX"), /no state or province/);
		await assert.rejects(
			read(narrow, "rollcall://vocabulary/Texas"),
			/did you mean "rollcall:\/\/vocabulary\/TX"/,
		);
		await assert.rejects(read(narrow, "rollcall://vocabulary/New%20Yrok"), /vocabulary\/NY"/);
		await assert.rejects(read(narrow, "rollcall://colums"), /did you mean "rollcall:\/\/columns"/);
		await assert.rejects(read(narrow, "rollcall://states"), /resources\/list lists them/);
		await assert.rejects(read(narrow, "rollcall://vocabulary/Narnia"), (error: Error) => {
			assert.doesNotMatch(error.message, /did you mean/);
			return true;
		});
		await narrow.close();
	});

	test("prompts expand with their arguments, and name missing ones", async () => {
		const client = await connectClient(served(), await served().key());
		const { prompts } = await client.listPrompts();
		assert.deepEqual(
			prompts.map((prompt) => prompt.name),
			["find_expiring_licenses", "verify_license", "profile_office"],
		);
		const text = async (name: string, args: Record<string, string>) => {
			const { messages } = await client.getPrompt({ name, arguments: args });
			assert.ok(messages[0].content.type === "text");
			return messages[0].content.text;
		};
		assert.match(
			await text("find_expiring_licenses", { state: "CA" }),
			/in CA that expire within the next 60 days/,
		);
		const expiring = await text("find_expiring_licenses", { state: "CA", days: "30" });
		assert.match(expiring, /next 30 days/);
		assert.match(expiring, /the state has no statuses, leave status_group out/);
		assert.match(await text("verify_license", { state: "TX", license_number: "TX-1" }), /TX-1 in TX/);
		assert.match(await text("profile_office", { office_name: "Acme" }), /q Acme/);
		await assert.rejects(text("verify_license", { state: "TX" }), /license_number is required/);
		await assert.rejects(text("verify_licence", {}), /did you mean "verify_license"/);
		await assert.rejects(
			text("find_expiring_licenses", { state: "Narnia" }),
			/no state or province "Narnia"/,
		);
		await assert.rejects(text("find_expiring_licenses", { state: "Texas" }), /did you mean "TX"/);
		await assert.rejects(text("find_expiring_licenses", { state: "CA", days: "soon" }), /whole number/);
		await client.close();
	});

	test("states are completed by code and by name", async () => {
		const client = await connectClient(served(), await served().key());
		const complete = async (value: string) => {
			const ref = { type: "ref/resource", uri: "rollcall://vocabulary/{state}" } as const;
			return (await client.complete({ ref, argument: { name: "state", value } })).completion.values;
		};
		assert.deepEqual(await complete("tx"), ["TX"]);
		assert.deepEqual(await complete("Califor"), ["CA"]);
		assert.deepEqual(await complete("te"), ["TN", "TX"]);
		assert.deepEqual(await complete("de"), ["DE"]);
		assert.ok((await complete("n")).includes("NY"));
		assert.ok((await complete("")).length > 60);
		await client.close();
	});
});

test("no error shows a key that was given as a name", async () => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	try {
		const key = await served.key();
		for (const [method, params] of [
			[key, {}],
			["prompts/get", { name: key }],
			["tools/call", { name: key }],
			["tools/call", { name: "get_stats", arguments: { state: key } }],
		] as const) {
			const { body } = await post(served, key, request(method, params));
			assert.match(JSON.stringify(body), /rollcall_…/, method);
			assert.ok(!JSON.stringify(body).includes(key.slice(0, 20)), method);
		}
	} finally {
		await served.close();
	}
});

test("a vocabulary is no larger than the body of an answer may be", async () => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-vocabulary-"));
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	const rows = Array.from({ length: 2_100 }, (_, i) => ({
		state: i < 100 ? "TX" : "CA",
		member_state_license_number: `${i}`,
		member_license_status: `${i}`.padEnd(4_096, "x"),
	}));
	await publish(folder, "2026-11", rows);
	const served = await ServedFixture.start(ANY_TRANSPORT, { data: folder });
	try {
		const client = await connectClient(served, await served.key());
		await assert.rejects(read(client, "rollcall://vocabulary"), /more than 8 MiB; get_stats lists the most/);
		const texas = await read(client, "rollcall://vocabulary/TX");
		assert.equal((texas.license_status as unknown[]).length, 100);
		await client.close();
	} finally {
		await served.close();
	}
});
