/** How hints word what was asked (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS } from "../../formats/index.js";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

test("hints name a filter by the alias by which it was given", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key({ scope: { history: { mode: "all" } } });
	// The other name first, so that no cache answers one by the other.
	for (const name of ["postal_code", "zip"]) {
		const query = `${name}=00000`;
		const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		const grouped = await served.ok(aggregateResponse, `/v1/aggregate?by=state&${query}`, key);
		const changed = await served.ok(changesResponse, `/v1/changes?${query}`, key);
		assert.deepEqual(meta.filters_applied, ["postal_code"]);
		for (const { hints } of [meta, grouped.meta, changed.meta]) {
			assert.equal(hints?.[0].param, name);
			assert.ok(hints?.[0].message.includes(` has ${name} "00000"`), hints?.[0].message);
		}
		const both = await served.ok(
			licensesResponse,
			`/v1/licenses?${name}=90001&state=CA&issued_after=2022-08-01`,
			key,
		);
		assert.deepEqual(both.data, []);
		const combined = both.meta.hints?.find(({ param }) => param === name);
		assert.ok(combined?.message.startsWith(`without ${name}, `), JSON.stringify(both.meta.hints));
	}
});

test("hints tell one column that every row has from several of which each row has one", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key();
	for (const [missing, told] of [
		["state", "has a value in state"],
		["state,country", "has a value in one of state, country"],
	]) {
		const { meta } = await served.ok(licensesResponse, `/v1/licenses?missing=${missing}`, key);
		assert.equal(meta.hints?.[0].message, `every row in this snapshot ${told}`);
	}
});

test("hints tell values between commas from one value", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key();
	for (const [query, listed, nearest] of [
		["zip=90001,+90003", true, ["90001", "90003"]],
		["license_status=Active,Inactive", true, ["Active", "Inactive"]],
		["city=Austin,Springfield", true, ["Austin", "Springfield"]],
		["city=Austin,+TX", false, ["Austin"]],
		["last_name=smith,given", false, []],
	] as const) {
		const { data, meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, key);
		assert.deepEqual(data, [], query);
		const [hint] = meta.hints ?? [];
		assert.equal(hint.message.includes("one by one, not between commas"), listed, hint.message);
		if (nearest.length > 0) assert.deepEqual(hint.nearest, nearest, query);
	}
});

test("hints name no states to a key that does not read them, whoever asked before", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row, i) => ({
		...row,
		...(row.state === "NY" ? { member_license_expires: "" } : {}),
		...(row.state === "TX" && i % 2 === 0 ? { member_license_status: "ACTIVE" } : {}),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const all = { mode: "all" } as const;
	const whole = await served.key({ scope: { history: all } });
	const columns = COLUMNS.map(({ name }) => name).filter((name) => name !== "state");
	const key = await served.key({ scope: { history: all, columns } });
	const upper = rows.filter(({ member_license_status }) => member_license_status === "ACTIVE").length;
	for (const [query, kept] of [
		["license_status=Active", `${upper} rows in this snapshot have license_status "ACTIVE": matching is`],
		["license_status=Licensed", ""],
		["expires_after=2020-01-01", ""],
		["sort=member_license_expires", ""],
	]) {
		const grouped = query.startsWith("sort") ? [] : ["&compare=2026-11", ""].map((more) => `${query}${more}`);
		const paths = [`licenses?${query}`, ...grouped.map((each) => `aggregate?by=country&${each}`)];
		for (const path of paths) {
			const told = async (by: string) => {
				const { text } = await served.request(`/v1/${path}`, by);
				const { meta } = JSON.parse(text) as { meta: { hints?: { message: string }[] } };
				return (meta.hints ?? []).map(({ message }) => message).join();
			};
			// A key that reads states first, since hints are cached for all keys.
			assert.match(await told(whole), /\b(TX|NY)\b/, path);
			const hidden = await told(key);
			assert.equal(hidden.slice(0, kept.length), kept, path);
			assert.doesNotMatch(hidden, /\b(CA|TX|NY|ON|QC)\b|state/, path);
		}
	}
});
